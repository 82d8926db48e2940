/* SPDX-License-Identifier: MIT
 *
 * text.c - reports are put together in a buffer, and cut when that is full.
 */
#include "testkit/check/text.h"

#include <stdarg.h>
#include <stdio.h>

size_t wardi_text_add(char *text, size_t size, size_t length, const char *format, ...)
{
	va_list args;
	if (length + 1 >= size)
		return length;
	va_start(args, format);
	int more = vsnprintf(text + length, size - length, format, args);
	va_end(args);
	length += more > 0 ? (size_t)more : 0;
	return length < size ? length : size - 1;
}

const char *wardi_code_name(ward_err err)
{
#define CODE(name) [name] = #name
	static const char *const names[] = {
		CODE(WARD_OK),       CODE(WARD_EINVAL),    CODE(WARD_ENOMEM),    CODE(WARD_ENAME),
		CODE(WARD_EEXIST),   CODE(WARD_ENOENT),    CODE(WARD_ESTOPPING), CODE(WARD_EDEAD),
		CODE(WARD_EFULL),    CODE(WARD_ESIZE),     CODE(WARD_EUNIQUE),   CODE(WARD_ELOCAL),
		CODE(WARD_EFOREIGN), CODE(WARD_ETIMEDOUT), CODE(WARD_ETYPE),     CODE(WARD_ELIMIT),
		CODE(WARD_ETHREAD),  CODE(WARD_EFORKED),   CODE(WARD_ESYS),      CODE(WARD_EOPEN),
		CODE(WARD_EFAILED),
	};
#undef CODE
	_Static_assert(sizeof(names) / sizeof(names[0]) == WARD_EFAILED + 1, "one for each code");
	return (unsigned)err <= WARD_EFAILED ? names[err] : "no code of ward";
}
