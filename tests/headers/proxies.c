/* SPDX-License-Identifier: MIT
 *
 * proxies.c - a program that calls active objects by proxies, which is C and C++.
 */
#include <ward/akka_zero.h>
#include <ward/ward.h>

struct point {
	int32_t x, y;
};

#define PEN(TELL, ASK)                                                                             \
	TELL(pen, lift)                                                                            \
	TELL(pen, move, (struct point, by), (int32_t, times))                                      \
	ASK(pen, where, struct point)                                                              \
	ASK(pen, far, double, (struct point, from))
WARD_OBJECT(pen, PEN);

ward_err call(ward_self *self, ward_inbox *inbox, const ward_msg *msg, const ward_objects *all);

ward_err call(ward_self *self, ward_inbox *inbox, const ward_msg *msg, const ward_objects *all)
{
	struct point at = {1, 2};
	double far = 0;
	pen_ref pen;
	ward_err err = pen_instance(all, NULL, &pen);

	pen_lift(pen);
	pen_move_from(self, pen, at, 2);
	if (err == WARD_OK)
		err = pen_move_try(pen, at, 2);
	if (err == WARD_OK)
		err = pen_where(pen, &at);
	if (err == WARD_OK)
		err = pen_far_ask_try(self, pen, pen_far_method, at);
	pen_far_ask(self, pen, pen_far_method, at);
	if (err == WARD_OK)
		err = pen_where_inbox(inbox, pen);
	return err == WARD_OK ? pen_far_answered(msg, &far) : err;
}
