/* SPDX-License-Identifier: MIT
 *
 * messages.c - sending what must arrive, and what is only for show; see messages.h.
 */
#include "messages.h"

#include <stdarg.h>
#include <stdio.h>

#include <ward/text.h>

void must_send(ward_self *self, ward_ref to, const ward_type *type, const void *body, size_t size)
{
	if (ward_try_send(self, to, type, body, size) == WARD_ENOMEM)
		ward_fail(self, &ward_out_of_memory, "for a message: %s", type->name);
}

void tell_note(ward_self *self, ward_ref view, const char *text, ...)
{
	struct note note = {{0}};
	va_list args;
	va_start(args, text);
	ward_text_vformat(note.text, sizeof(note.text), text, args);
	va_end(args);
	ward_send(self, view, &ward_type_note, &note, sizeof(note));
}
