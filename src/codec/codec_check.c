/* SPDX-License-Identifier: MIT
 *
 * codec_check.c - whether a table is right, as far as the compiler cannot see.
 */
#include <ward/codec.h>

#include "base/error.h"

ward_err ward_codec_check(const ward_type *type)
{
	if (type->codec == NULL && type->size != 0)
		return wardi_error(WARD_ELOCAL, "type %s has no table", type->name);
	return WARD_OK;
}
