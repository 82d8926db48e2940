/* SPDX-License-Identifier: MIT
 *
 * exit.h - reasons of an end, and exit signals with and without a link.
 */
#ifndef WARDI_EXIT_H
#define WARDI_EXIT_H

#include <ward/link.h>

#include "cell/ending.h"
#include "cell/self.h"

struct wardi_link;

ward_exit_reason wardi_exit_plain(ward_exit_kind kind);
ward_exit_reason wardi_exit_reason(const struct wardi_ending *ending);

/* The body of a trapped signal while its message is on the way or waits: a pointer to the link
 * stands where `who` will be. */
struct wardi_exit_waiting {
	struct wardi_link *link; /* NULL: the signal does not come from a link */
	uint64_t none;
	ward_exit_reason reason;
};

/* NULL: no memory. */
struct ward_msg *wardi_exit_make(struct ward_self *self, const ward_exit_reason *reason);
static inline struct wardi_exit_waiting *wardi_exit_waiting(const struct ward_msg *msg)
{
	return wardi_msg_bytes(msg);
}

/* The effect of a signal. */
enum wardi_fate { WARDI_FATE_NONE, WARDI_FATE_TRAPPED, WARDI_FATE_PASSED, WARDI_FATE_ENDS };
enum wardi_fate wardi_exit_fate(const struct ward_self *self, ward_ref from, uint32_t kind);
/* TRAPPED: puts the message behind the mail of `from`. PASSED: sends it to the actor that the
 * running one stands in for. Takes the message. Returns the effect: where there is no memory to
 * pass it on, ENDS, or NONE for a normal one. */
enum wardi_fate wardi_exit_delivered(struct ward_self *self, enum wardi_fate fate, ward_ref from,
				     struct ward_msg *msg);
/* ENDS: stops the running actor. False: the cell is gone. */
bool wardi_exit_ends(struct ward_self *self, ward_ref from, const ward_exit_reason *reason);

/* WARD_EINVAL, with a text that names the call: it is no reason. */
ward_err wardi_exit_check(const char *call, const ward_exit_reason *reason);

/* Running actor: sends an actor of this system a signal in the name of `from`, for a reason that
 * was checked. */
ward_err wardi_exit_far(struct ward_self *self, ward_ref from, ward_ref to,
			const ward_exit_reason *reason);
/* Holder: a signal of ward_exit() has arrived. False: the cell is gone. */
bool wardi_exit_arrived(struct ward_self *self, struct wardi_sysmsg *msg);
/* The life that the signal is for is over. */
void wardi_exit_misaddressed(struct ward_self *self, struct wardi_sysmsg *msg);

#endif
