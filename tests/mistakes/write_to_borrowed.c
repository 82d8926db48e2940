/* SPDX-License-Identifier: MIT
 *
 * write_to_borrowed.c - a received body is borrowed, and written to.
 *
 * refused: always
 * gcc: increment of member 'number' in read-only object
 * clang: cannot assign to variable 'n' with const-qualified type
 */
#include "common.h"

ward_result receive(ward_self *self, void *state, const ward_msg *msg);

ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct note *n = ward_match(msg, note);

	(void)state;
	if (!n)
		return WARD_UNHANDLED;
#ifdef CORRECT
	ward_tell(self, ward_msg_sender(msg), note, .number = n->number + 1);
#else
	(void)self;
	n->number++;
#endif
	return WARD_DONE;
}
