/* SPDX-License-Identifier: MIT
 *
 * spell.h - a value spelled out, in a form that each oracle can make of what it has read, too:
 * the same text is the same value.
 *
 *	deposit{account 7;cents -77;note b67;rate f4602678819172646912;urgent afalse;}
 *
 * Keys are sorted. An integer is decimal, a float f and its bits as an integer, a binary b and its
 * bytes in hex, an atom a and its letters, a list in brackets, a map in braces, a ref r and its
 * numbers, which are those of a pid: id, serial, creation. The atoms of a mask are sorted. A record
 * is a tuple: record(7;b;f0;{...};). A signal: ping. What may be missing, and is 0 although its
 * range is not, is missing.
 */
#ifndef TESTS_CODEC_SPELL_H
#define TESTS_CODEC_SPELL_H

#include "samples.h"

/* A text that grows; ended by a 0. All zero is empty. */
struct spelling {
	char *text;
	size_t size, room;
};

void spell_add(struct spelling *to, const char *text, size_t size);
void spell_text(struct spelling *to, const char *text);
void spell_int(struct spelling *to, int64_t value);
void spell_uint(struct spelling *to, uint64_t value);
void spell_float(struct spelling *to, double value);
void spell_binary(struct spelling *to, const void *bytes, size_t size);
void spell_ref(struct spelling *to, ward_ref ref);
/* Names of a mask, whichever order they come in. */
void spell_mask(struct spelling *to, const ward_field_name *names, uint32_t value);

/* Sorts pieces that stand one behind the other from byte `from` on, and end at `ends`. */
void spell_sort(struct spelling *to, size_t from, const size_t *ends, size_t count);

/* The rows of a table in the order of their keys; ended by NULL. For ever. */
const ward_field *const *spell_order(const ward_field *fields);

/* Whether a type with WARD_CODEC_TUPLE is a tuple. */
enum spell_form { SPELL_MAPS, SPELL_RECORDS };

/* Makes the text anew, of a body. */
void spell_value(struct spelling *to, const struct value *value, enum spell_form form);

/* Whether the text is that of a value; prints both if not. */
bool spell_same(const struct spelling *is, const struct value *value, enum spell_form form,
		const char *whose);

#endif
