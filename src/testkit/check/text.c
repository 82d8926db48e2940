/* SPDX-License-Identifier: MIT
 *
 * text.c - builds reports in a buffer, and cuts them when it is full.
 */
#include "testkit/check/text.h"

#include <stdarg.h>
#include <string.h>

#include "common/say.h"

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

void wardi_text_print_lines(FILE *to, const char *before, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *line_end = newline != NULL ? newline : end;

		if (*text != '#')
			fputs(before, to);
		/* A 0 is written out, too. */
		for (; text < line_end; text++) {
			size_t whole = strnlen(text, (size_t)(line_end - text));

			wardi_say_text(to, text, whole, text + whole < line_end ? "\\x00" : "");
			text += whole;
		}
		fputc('\n', to);
		text = line_end + (newline != NULL);
	}
}

const char *wardi_code_name(ward_err err)
{
#define CODE(name) [name] = #name
	static const char *const names[] = {
		CODE(WARD_OK),       CODE(WARD_EINVAL),     CODE(WARD_ENOMEM),    CODE(WARD_ENAME),
		CODE(WARD_EEXIST),   CODE(WARD_ENOENT),     CODE(WARD_ESTOPPING), CODE(WARD_EDEAD),
		CODE(WARD_EFULL),    CODE(WARD_ESIZE),      CODE(WARD_EUNIQUE),   CODE(WARD_ELOCAL),
		CODE(WARD_EFOREIGN), CODE(WARD_ETIMEDOUT),  CODE(WARD_ETYPE),     CODE(WARD_ELIMIT),
		CODE(WARD_ETHREAD),  CODE(WARD_EFORKED),    CODE(WARD_ESYS),      CODE(WARD_EOPEN),
		CODE(WARD_EFAILED),  CODE(WARD_EUNREACHED),
	};
#undef CODE
	_Static_assert(sizeof(names) / sizeof(names[0]) == WARD_EUNREACHED + 1,
		       "one for each code");
	return (unsigned)err <= WARD_EUNREACHED ? names[err] : "not an error code of ward";
}
