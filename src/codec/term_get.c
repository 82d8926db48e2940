/* SPDX-License-Identifier: MIT
 *
 * term_get.c - the single terms of Erlang's external format, read within their bounds.
 */
#include "codec/term_get.h"

#include "codec/member.h"

static ward_err wanted(struct wardi_get *get, const ward_field *field, const char *what)
{
	return wardi_walk_wrong(wardi_get_here(get), field, WARD_EINVAL, "must be %s", what);
}

/* Magnitudes of more than 8 bytes have zeros in front of them, or are too large. */
static ward_err get_big(struct wardi_get *get, const ward_field *field, size_t head, size_t count,
			struct wardi_term_integer *ret)
{
	const unsigned char *at;
	uint64_t magnitude = 0;

	if (wardi_get_left(get) < head || wardi_get_left(get) - head < count)
		return wardi_get_ended(get, field);
	at = get->at + head;
	for (size_t i = 8; i < count; i++)
		if (at[i] != 0)
			return wardi_walk_wrong(wardi_get_here(get), field, WARD_EINVAL,
						"an integer of more than 64 bits");
	for (size_t i = 0; i < count && i < 8; i++)
		magnitude |= (uint64_t)at[i] << (8 * i);
	ret->magnitude = magnitude;
	ret->negative = at[-1] != 0 && magnitude != 0;
	get->at = at + count;
	return WARD_OK;
}

ward_err wardi_term_get_integer(struct wardi_get *get, const ward_field *field,
				struct wardi_term_integer *ret)
{
	size_t left = wardi_get_left(get);
	int32_t value;

	if (left < 2)
		return wardi_get_ended(get, field);
	switch (get->at[0]) {
	case WARDI_TERM_SMALL_INTEGER:
		*ret = (struct wardi_term_integer){get->at[1], false};
		get->at += 2;
		return WARD_OK;
	case WARDI_TERM_INTEGER:
		if (left < 5)
			return wardi_get_ended(get, field);
		value = (int32_t)wardi_load_be32(get->at + 1);
		ret->negative = value < 0;
		ret->magnitude = value < 0 ? -(uint64_t)(int64_t)value : (uint64_t)value;
		get->at += 5;
		return WARD_OK;
	case WARDI_TERM_SMALL_BIG:
		return get_big(get, field, 3, get->at[1], ret);
	case WARDI_TERM_LARGE_BIG:
		if (left < 6)
			return wardi_get_ended(get, field);
		return get_big(get, field, 6, wardi_load_be32(get->at + 1), ret);
	default:
		return wanted(get, field, "an integer");
	}
}

ward_err wardi_term_get_float(struct wardi_get *get, const ward_field *field, double *ret)
{
	struct wardi_term_integer integer;
	uint64_t bits;
	ward_err err;

	if (get->at < get->end && *get->at == WARDI_TERM_FLOAT) {
		if (wardi_get_left(get) < 9)
			return wardi_get_ended(get, field);
		bits = wardi_load_be64(get->at + 1);
		memcpy(ret, &bits, sizeof bits);
		get->at += 9;
		return WARD_OK;
	}
	err = wardi_term_get_integer(get, field, &integer);
	if (err == WARD_OK)
		*ret = integer.negative ? -(double)integer.magnitude : (double)integer.magnitude;
	return err;
}

ward_err wardi_term_get_word(struct wardi_get *get, const ward_field *field,
			     struct wardi_term_word *ret)
{
	size_t left = wardi_get_left(get), head, size;

	if (left < 2)
		return wardi_get_ended(get, field);
	switch (get->at[0]) {
	case WARDI_TERM_SMALL_ATOM:
	case WARDI_TERM_OLD_SMALL_ATOM:
		head = 2;
		size = get->at[1];
		break;
	case WARDI_TERM_ATOM:
	case WARDI_TERM_OLD_ATOM:
		head = 3;
		size = left < head ? 0 : wardi_load_be16(get->at + 1);
		break;
	case WARDI_TERM_BINARY:
		head = 5;
		size = left < head ? 0 : wardi_load_be32(get->at + 1);
		break;
	default:
		return wanted(get, field, "an atom");
	}
	if (left < head || left - head < size)
		return wardi_get_ended(get, field);
	ret->text = get->at + head;
	ret->size = size;
	get->at += head + size;
	return WARD_OK;
}

/* How many bytes a character becomes; 0: it is none. */
static size_t utf8_size(uint64_t character)
{
	if (character < 0x80)
		return 1;
	if (character < 0x800)
		return 2;
	if (character >= 0xd800 && character < 0xe000)
		return 0;
	return character < 0x10000 ? 3 : character < 0x110000 ? 4 : 0;
}

static unsigned char *utf8_put(unsigned char *to, uint32_t character)
{
	size_t size = utf8_size(character);

	if (size == 1) {
		*to++ = (unsigned char)character;
		return to;
	}
	*to++ = (unsigned char)((0xf00 >> size) | character >> (6 * (size - 1)));
	for (size_t i = size - 1; i-- > 0;)
		*to++ = (unsigned char)(0x80 | (character >> (6 * i) & 0x3f));
	return to;
}

static ward_err get_characters(struct wardi_get *get, const ward_field *field,
			       struct wardi_term_chars *ret)
{
	struct wardi_term_integer one;
	ward_err err;

	for (uint32_t i = 0; i < ret->count; i++) {
		size_t size = 1;

		err = wardi_term_get_integer(get, field, &one);
		if (err != WARD_OK)
			return err;
		if (ret->utf8)
			size = utf8_size(one.magnitude);
		if (one.negative || size == 0 || (!ret->utf8 && one.magnitude > 255))
			return wanted(get, field, ret->utf8 ? "characters" : "bytes");
		ret->size += size;
	}
	return wardi_term_get_nil(get, field);
}

ward_err wardi_term_get_chars(struct wardi_get *get, const ward_field *field, bool utf8,
			      struct wardi_term_chars *ret)
{
	size_t left = wardi_get_left(get), head = 5;
	unsigned form;

	if (left < 1)
		return wardi_get_ended(get, field);
	form = get->at[0];
	*ret = (struct wardi_term_chars){.form = (unsigned char)form, .utf8 = utf8};
	if (form == WARDI_TERM_NIL) {
		get->at++;
		return WARD_OK;
	}
	if (form != WARDI_TERM_BINARY && form != WARDI_TERM_STRING && form != WARDI_TERM_LIST)
		return wanted(get, field, "a binary or a string");
	if (form == WARDI_TERM_STRING)
		head = 3;
	if (left < head)
		return wardi_get_ended(get, field);
	ret->count = head == 3 ? wardi_load_be16(get->at + 1) : wardi_load_be32(get->at + 1);
	if (left - head < ret->count)
		return wardi_get_ended(get, field);
	get->at += head;
	ret->at = get->at;
	if (form == WARDI_TERM_LIST)
		return get_characters(get, field, ret);
	ret->size = ret->count;
	get->at += ret->count;
	for (uint32_t i = 0; form == WARDI_TERM_STRING && utf8 && i < ret->count; i++)
		ret->size += ret->at[i] >= 0x80;
	return WARD_OK;
}

/* The term was read before: its bytes are there, and right. */
static uint32_t next_character(const unsigned char **at)
{
	const unsigned char *from = *at;
	uint32_t value = 0;

	if (from[0] == WARDI_TERM_SMALL_INTEGER) {
		*at = from + 2;
		return from[1];
	}
	if (from[0] == WARDI_TERM_INTEGER) {
		*at = from + 5;
		return wardi_load_be32(from + 1);
	}
	size_t head = from[0] == WARDI_TERM_SMALL_BIG ? 3 : 6;
	size_t count = head == 3 ? from[1] : wardi_load_be32(from + 1);

	for (size_t i = 0; i < count && i < 4; i++)
		value |= (uint32_t)from[head + i] << (8 * i);
	*at = from + head + count;
	return value;
}

void wardi_term_chars_copy(const struct wardi_term_chars *chars, unsigned char *to)
{
	const unsigned char *at = chars->at;

	if (chars->size == 0)
		return;
	if (chars->form != WARDI_TERM_LIST && chars->size == chars->count) {
		memcpy(to, at, chars->size);
		return;
	}
	for (uint32_t i = 0; i < chars->count; i++) {
		uint32_t one = chars->form == WARDI_TERM_STRING ? *at++ : next_character(&at);

		if (chars->utf8)
			to = utf8_put(to, one);
		else
			*to++ = (unsigned char)one;
	}
}

/* A count of elements, each of which has a byte at least. */
static ward_err get_count(struct wardi_get *get, const ward_field *field, size_t each,
			  uint32_t *ret_count)
{
	if (wardi_get_left(get) < 5)
		return wardi_get_ended(get, field);
	*ret_count = wardi_load_be32(get->at + 1);
	if (*ret_count > (wardi_get_left(get) - 5) / each)
		return wardi_get_ended(get, field);
	get->at += 5;
	return WARD_OK;
}

ward_err wardi_term_get_tuple(struct wardi_get *get, uint32_t *ret_count)
{
	if (get->at < get->end && *get->at == WARDI_TERM_LARGE_TUPLE)
		return get_count(get, NULL, 1, ret_count);
	if (wardi_get_left(get) < 2)
		return wardi_get_ended(get, NULL);
	if (*get->at != WARDI_TERM_SMALL_TUPLE)
		return wanted(get, NULL, "a tuple that begins with the name of the message");
	*ret_count = get->at[1];
	get->at += 2;
	return WARD_OK;
}

ward_err wardi_term_get_map(struct wardi_get *get, const ward_field *field, uint32_t *ret_count)
{
	if (get->at < get->end && *get->at != WARDI_TERM_MAP)
		return wanted(get, field, "a map");
	return get_count(get, field, 2, ret_count);
}

ward_err wardi_term_get_list(struct wardi_get *get, const ward_field *field, uint32_t *ret_count)
{
	ward_err err;

	if (get->at < get->end && *get->at == WARDI_TERM_NIL) {
		get->at++;
		*ret_count = 0;
		return WARD_OK;
	}
	if (get->at < get->end && *get->at != WARDI_TERM_LIST)
		return wanted(get, field, "a list");
	err = get_count(get, field, 1, ret_count);
	return err == WARD_OK && *ret_count == 0 ? wardi_term_get_nil(get, field) : err;
}

ward_err wardi_term_get_nil(struct wardi_get *get, const ward_field *field)
{
	if (get->at == get->end)
		return wardi_get_ended(get, field);
	if (*get->at != WARDI_TERM_NIL)
		return wanted(get, field, "a list that ends with []");
	get->at++;
	return WARD_OK;
}
