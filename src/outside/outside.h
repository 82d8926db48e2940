/* SPDX-License-Identifier: MIT
 *
 * outside.h - threads outside that wait: for an answer, for an actor's end, for a spawn, for the
 * end of the system.
 */
#ifndef WARDI_OUTSIDE_H
#define WARDI_OUTSIDE_H

#include <ward/types.h>

struct ward_msg;
struct ward_self;
struct wardi_sysmsg;

/* Thread outside: asks by `send`, in the name of a ref that stands for the thread, and waits. The
 * caller owns the answer. WARD_ETIMEDOUT or WARD_EDEAD, without a detail. */
ward_err wardi_outside_ask(ward_system *system, const ward_type *asked, int64_t timeout_ms,
			   void (*send)(ward_system *system, ward_ref asker, void *arg), void *arg,
			   struct ward_msg **ret_answer);

/* Waits until the actor is gone for good, or the end of the system has begun; or, with
 * `or_its_stop`, until the one actor of ward_run() waits for its children. WARD_OK, WARD_ETIMEDOUT,
 * or a code with a detail. */
ward_err wardi_outside_await_end(ward_system *system, ward_ref who, bool or_its_stop,
				 int64_t timeout_ms);

void wardi_spawn_refused(ward_system *system, struct wardi_sysmsg *msg);

/* outside.c: /user looks at a request for an actor. */
void wardi_spawn_requested(struct ward_self *self, struct wardi_sysmsg *msg);
/* Whether the tree is down, and the functions for its end were called. */
bool wardi_outside_is_down(ward_system *system);

#endif
