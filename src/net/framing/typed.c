/* SPDX-License-Identifier: MIT
 *
 * typed.c - frames with the body of a message.
 */
#include "net/framing/typed.h"

#include <stdio.h>
#include <string.h>
#include <ward/extend.h>

const char *wardi_types_wrong(const ward_type *const *types)
{
	size_t count = 0;

	for (; types != NULL && types[count] != NULL; count++) {
		if (count == WARDI_TYPES_MAX)
			return "more than 255 types";
		if (!(types[count]->flags & WARD_TYPE_FLAT) || types[count]->drop != NULL)
			return "a type that is not flat: its bytes mean nothing to others";
		if (wardi_types_find(types, types[count]) != (int)count)
			return "a type that is there twice";
	}
	return NULL;
}

int wardi_types_find(const ward_type *const *types, const ward_type *type)
{
	if (types == NULL || type == NULL)
		return -1;
	for (int i = 0; i < WARDI_TYPES_MAX && types[i] != NULL; i++)
		if (ward_type_same(types[i], type))
			return i;
	return -1;
}

bool wardi_typed_fits(const ward_type *type, size_t size)
{
	return type->size_max == 0 ? size == type->size
				   : size >= type->size && size <= type->size_max;
}

const ward_type *wardi_typed_read(const ward_type *const *types, unsigned char index, size_t size,
				  char ret_wrong[96])
{
	size_t count = 0;

	if (size == 0) {
		snprintf(ret_wrong, 96, "a frame without the index of a type");
		return NULL;
	}
	while (types[count] != NULL)
		count++;
	if (index >= count) {
		snprintf(ret_wrong, 96, "type %u of %zu", index, count);
		return NULL;
	}
	if (wardi_typed_fits(types[index], size - 1))
		return types[index];
	snprintf(ret_wrong, 96, "%zu bytes for a body of type %.48s", size - 1, types[index]->name);
	return NULL;
}

unsigned char *wardi_typed_body(unsigned char *frame)
{
	return frame + 1 - (uintptr_t)(frame + 1) % WARDI_TYPED_ALIGN;
}

unsigned char *wardi_typed_align(unsigned char *frame, size_t size)
{
	unsigned char *body = wardi_typed_body(frame), index = frame[0];

	if (body == frame + 1)
		return body;
	memmove(body, frame + 1, size - 1);
	body[size - 1] = index;
	return body;
}
