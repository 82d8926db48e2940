/* SPDX-License-Identifier: MIT
 *
 * otp_children.h - the children of a supervisor of OTP: all, in the order of their starts; those
 * that are to be looked at; and each by its ref.
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

/* One that is to be tried again, by the actor that it had. */
struct wardi_otp_child *wardi_otp_by_old_ref(const struct wardi_otp *me, ward_ref who);

struct wardi_otp_child *wardi_otp_by_ref(const struct wardi_otp *me, ward_ref who);

void wardi_otp_child_delete(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

/* It has none any more. */
void wardi_otp_child_has_none(struct wardi_otp *me, struct wardi_otp_child *child,
			      ward_otp_child_state state);

/* It has an actor from now on; there must be room in by_ref. */
void wardi_otp_child_is(struct wardi_otp *me, struct wardi_otp_child *child, ward_ref who);

/* A child at the end of all, without an actor. NULL: no memory. */
struct wardi_otp_child *wardi_otp_child_make(ward_self *self, struct wardi_otp *me,
					     const ward_otp_child_spec *spec);

/* What its end makes of it: off, or deleted, as its specification says. */
void wardi_otp_child_off(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child);

struct wardi_otp_child *wardi_otp_first(const struct wardi_otp *me);

struct wardi_otp_child *wardi_otp_last(const struct wardi_otp *me);

void wardi_otp_leave_queue(struct wardi_otp_child *child);

void wardi_otp_lists_init(struct wardi_otp *me);

/* Appends to one of the two queues; taken out of the other one. */
void wardi_otp_queue(struct wardi_otp_node *queue, struct wardi_otp_child *child);

/* The one of this number, if it is to be retried. NULL: it is not. */
struct wardi_otp_child *wardi_otp_to_retry(const struct wardi_otp *me, uint64_t number);

/* Takes the first one out. NULL: none. */
struct wardi_otp_child *wardi_otp_unqueue(struct wardi_otp_node *queue);

#endif
