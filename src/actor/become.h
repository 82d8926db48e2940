/* SPDX-License-Identifier: MIT
 *
 * become.h - the receives below the current one. Holder only.
 */
#ifndef WARDI_BECOME_H
#define WARDI_BECOME_H

#include <ward/become.h>

struct wardi_receive;

struct ward_self;

struct wardi_become {
	struct wardi_receive *below; /* the next one; NULL: the behaviour's own */
};

/* The incarnation is over: the next one begins with the receive of its behaviour (S89). */
void wardi_become_reset(struct ward_self *self);

#endif
