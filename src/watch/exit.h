/* SPDX-License-Identifier: MIT
 *
 * exit.h - why an actor ends; and exit signals, with a link and without.
 */
#ifndef WARDI_EXIT_H
#define WARDI_EXIT_H

#include <ward/link.h>

#include "cell/ending.h"
#include "cell/self.h"

struct wardi_link;

ward_exit_reason wardi_exit_plain(ward_exit_kind kind);
ward_exit_reason wardi_exit_reason(const struct wardi_ending *ending);

/* The body of the message that a signal will be, if it is trapped, while it is under way or waits:
 * what it leads to stands where `who` will. */
struct wardi_exit_waiting {
	struct wardi_link *link; /* NULL: it is not of a link */
	uint64_t none;
	ward_exit_reason reason;
};

/* NULL: no memory. */
struct ward_msg *wardi_exit_make(struct ward_self *self, const ward_exit_reason *reason);
static inline struct wardi_exit_waiting *wardi_exit_waiting(const struct ward_msg *msg)
{
	return wardi_msg_bytes(msg);
}

/* What a signal does. */
enum wardi_fate { WARDI_FATE_NONE, WARDI_FATE_TRAPPED, WARDI_FATE_ENDS };
enum wardi_fate wardi_exit_fate(const struct ward_self *self, uint64_t from, uint32_t kind);
/* TRAPPED: the message goes behind the mail of `from`. */
void wardi_exit_trapped(struct ward_self *self, uint64_t from, struct ward_msg *msg);
/* ENDS. False: the cell is gone. */
bool wardi_exit_ends(struct ward_self *self, uint64_t from, const ward_exit_reason *reason);

/* Of ward_exit(). Holder; false: the cell is gone. */
bool wardi_exit_arrived(struct ward_self *self, struct wardi_sysmsg *msg);
/* The life that it is for is over. */
void wardi_exit_misaddressed(struct ward_self *self, struct wardi_sysmsg *msg);

#endif
