/* SPDX-License-Identifier: MIT
 *
 * owned.c - the strings of a body: freed and copied by its table.
 */
#include <ward/codec.h>

void ward_fields_drop(const ward_field *fields, void *body)
{
	(void)fields, (void)body;
}

ward_err ward_fields_clone(const ward_field *fields, void *to, const void *from)
{
	(void)fields, (void)to, (void)from;
	return WARD_OK;
}
