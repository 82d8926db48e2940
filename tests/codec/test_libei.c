/* SPDX-License-Identifier: MIT
 *
 * test_libei.c - terms that ward writes, read by Erlang's library for C, WARD_CODEC_VALUES of
 * them; and terms that it writes, read by ward.
 */
#include <ei.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ward/testkit.h>

#include "spell.h"

static bool spell_part(struct spelling *to, const char *term, int *at);

static bool spell_atom(struct spelling *to, const char *term, int *at)
{
	char name[MAXATOMLEN_UTF8];

	if (ei_decode_atom_as(term, at, name, sizeof name, ERLANG_UTF8, NULL, NULL) != 0)
		return false;
	spell_text(to, name);
	return true;
}

static bool spell_number(struct spelling *to, const char *term, int *at)
{
	unsigned long long large;
	long long number;

	if (ei_decode_longlong(term, at, &number) == 0)
		spell_int(to, number);
	else if (ei_decode_ulonglong(term, at, &large) == 0)
		spell_uint(to, large);
	else
		return false;
	return true;
}

static bool spell_bytes(struct spelling *to, const char *term, int *at, int size)
{
	char *bytes = malloc((size_t)size + 1);
	long count = 0;
	bool read = bytes != NULL && ei_decode_binary(term, at, bytes, &count) == 0;

	if (read)
		spell_binary(to, bytes, (size_t)count);
	free(bytes);
	return read;
}

static bool spell_pid(struct spelling *to, const char *term, int *at)
{
	erlang_pid pid;

	if (ei_decode_pid(term, at, &pid) != 0)
		return false;
	spell_text(to, "r");
	spell_uint(to, pid.num);
	spell_text(to, ".");
	spell_uint(to, pid.serial);
	spell_text(to, ".");
	spell_uint(to, pid.creation);
	return true;
}

/* Lists of atoms are those of masks. */
static bool spell_list(struct spelling *to, const char *term, int *at)
{
	size_t ends[WARD_CODEC_FIELDS_MAX], from;
	bool atoms = true;
	int count, tail;

	if (ei_decode_list_header(term, at, &count) != 0 || count > WARD_CODEC_FIELDS_MAX)
		return false;
	spell_text(to, "[");
	from = to->size;
	for (int i = 0; i < count; i++) {
		size_t begin = to->size;

		if (!spell_part(to, term, at))
			return false;
		atoms = atoms && to->text[begin] == 'a';
		spell_text(to, ",");
		ends[i] = to->size;
	}
	if (atoms)
		spell_sort(to, from, ends, (size_t)count);
	spell_text(to, "]");
	return count == 0 || (ei_decode_list_header(term, at, &tail) == 0 && tail == 0);
}

static bool spell_map(struct spelling *to, const char *term, int *at)
{
	size_t ends[WARD_CODEC_FIELDS_MAX], from;
	int count;

	if (ei_decode_map_header(term, at, &count) != 0 || count > WARD_CODEC_FIELDS_MAX)
		return false;
	spell_text(to, "{");
	from = to->size;
	for (int i = 0; i < count; i++) {
		if (!spell_atom(to, term, at))
			return false;
		spell_text(to, " ");
		if (!spell_part(to, term, at))
			return false;
		spell_text(to, ";");
		ends[i] = to->size;
	}
	spell_sort(to, from, ends, (size_t)count);
	spell_text(to, "}");
	return true;
}

static bool spell_part(struct spelling *to, const char *term, int *at)
{
	int type, size;
	double real;

	if (ei_get_type(term, at, &type, &size) != 0)
		return false;
	switch (type) {
	case ERL_SMALL_INTEGER_EXT:
	case ERL_INTEGER_EXT:
	case ERL_SMALL_BIG_EXT:
		return spell_number(to, term, at);
	case NEW_FLOAT_EXT:
	case ERL_FLOAT_EXT:
		if (ei_decode_double(term, at, &real) != 0)
			return false;
		spell_float(to, real);
		return true;
	case ERL_ATOM_EXT:
		spell_text(to, "a");
		return spell_atom(to, term, at);
	case ERL_BINARY_EXT:
		return spell_bytes(to, term, at, size);
	case ERL_NIL_EXT:
	case ERL_LIST_EXT:
		return spell_list(to, term, at);
	case ERL_MAP_EXT:
		return spell_map(to, term, at);
	case ERL_PID_EXT:
		return spell_pid(to, term, at);
	default:
		printf("a term of type %d\n", type);
		return false;
	}
}

/* A signal, a record, or a name and a map. */
static bool spell_term(struct spelling *to, const char *term, int *at)
{
	int version, arity, type, size;

	to->size = 0;
	if (ei_decode_version(term, at, &version) != 0)
		return false;
	if (ei_decode_tuple_header(term, at, &arity) != 0)
		return spell_atom(to, term, at);
	if (!spell_atom(to, term, at) || ei_get_type(term, at, &type, &size) != 0)
		return false;
	if (arity == 2 && type == ERL_MAP_EXT)
		return spell_part(to, term, at);
	spell_text(to, "(");
	while (--arity > 0) {
		if (!spell_part(to, term, at))
			return false;
		spell_text(to, ";");
	}
	spell_text(to, ")");
	return true;
}

WARD_TEST(term_libei_reads_the_same_values)
{
	unsigned long count = how_many("WARD_CODEC_VALUES", 2000), differ = 0;
	ward_bytes out = {.max = 0};
	struct spelling told = {NULL, 0, 0};

	ward_test_allow_s(300);
	for (unsigned long i = 0; i < count; i++) {
		struct value value =
			value_random(samples[i % sample_count()].type, i / sample_count() + 1);
		int at = 0;

		out.size = 0;
		ward_assert_ok(
			ward_encode(WARD_FORMAT_TERM, value.type, value.body, value.size, &out));
		if (!spell_term(&told, (const char *)out.data, &at) || (size_t)at != out.size ||
		    !spell_same(&told, &value, SPELL_RECORDS, "libei"))
			differ++;
		value_finish(&value);
	}
	free(told.text);
	ward_bytes_finish(&out);
	printf("%lu terms read by libei, %lu differ\n", count, differ);
	ward_assert_eq(differ, 0);
}

static void write_deposit(ei_x_buff *to, const struct deposit *deposit)
{
	ward_assert(ei_x_new_with_version(to) == 0);
	ei_x_encode_tuple_header(to, 2);
	ei_x_encode_atom(to, "deposit");
	ei_x_encode_map_header(to, 5);
	ei_x_encode_atom(to, "urgent");
	ei_x_encode_boolean(to, deposit->urgent);
	ei_x_encode_atom(to, "account");
	ei_x_encode_ulonglong(to, deposit->account);
	ei_x_encode_atom(to, "rate");
	ei_x_encode_double(to, deposit->rate);
	ei_x_encode_atom(to, "cents");
	ei_x_encode_longlong(to, deposit->cents);
	ei_x_encode_atom(to, "note");
	ei_x_encode_binary(to, deposit->note, (int)strlen(deposit->note));
}

WARD_TEST(term_that_libei_writes_is_read)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct value value = value_random(samples[0].type, seed), back;
		ei_x_buff term;

		write_deposit(&term, value.body);
		ward_assert_ok(value_decode(&back, WARD_FORMAT_TERM, value.type, term.buff,
					    (size_t)term.index));
		ward_assert(
			ward_value_same(value.type, value.body, value.size, back.body, back.size));
		value_finish(&back);
		value_finish(&value);
		ei_x_free(&term);
	}
}

WARD_TEST_MAIN;
