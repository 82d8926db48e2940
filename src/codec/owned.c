/* SPDX-License-Identifier: MIT
 *
 * owned.c - the strings of a body: freed and copied by its table.
 */
#include <stdlib.h>
#include <string.h>

#include <ward/codec.h>

#include "base/error.h"
#include "codec/member.h"

/* Items that are in use, also where the count is wrong. */
static uint32_t items_of(const ward_field *field, const unsigned char *body)
{
	uint64_t count = wardi_member_count(field, body);
	uint32_t room = wardi_member_room(field);

	return count > room ? room : (uint32_t)count;
}

void ward_fields_drop(const ward_field *fields, void *body)
{
	for (; fields->kind != WARD_FIELD_END; fields++) {
		unsigned char *at = (unsigned char *)body + fields->offset;

		if (fields->kind == WARD_FIELD_STRING)
			free(wardi_member_string(at));
		else if (fields->kind == WARD_FIELD_GROUP)
			ward_fields_drop(fields->fields, at);
		else if (fields->kind == WARD_FIELD_LIST)
			for (uint32_t i = 0, count = items_of(fields, body); i < count; i++)
				ward_fields_drop(fields->fields, at + (size_t)i * fields->item);
	}
}

/* What a struct shares with another is no longer its own, so that a drop frees copies only. */
static void forget(const ward_field *fields, unsigned char *body)
{
	for (; fields->kind != WARD_FIELD_END; fields++) {
		unsigned char *at = body + fields->offset;

		if (fields->kind == WARD_FIELD_STRING)
			memset(at, 0, sizeof(char *));
		else if (fields->kind == WARD_FIELD_GROUP)
			forget(fields->fields, at);
		else if (fields->kind == WARD_FIELD_LIST)
			for (uint32_t i = 0, count = items_of(fields, body); i < count; i++)
				forget(fields->fields, at + (size_t)i * fields->item);
	}
}

static ward_err copy_string(unsigned char *to, const unsigned char *from)
{
	const char *text = wardi_member_string(from);
	char *copy;

	if (text == NULL)
		return WARD_OK;
	copy = strdup(text);
	if (copy == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a string of %zu bytes",
				   strlen(text));
	memcpy(to, &copy, sizeof copy);
	return WARD_OK;
}

static ward_err copy(const ward_field *fields, unsigned char *to, const unsigned char *from)
{
	ward_err err = WARD_OK;

	for (; err == WARD_OK && fields->kind != WARD_FIELD_END; fields++) {
		size_t at = fields->offset;

		if (fields->kind == WARD_FIELD_STRING)
			err = copy_string(to + at, from + at);
		else if (fields->kind == WARD_FIELD_GROUP)
			err = copy(fields->fields, to + at, from + at);
		else if (fields->kind == WARD_FIELD_LIST)
			for (uint32_t i = 0, count = items_of(fields, from);
			     err == WARD_OK && i < count; i++, at += fields->item)
				err = copy(fields->fields, to + at, from + at);
	}
	return err;
}

ward_err ward_fields_clone(const ward_field *fields, void *to, const void *from)
{
	ward_err err;

	forget(fields, (unsigned char *)to);
	err = copy(fields, (unsigned char *)to, (const unsigned char *)from);
	if (err != WARD_OK)
		ward_fields_drop(fields, to);
	return err;
}
