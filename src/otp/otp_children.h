/* SPDX-License-Identifier: MIT
 *
 * otp_children.h - the children of a supervisor of OTP: a list in start order, queues of those to
 * be handled, and a map by ref.
 */
#ifndef WARDI_OTP_CHILDREN_H
#define WARDI_OTP_CHILDREN_H

#include <ward/otp.h>
#include <ward/types.h>

struct wardi_otp;
struct wardi_otp_child;
struct wardi_otp_node;

struct wardi_otp_child *wardi_otp_after(const struct wardi_otp *me,
					const struct wardi_otp_child *child);

struct wardi_otp_child *wardi_otp_before(const struct wardi_otp *me,
					 const struct wardi_otp_child *child);

struct wardi_otp_child *wardi_otp_by_id(const struct wardi_otp *me, const char *id);

/* Finds a child that waits for a retry by its previous actor. */
struct wardi_otp_child *wardi_otp_by_old_ref(const struct wardi_otp *me, ward_ref who);

struct wardi_otp_child *wardi_otp_by_ref(const struct wardi_otp *me, ward_ref who);

void wardi_otp_child_delete(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

/* Records that the child no longer has an actor. */
void wardi_otp_child_has_none(struct wardi_otp *me, struct wardi_otp_child *child,
			      ward_otp_child_state state);

/* Records the child's new actor. There must be room in by_ref. */
void wardi_otp_child_is(struct wardi_otp *me, struct wardi_otp_child *child, ward_ref who);

/* Appends a child without an actor to the list. NULL: no memory. */
struct wardi_otp_child *wardi_otp_child_make(ward_self *self, struct wardi_otp *me,
					     const ward_otp_child_spec *spec);

/* After its end: keeps the child without an actor, or deletes it, as its specification says. */
void wardi_otp_child_off(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

struct wardi_otp_child *wardi_otp_first(const struct wardi_otp *me);

struct wardi_otp_child *wardi_otp_last(const struct wardi_otp *me);

void wardi_otp_leave_queue(struct wardi_otp_child *child);

void wardi_otp_lists_init(struct wardi_otp *me);

/* Appends to one of the two queues; removes from the other. */
void wardi_otp_queue(struct wardi_otp_node *queue, struct wardi_otp_child *child);

/* Returns the child of this number if it waits for a retry, else NULL. */
struct wardi_otp_child *wardi_otp_to_retry(const struct wardi_otp *me, uint64_t number);

/* Removes and returns the first child, or NULL. */
struct wardi_otp_child *wardi_otp_unqueue(struct wardi_otp_node *queue);

#endif
