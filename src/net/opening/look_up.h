/* SPDX-License-Identifier: MIT
 *
 * look_up.h - a child that looks a name up, on a thread that may block.
 */
#ifndef WARDI_NET_LOOK_UP_H
#define WARDI_NET_LOOK_UP_H

#include "net/opening/opening.h"

struct wardi_looked_up {
	bool found;
	struct wardi_names names;
	struct wardi_net_refusal refusal;
};
extern const ward_type wardi_type_looked_up;

/* Asks. The answer ends the question wardi_opening_key(). */
ward_err wardi_look_up(ward_self *self, struct wardi_opening *opening);
/* Forgets the question; the child ends as soon as the operating system lets it. */
void wardi_look_up_cancel(ward_self *self, struct wardi_opening *opening);

#endif
