/* SPDX-License-Identifier: MIT
 *
 * watch.h - death watch, as other folders see it.
 */
#ifndef WARDI_WATCH_H
#define WARDI_WATCH_H

#include "cell/self.h"

struct wardi_watch;
struct wardi_watcher;
struct wardi_ending;

/* Holder of the watched actor. */
void wardi_watch_arrived(struct ward_self *self, struct wardi_sysmsg *msg);
void wardi_unwatch_arrived(struct ward_self *self, struct wardi_sysmsg *msg);
/* The life that a message about a watch is for is over. */
void wardi_watch_answer_dead(struct ward_self *self, struct wardi_sysmsg *msg);
void wardi_watch_tell_all(struct ward_self *self, struct wardi_watcher *watchers,
			  const struct wardi_ending *ending);

/* Holder of the watcher. */
void wardi_notice_arrived(struct ward_self *self, struct wardi_sysmsg *msg);
bool wardi_notice_here(struct ward_self *self, const struct ward_msg *msg);
struct ward_msg *wardi_notice_due(struct ward_self *self, const struct ward_msg *msg);
void wardi_notice_dropped(struct ward_self *self, const struct ward_msg *msg);
void wardi_watch_end_all(struct ward_self *self);
ward_err wardi_watch(struct ward_self *self, ward_ref who);
/* Ends this watch, if there is one, with a notice that is queued. */
void wardi_watch_forget(struct ward_self *self, ward_ref who);

/* Holder of the asker. */
struct wardi_watch *wardi_watch_asked(struct ward_self *self, ward_ref who, uint64_t number);
void wardi_unwatch_asked(struct ward_self *self, struct wardi_watch *watch);
void wardi_watch_asked_again(struct wardi_watch *watch, uint64_t number);

/* Thread outside. */
ward_err wardi_watch_outside(ward_system *system, ward_ref who, uint64_t waiter_id,
			     struct wardi_watch **ret_watch);
void wardi_unwatch_outside(ward_system *system, struct wardi_watch *watch);

#endif
