/* SPDX-License-Identifier: MIT
 *
 * otp_children.c - the children of a supervisor of OTP: a list in start order, queues of those to
 * be handled, and a map by ref.
 *
 * Threads: in callbacks of the supervisor. All memory is freed with its incarnation.
 */
#include "otp/otp_children.h"

#include <string.h>

#include "otp/otp_supervisor.h"

/* ---- lists ------------------------------------------------------------------------------- */

static void list_init(struct wardi_otp_node *list)
{
	list->prev = list->next = list;
}

static void append(struct wardi_otp_node *list, struct wardi_otp_node *node)
{
	node->prev = list->prev;
	node->next = list;
	list->prev->next = node;
	list->prev = node;
}

static void take_out(struct wardi_otp_node *node)
{
	if (node->next == NULL)
		return;
	node->prev->next = node->next;
	node->next->prev = node->prev;
	node->prev = node->next = NULL;
}

static struct wardi_otp_child *of_all(const struct wardi_otp *me, const struct wardi_otp_node *node)
{
	if (node == &me->all)
		return NULL;
	return (struct wardi_otp_child *)((uintptr_t)node -
					  offsetof(struct wardi_otp_child, in_all));
}

void wardi_otp_lists_init(struct wardi_otp *me)
{
	list_init(&me->all);
	list_init(&me->ended);
	list_init(&me->to_retry);
}

void wardi_otp_leave_queue(struct wardi_otp_child *child)
{
	take_out(&child->in_queue);
}

void wardi_otp_queue(struct wardi_otp_node *queue, struct wardi_otp_child *child)
{
	take_out(&child->in_queue);
	append(queue, &child->in_queue);
}

static struct wardi_otp_child *of_queue(const struct wardi_otp_node *node)
{
	return (struct wardi_otp_child *)((uintptr_t)node -
					  offsetof(struct wardi_otp_child, in_queue));
}

struct wardi_otp_child *wardi_otp_unqueue(struct wardi_otp_node *queue)
{
	struct wardi_otp_node *node = queue->next;

	if (node == queue)
		return NULL;
	take_out(node);
	return of_queue(node);
}

struct wardi_otp_child *wardi_otp_first(const struct wardi_otp *me)
{
	return of_all(me, me->all.next);
}

struct wardi_otp_child *wardi_otp_last(const struct wardi_otp *me)
{
	return of_all(me, me->all.prev);
}

struct wardi_otp_child *wardi_otp_after(const struct wardi_otp *me,
					const struct wardi_otp_child *child)
{
	return of_all(me, child->in_all.next);
}

struct wardi_otp_child *wardi_otp_before(const struct wardi_otp *me,
					 const struct wardi_otp_child *child)
{
	return of_all(me, child->in_all.prev);
}

/* ---- children ---------------------------------------------------------------------------- */

struct wardi_otp_child *wardi_otp_child_make(ward_self *self, struct wardi_otp *me,
					     const ward_otp_child_spec *spec)
{
	struct wardi_otp_child *child = wardi_record_make(self, sizeof *child);

	if (child == NULL)
		return NULL;
	child->spec = spec;
	child->number = ++me->numbers;
	append(&me->all, &child->in_all);
	return child;
}

void wardi_otp_child_is(struct wardi_otp *me, struct wardi_otp_child *child, ward_ref who)
{
	child->who = who;
	child->state = WARD_OTP_CHILD_ALIVE;
	child->gone = child->noted = child->forced = false;
	child->told = 0;
	child->reason = (ward_exit_reason){0};
	wardi_tags_insert(me->by_ref, &child->by_ref, who.uid);
}

void wardi_otp_child_has_none(struct wardi_otp *me, struct wardi_otp_child *child,
			      ward_otp_child_state state)
{
	if (child->state == WARD_OTP_CHILD_ALIVE)
		(void)wardi_tags_remove(me->by_ref, child->who.uid);
	wardi_otp_leave_queue(child);
	child->state = state;
	child->gone = false;
}

void wardi_otp_child_delete(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child)
{
	wardi_otp_child_has_none(me, child, WARD_OTP_CHILD_UNDEFINED);
	take_out(&child->in_all);
	ward_discard(self, child->own);
	ward_discard(self, child);
}

void wardi_otp_child_off(ward_self *self, struct wardi_otp *me, struct wardi_otp_child *child)
{
	if (wardi_otp_is_simple(me) || wardi_otp_is_temporary(child))
		wardi_otp_child_delete(self, me, child);
	else
		wardi_otp_child_has_none(me, child, WARD_OTP_CHILD_UNDEFINED);
}

struct wardi_otp_child *wardi_otp_by_id(const struct wardi_otp *me, const char *id)
{
	struct wardi_otp_child *at = wardi_otp_first(me);

	while (at != NULL && strcmp(at->spec->id, id) != 0)
		at = wardi_otp_after(me, at);
	return at;
}

struct wardi_otp_child *wardi_otp_by_ref(const struct wardi_otp *me, ward_ref who)
{
	/* by_ref is the first member. */
	return (struct wardi_otp_child *)wardi_tags_find(me->by_ref, who.uid);
}

struct wardi_otp_child *wardi_otp_to_retry(const struct wardi_otp *me, uint64_t number)
{
	for (const struct wardi_otp_node *at = me->to_retry.next; at != &me->to_retry;
	     at = at->next)
		if (of_queue(at)->number == number)
			return of_queue(at);
	return NULL;
}

struct wardi_otp_child *wardi_otp_by_old_ref(const struct wardi_otp *me, ward_ref who)
{
	for (const struct wardi_otp_node *at = me->to_retry.next; at != &me->to_retry;
	     at = at->next)
		if (ward_ref_equal(of_queue(at)->ran, who))
			return of_queue(at);
	return NULL;
}
