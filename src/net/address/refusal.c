/* SPDX-License-Identifier: MIT
 *
 * refusal.c - writes the words of a refusal.
 */
#include "net/address/refusal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int wardi_refuse(struct wardi_net_refusal *ret_refusal, int error, const char *call,
		 const char *format, ...)
{
	char *text = ret_refusal->text;
	const char *words = strerrordesc_np(error);
	va_list args;
	int used = 0;

	*ret_refusal = (struct wardi_net_refusal){.error = error, .call = call};
	if (error != 0)
		used = snprintf(text, sizeof ret_refusal->text, "%s%s",
				words != NULL ? words : "unknown error",
				format != NULL ? ": " : "");
	if (format != NULL) {
		va_start(args, format);
		vsnprintf(text + used, sizeof ret_refusal->text - (size_t)used, format, args);
		va_end(args);
	}
	return -1;
}
