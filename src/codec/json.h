/* SPDX-License-Identifier: MIT
 *
 * json.h - bodies as JSON.
 */
#ifndef WARDI_JSON_H
#define WARDI_JSON_H

#include <ward/codec.h>

/* The name of a message, in JSON and in its schema. */
static inline const char *wardi_json_name(const ward_type *type)
{
	return type->codec != NULL && type->codec->atom != NULL ? type->codec->atom : type->name;
}

#endif
