/* SPDX-License-Identifier: MIT
 *
 * spell.c - a body, spelled out by its table. It shares nothing with the codec.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ward/testkit/check.h>

#include "spell.h"

void spell_add(struct spelling *to, const char *text, size_t size)
{
	if (to->room - to->size <= size) {
		to->room = 2 * to->room + size + 256;
		to->text = realloc(to->text, to->room);
		ward_assert(to->text != NULL);
	}
	memcpy(to->text + to->size, text, size);
	to->size += size;
	to->text[to->size] = '\0';
}

void spell_text(struct spelling *to, const char *text)
{
	spell_add(to, text, strlen(text));
}

void spell_uint(struct spelling *to, uint64_t value)
{
	char digits[24];
	size_t at = sizeof digits;

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	spell_add(to, digits + at, sizeof digits - at);
}

void spell_int(struct spelling *to, int64_t value)
{
	if (value < 0)
		spell_add(to, "-", 1);
	spell_uint(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void spell_float(struct spelling *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	spell_add(to, "f", 1);
	spell_uint(to, bits);
}

void spell_binary(struct spelling *to, const void *bytes, size_t size)
{
	static const char digits[] = "0123456789ABCDEF";
	const unsigned char *byte = bytes;

	spell_add(to, "b", 1);
	for (size_t i = 0; i < size; i++) {
		char two[2] = {digits[byte[i] >> 4], digits[byte[i] & 15]};

		spell_add(to, two, 2);
	}
}

void spell_ref(struct spelling *to, ward_ref ref)
{
	uint32_t words[sizeof ref / sizeof(uint32_t)]; /* low, high, place, spare */

	if (ward_ref_is_nobody(ref)) {
		spell_text(to, "aundefined");
		return;
	}
	memcpy(words, &ref, sizeof ref);
	spell_add(to, "r", 1);
	spell_uint(to, words[0]);
	spell_add(to, ".", 1);
	spell_uint(to, words[1]);
	spell_add(to, ".", 1);
	spell_uint(to, words[2]);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void spell_mask(struct spelling *to, const ward_field_name *names, uint32_t value)
{
	const char *set[32];
	size_t count = 0;

	for (; names->name != NULL; names++) {
		if ((value & (uint32_t)names->value) != 0)
			set[count++] = names->name;
	}
	qsort(set, count, sizeof set[0], by_text);
	spell_add(to, "[", 1);
	for (size_t i = 0; i < count; i++) {
		spell_add(to, "a", 1);
		spell_text(to, set[i]);
		spell_add(to, ",", 1);
	}
	spell_add(to, "]", 1);
}

static int by_bytes(const void *a, const void *b)
{
	const struct piece {
		const char *at;
		size_t size;
	} *x = a, *y = b;
	int order = memcmp(x->at, y->at, x->size < y->size ? x->size : y->size);

	return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

void spell_sort(struct spelling *to, size_t from, const size_t *ends, size_t count)
{
	struct piece {
		const char *at;
		size_t size;
	} pieces[WARD_CODEC_FIELDS_MAX];
	size_t size = to->size - from, start = from;
	char *copy = malloc(size + 1);

	ward_assert(copy != NULL && count <= WARD_CODEC_FIELDS_MAX);
	memcpy(copy, to->text + from, size);
	for (size_t i = 0; i < count; i++) {
		pieces[i].at = copy + start - from;
		pieces[i].size = ends[i] - start;
		start = ends[i];
	}
	qsort(pieces, count, sizeof pieces[0], by_bytes);
	to->size = from;
	for (size_t i = 0; i < count; i++)
		spell_add(to, pieces[i].at, pieces[i].size);
	free(copy);
}

/* ---- rows --------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	const ward_field *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

const ward_field *const *spell_order(const ward_field *fields)
{
	static struct {
		const ward_field *fields;
		const ward_field *rows[WARD_CODEC_FIELDS_MAX + 1];
	} known[64];
	size_t at = 0, count = 0;

	while (known[at].fields != fields && known[at].fields != NULL)
		at++;
	ward_assert(at + 1 < sizeof known / sizeof known[0]);
	if (known[at].fields == NULL) {
		known[at].fields = fields;
		while (fields[count].kind != WARD_FIELD_END) {
			known[at].rows[count] = &fields[count];
			count++;
		}
		qsort(known[at].rows, count, sizeof known[at].rows[0], by_key);
	}
	return known[at].rows;
}

static uint64_t unsigned_at(const void *at, size_t size)
{
	uint64_t u8;
	uint32_t u4;
	uint16_t u2;

	switch (size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		memcpy(&u2, at, 2);
		return u2;
	case 4:
		memcpy(&u4, at, 4);
		return u4;
	default:
		memcpy(&u8, at, 8);
		return u8;
	}
}

static int64_t signed_at(const void *at, size_t size)
{
	uint64_t bits = unsigned_at(at, size);

	switch (size) {
	case 1:
		return (int8_t)bits;
	case 2:
		return (int16_t)bits;
	case 4:
		return (int32_t)bits;
	default:
		return (int64_t)bits;
	}
}

static void spell_map(struct spelling *to, const ward_field *fields, const struct value *in,
		      const unsigned char *body);

static size_t used_of(const ward_field *row, const unsigned char *body, size_t all)
{
	return row->count_size == 0 ? all
				    : (size_t)unsigned_at(body + row->count_at, row->count_size);
}

static void spell_list(struct spelling *to, const ward_field *row, const struct value *in,
		       const unsigned char *body)
{
	size_t used = used_of(row, body, row->size / row->item);

	spell_add(to, "[", 1);
	for (size_t i = 0; i < used; i++) {
		spell_map(to, row->fields, in, body + row->offset + i * row->item);
		spell_add(to, ",", 1);
	}
	spell_add(to, "]", 1);
}

static void spell_name(struct spelling *to, const ward_field *row, const void *at)
{
	int value = (int)signed_at(at, sizeof value);
	const ward_field_name *name = row->names;

	while (name->name != NULL && name->value != value)
		name++;
	spell_add(to, "a", 1);
	spell_text(to, name->name != NULL ? name->name : "?");
}

static void spell_string(struct spelling *to, const void *at)
{
	const char *string;

	memcpy(&string, at, sizeof string);
	if (string == NULL)
		spell_text(to, "aundefined");
	else
		spell_binary(to, string, strlen(string));
}

/* What is a word, or words. */
static void spell_plain(struct spelling *to, const ward_field *row, const void *at)
{
	double real;
	ward_ref ref;

	switch (row->kind) {
	case WARD_FIELD_BOOL:
		spell_text(to, *(const unsigned char *)at ? "atrue" : "afalse");
		break;
	case WARD_FIELD_INT:
		spell_int(to, signed_at(at, row->size));
		break;
	case WARD_FIELD_UINT:
	case WARD_FIELD_SIZE:
		spell_uint(to, unsigned_at(at, row->size));
		break;
	case WARD_FIELD_DURATION:
		if (signed_at(at, 8) == WARD_FOREVER)
			spell_text(to, "ainfinity");
		else
			spell_int(to, signed_at(at, 8));
		break;
	case WARD_FIELD_FLOAT:
		memcpy(&real, at, sizeof real);
		spell_float(to, real);
		break;
	case WARD_FIELD_ENUM:
		spell_name(to, row, at);
		break;
	case WARD_FIELD_MASK:
		spell_mask(to, row->names, (uint32_t)unsigned_at(at, 4));
		break;
	case WARD_FIELD_REF:
		memcpy(&ref, at, sizeof ref);
		spell_ref(to, ref);
		break;
	default:
		ward_test_fail(__FILE__, __LINE__, "%s: no such kind: %d", row->key, row->kind);
	}
}

static void spell_row(struct spelling *to, const ward_field *row, const struct value *in,
		      const unsigned char *body)
{
	const unsigned char *at = body + row->offset;

	switch (row->kind) {
	case WARD_FIELD_STRING:
		spell_string(to, at);
		break;
	case WARD_FIELD_TEXT:
		spell_binary(to, at, strnlen((const char *)at, row->size));
		break;
	case WARD_FIELD_BYTES:
		spell_binary(to, at, used_of(row, body, row->size));
		break;
	case WARD_FIELD_TAIL:
		spell_binary(to, at, in->size - row->offset);
		break;
	case WARD_FIELD_GROUP:
		spell_map(to, row->fields, in, at);
		break;
	case WARD_FIELD_LIST:
		spell_list(to, row, in, body);
		break;
	default:
		spell_plain(to, row, at);
	}
}

/* The samples have such integers only. */
static bool is_missing(const ward_field *row, const unsigned char *body)
{
	return row->kind == WARD_FIELD_INT && !row->required && row->min > 0 &&
	       signed_at(body + row->offset, row->size) == 0;
}

static void spell_map(struct spelling *to, const ward_field *fields, const struct value *in,
		      const unsigned char *body)
{
	spell_add(to, "{", 1);
	for (const ward_field *const *row = spell_order(fields); *row != NULL; row++) {
		if (is_missing(*row, body))
			continue;
		spell_text(to, (*row)->key);
		spell_add(to, " ", 1);
		spell_row(to, *row, in, body);
		spell_add(to, ";", 1);
	}
	spell_add(to, "}", 1);
}

void spell_value(struct spelling *to, const struct value *value, enum spell_form form)
{
	const ward_codec *codec = value->type->codec;

	to->size = 0;
	spell_text(to, codec != NULL ? codec->atom : value->type->name);
	if (codec == NULL)
		return;
	if ((codec->flags & WARD_CODEC_TUPLE) == 0 || form == SPELL_MAPS) {
		spell_map(to, codec->fields, value, value->body);
		return;
	}
	spell_add(to, "(", 1);
	for (const ward_field *row = codec->fields; row->kind != WARD_FIELD_END; row++) {
		spell_row(to, row, value, value->body);
		spell_add(to, ";", 1);
	}
	spell_add(to, ")", 1);
}

bool spell_same(const struct spelling *is, const struct value *value, enum spell_form form,
		const char *whose)
{
	static struct spelling wanted;

	spell_value(&wanted, value, form);
	if (is->size == wanted.size && memcmp(is->text, wanted.text, wanted.size) == 0)
		return true;
	printf("%s: %s\nnot %s\n", whose, is->text, wanted.text);
	return false;
}
