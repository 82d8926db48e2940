/* SPDX-License-Identifier: MIT
 *
 * inbox.c - an actor that queues all its messages for a thread outside.
 *
 *	sender -> mailbox -> receive() -> queue -> ward_inbox_receive() -> current, until the next
 *	                        |           |
 *	                        |           +-- an eventfd, readable if not empty, or closed
 *	                        +-- orders of the thread, which waits: watch, unwatch
 *
 * The thread and the actor's arguments hold a reference each; an inbox that no thread destroys is
 * destroyed with its system. When the arguments go, at the end of the actor's life, the queue is
 * closed.
 *
 * Threads: the queue, its state and the waiter's number under mu; `current` by the thread that
 * receives; all else is frozen.
 * Pairs  [I1] unref: release - acquire by the last reference, which frees.
 */
#include "outside/inbox.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <ward/inbox.h>
#include <ward/watch.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/list.h"
#include "cell/caller.h"
#include "cell/self.h"
#include "cell/system.h"
#include "common/uncancelled.h"
#include "mail/message.h"
#include "send/dead_letter.h"
#include "send/tell.h"
#include "send/waiter.h"

const ward_type wardi_type_inbox_order = {.name = "ward.inbox_order",
					  .size = sizeof(struct wardi_inbox_order),
					  .flags = WARD_TYPE_QUIET};

enum { TRIES = 10 /* to write to the descriptor, or to read it */ };

struct ward_inbox {
	_Atomic uint32_t refs;
	struct wardi_list link; /* in system->inboxes, under outside_mu */
	/* frozen */
	ward_system *system;
	ward_ref ref;
	uint32_t messages_max; /* 0: no limit */
	struct wardi_mutex mu;
	/* under mu */
	struct ward_msg *first, *last;
	uint32_t count; /* without notices */
	bool closed;
	bool receiving;  /* a thread is in ward_inbox_receive() */
	uint64_t waiter; /* its number while it waits; 0: it does not */
	int fd;          /* -1: not wanted so far */
	bool fd_set;
	/* who receives */
	struct ward_msg *current;
};

/* ---- the record -------------------------------------------------------------------------- */

static void unref(ward_inbox *inbox)
{
	if (atomic_fetch_sub_explicit(&inbox->refs, 1, memory_order_acq_rel) > 1) /* [I1] */
		return;
	wardi_mutex_destroy(&inbox->mu);
	wardi_free(&inbox->system->alloc, inbox, sizeof *inbox);
}

/* The thread gives its reference up. */
static void leave(ward_inbox *inbox)
{
	ward_system *system = inbox->system;

	wardi_mutex_lock(&system->outside_mu);
	wardi_list_remove(&inbox->link);
	wardi_mutex_unlock(&system->outside_mu);
	unref(inbox);
}

/* Under mu, after each change of the queue. A counter of one never blocks; a call that is refused
 * anyway is tried again, here and at the next change. */
static void show(ward_inbox *inbox)
{
	bool wanted = inbox->first != NULL || inbox->closed;

	if (inbox->fd < 0)
		return;
	for (int tries = 0; tries < TRIES && wanted != inbox->fd_set; tries++) {
		uint64_t one = 1;
		ssize_t done = wanted ? write(inbox->fd, &one, sizeof one)
				      : read(inbox->fd, &one, sizeof one);

		if (done == (ssize_t)sizeof one)
			inbox->fd_set = wanted;
	}
}

/* Under mu: returns the number of the thread to wake after unlocking; 0: none. */
static uint64_t take_waiter(ward_inbox *inbox)
{
	uint64_t waiter = inbox->waiter;

	inbox->waiter = 0;
	return waiter;
}

/* Closes the queue to new messages. */
static void close_queue(ward_inbox *inbox)
{
	uint64_t waiter;

	wardi_mutex_lock(&inbox->mu);
	inbox->closed = true;
	show(inbox);
	waiter = take_waiter(inbox);
	wardi_mutex_unlock(&inbox->mu);
	if (waiter != 0)
		wardi_waiter_gone(inbox->system, waiter);
}

/* ---- the actor --------------------------------------------------------------------------- */

struct wardi_inbox_args {
	ward_inbox *inbox;
};

static ward_err clone_args(struct wardi_inbox_args *to, const struct wardi_inbox_args *from)
{
	to->inbox = from->inbox;
	/* Relaxed: the caller holds one already. */
	atomic_fetch_add_explicit(&to->inbox->refs, 1, memory_order_relaxed);
	return WARD_OK;
}

/* The life of the actor is over. */
static void drop_args(struct wardi_inbox_args *args)
{
	close_queue(args->inbox);
	unref(args->inbox);
}
WARD_MESSAGE_CLONE(wardi_inbox_args, drop_args, clone_args);

struct wardi_inbox_done {
	ward_err err;
};
WARD_MESSAGE(wardi_inbox_done);

static void carry_out(ward_self *self, const ward_msg *msg, const struct wardi_inbox_order *order)
{
	ward_err err = WARD_OK;

	if (order->watch)
		err = ward_try_watch(self, order->who);
	else
		ward_unwatch(self, order->who);
	if (ward_try_tell(self, ward_msg_sender(msg), wardi_inbox_done, .err = err) == WARD_OK)
		return;
	/* On an error (no memory, or nobody waits any longer) nothing was done. */
	if (order->watch && err == WARD_OK)
		ward_unwatch(self, order->who);
	wardi_waiter_gone(self->system, ward_msg_sender(msg).uid);
}

static bool counts(const struct ward_msg *msg)
{
	return wardi_msg_type(msg) != &ward_type_ward_terminated;
}

/* Takes on WARD_REASON_NONE. */
static ward_reason append(ward_inbox *inbox, struct ward_msg *msg)
{
	ward_reason reason = WARD_REASON_NONE;
	uint64_t waiter = 0;

	wardi_mutex_lock(&inbox->mu);
	if (inbox->closed) {
		reason = WARD_REASON_DEAD;
	} else if (counts(msg) && inbox->messages_max != 0 && inbox->count >= inbox->messages_max) {
		reason = WARD_REASON_FULL;
	} else {
		/* Relaxed: all under mu. */
		atomic_store_explicit(&msg->next, NULL, memory_order_relaxed);
		if (inbox->last == NULL)
			inbox->first = msg;
		else
			atomic_store_explicit(&inbox->last->next, msg, memory_order_relaxed);
		inbox->last = msg;
		inbox->count += counts(msg);
		show(inbox);
		waiter = take_waiter(inbox);
	}
	wardi_mutex_unlock(&inbox->mu);
	if (waiter != 0)
		wardi_waiter_gone(inbox->system, waiter);
	return reason;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct wardi_inbox_args *args = ward_args(self);
	const struct wardi_inbox_order *order = ward_msg_body(msg, &wardi_type_inbox_order);
	ward_ref ref = ward_self_ref(self);
	ward_reason reason = WARD_REASON_NO_MEMORY;
	struct ward_msg *moved;

	(void)state;
	if (order != NULL) {
		carry_out(self, msg, order);
		return WARD_DONE;
	}
	moved = wardi_msg_move(self->from, self->msg);
	if (moved != NULL)
		reason = append(args->inbox, moved);
	if (reason != WARD_REASON_NONE)
		wardi_dead_letter(self->system, self, ref, moved == NULL ? self->msg : moved,
				  reason);
	if (reason != WARD_REASON_NONE && moved != NULL)
		wardi_msg_free(self->from, moved);
	wardi_self_emptied_msg(self);
	return WARD_DONE;
}

static const ward_behavior behavior = {
	.name = "ward.inbox",
	.args = &ward_type_wardi_inbox_args,
	.receive = receive,
};

/* ---- creating and destroying ------------------------------------------------------------- */

static ward_inbox *make(ward_system *system, const ward_inbox_options *options)
{
	ward_inbox *inbox = wardi_alloc_zeroed(&system->alloc, sizeof *inbox);

	if (inbox == NULL)
		return NULL;
	atomic_init(&inbox->refs, 1);
	inbox->system = system;
	inbox->messages_max = options->messages_max;
	inbox->fd = -1;
	wardi_mutex_init(&inbox->mu, WARDI_LOCK_INBOX);
	wardi_mutex_lock(&system->outside_mu);
	wardi_list_append(&system->inboxes, &inbox->link);
	wardi_mutex_unlock(&system->outside_mu);
	return inbox;
}

ward_err ward_inbox_create(ward_system *system, const ward_inbox_options *options,
			   ward_inbox **ret_inbox)
{
	static const ward_inbox_options defaults;
	struct wardi_inbox_args args;
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	if (options == NULL)
		options = &defaults;
	if (ret_inbox == NULL)
		return wardi_error(WARD_EINVAL, "ward_inbox_create: no room for the inbox");
	if (!WARDI_ALL_ZERO(options->reserved))
		return wardi_error(WARD_EINVAL, "ward_inbox_create: a reserved word is not zero");
	args.inbox = make(system, options);
	if (args.inbox == NULL)
		return wardi_no_memory(system, "ward_inbox_create: no memory for an inbox");
	err = ward_system_spawn_service(system,
					WARD_PROPS(&behavior, .name = options->name,
						   .args = {WARD_COPY(wardi_inbox_args, &args)}),
					&args.inbox->ref);
	if (err == WARD_OK)
		*ret_inbox = args.inbox;
	else
		leave(args.inbox);
	return err;
}

/* Under mu. NULL: it is empty. */
static struct ward_msg *pop(ward_inbox *inbox)
{
	struct ward_msg *msg = inbox->first;

	if (msg == NULL)
		return NULL;
	inbox->first = atomic_load_explicit(&msg->next, memory_order_relaxed);
	if (inbox->first == NULL)
		inbox->last = NULL;
	inbox->count -= counts(msg);
	show(inbox);
	return msg;
}

static void release_current(ward_inbox *inbox)
{
	if (inbox->current != NULL)
		wardi_msg_destroy(wardi_outside_source(inbox->system), inbox->current);
	inbox->current = NULL;
}

static void destroy(ward_inbox *inbox)
{
	struct ward_msg *rest;
	int fd;

	wardi_mutex_lock(&inbox->mu);
	inbox->closed = true; /* later messages are dead letters */
	rest = inbox->first;
	inbox->first = inbox->last = NULL;
	fd = inbox->fd;
	inbox->fd = -1;
	wardi_mutex_unlock(&inbox->mu);
	while (rest != NULL) {
		struct ward_msg *next = atomic_load_explicit(&rest->next, memory_order_relaxed);

		wardi_dead_letter(inbox->system, NULL, inbox->ref, rest, WARD_REASON_DEAD);
		wardi_msg_free(wardi_outside_source(inbox->system), rest);
		rest = next;
	}
	release_current(inbox);
	if (fd >= 0)
		close(fd);
	leave(inbox);
}

void wardi_inboxes_finish(ward_system *system)
{
	while (!wardi_list_empty(&system->inboxes))
		destroy(wardi_container_of(system->inboxes.next, struct ward_inbox, link));
}

void ward_inbox_destroy(ward_inbox *inbox)
{
	WARDI_UNCANCELLED;

	if (inbox == NULL || wardi_outside_check(inbox->system) != WARD_OK)
		return;
	ward_system_stop(inbox->system, inbox->ref);
	destroy(inbox);
}

ward_ref ward_inbox_ref(const ward_inbox *inbox)
{
	return inbox == NULL ? ward_nobody() : inbox->ref;
}

/* ---- receiving --------------------------------------------------------------------------- */

static ward_err check(const ward_inbox *inbox)
{
	if (inbox == NULL)
		return wardi_error(WARD_EINVAL, "the inbox is NULL");
	return wardi_outside_may_wait(inbox->system);
}

static bool begin_receiving(ward_inbox *inbox)
{
	bool free;

	wardi_mutex_lock(&inbox->mu);
	free = !inbox->receiving;
	inbox->receiving = true;
	wardi_mutex_unlock(&inbox->mu);
	return free;
}

/* The next message, or NULL: borrowed from now on. *ret_closed is of the same
 * moment: what came before the end is received before it. Where receiving ends, another thread may
 * have begun to receive when this returns. */
static const ward_msg *take(ward_inbox *inbox, bool ends, bool *ret_closed)
{
	struct ward_msg *msg;

	wardi_mutex_lock(&inbox->mu);
	msg = inbox->current = pop(inbox);
	*ret_closed = inbox->closed;
	if (ends || msg != NULL)
		inbox->receiving = false;
	wardi_mutex_unlock(&inbox->mu);
	return msg;
}

/* Until there is a message, or none can come. */
static void wait(ward_inbox *inbox, int64_t timeout_ms)
{
	struct wardi_waiter waiter = {.who = inbox->ref, .what = "a message"};

	wardi_waiter_begin(inbox->system, &waiter, WARD_OK);
	wardi_mutex_lock(&inbox->mu);
	if (inbox->first == NULL && !inbox->closed)
		inbox->waiter = waiter.id;
	else
		timeout_ms = 0;
	wardi_mutex_unlock(&inbox->mu);
	(void)wardi_waiter_finish(inbox->system, &waiter, timeout_ms);
	wardi_mutex_lock(&inbox->mu);
	inbox->waiter = 0;
	wardi_mutex_unlock(&inbox->mu);
}

static ward_err nothing_came(bool closed, int64_t timeout_ms)
{
	if (closed)
		return wardi_error(WARD_ESTOPPING, "ward_inbox_receive: the system goes down, or "
						   "the actor behind the inbox was stopped");
	return wardi_error(WARD_ETIMEDOUT, "ward_inbox_receive: nothing came within %lld ms%s",
			   (long long)timeout_ms, wardi_waiter_advice(timeout_ms));
}

ward_err ward_inbox_receive(ward_inbox *inbox, int64_t timeout_ms, const ward_msg **ret_msg)
{
	WARDI_UNCANCELLED;
	ward_err err = check(inbox);
	const ward_msg *msg;
	bool closed;

	if (err != WARD_OK)
		return err;
	if (ret_msg == NULL)
		return wardi_error(WARD_EINVAL, "ward_inbox_receive: no room for a message");
	if (!begin_receiving(inbox))
		return wardi_error(WARD_ETHREAD, "ward_inbox_receive: another thread receives: "
						 "give each an inbox of its own");
	release_current(inbox);
	msg = take(inbox, false, &closed);
	if (msg == NULL) {
		wait(inbox, timeout_ms);
		msg = take(inbox, true, &closed);
	}
	if (msg == NULL)
		return nothing_came(closed, timeout_ms);
	*ret_msg = msg;
	return WARD_OK;
}

ward_err ward_inbox_fd(ward_inbox *inbox, int *ret_fd)
{
	WARDI_UNCANCELLED;
	ward_err err = check(inbox);

	if (err != WARD_OK)
		return err;
	if (ret_fd == NULL)
		return wardi_error(WARD_EINVAL, "ward_inbox_fd: no room for the descriptor");
	wardi_mutex_lock(&inbox->mu);
	if (inbox->fd < 0) {
		inbox->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		inbox->fd_set = false;
		show(inbox);
	}
	if (inbox->fd < 0)
		err = wardi_error(WARD_ESYS, "ward_inbox_fd: eventfd: %s", wardi_os_text(errno));
	else
		*ret_fd = inbox->fd;
	wardi_mutex_unlock(&inbox->mu);
	return err;
}

/* ---- acting as the actor ----------------------------------------------------------------- */

void ward_inbox_send(ward_inbox *inbox, ward_ref to, const ward_type *type, const void *body,
		     size_t size)
{
	if (inbox == NULL)
		wardi_body_drop(type, body, size);
	else
		wardi_outside_send(inbox->system, inbox->ref, to, type, body, size);
}

static ward_err give_order(ward_inbox *inbox, const char *call, ward_ref who, bool watch)
{
	struct wardi_inbox_order order = {who, watch};
	struct wardi_inbox_done done = {WARD_OK};
	ward_err err = ward_system_ask_send(inbox->system, inbox->ref, WARD_FOREVER,
					    &ward_type_wardi_inbox_done, &done,
					    &wardi_type_inbox_order, &order, sizeof order);

	if (err == WARD_EDEAD && ward_system_is_alive(inbox->system, inbox->ref))
		return wardi_no_memory(inbox->system, "%s: no memory for the answer", call);
	if (err == WARD_EDEAD)
		return wardi_error(WARD_ESTOPPING, "%s: the actor behind the inbox is gone", call);
	if (err == WARD_OK && done.err != WARD_OK)
		return wardi_error(done.err, "%s: %s", call, ward_err_text(done.err));
	return err;
}

ward_err ward_inbox_watch(ward_inbox *inbox, ward_ref who)
{
	ward_err err = check(inbox);

	return err == WARD_OK ? give_order(inbox, "ward_inbox_watch", who, true) : err;
}

/* Under mu: the notice about `who` out of the queue; NULL: there is none. */
static struct ward_msg *remove_notice(ward_inbox *inbox, ward_ref who)
{
	struct ward_msg *before = NULL;
	struct ward_msg *msg = inbox->first;
	struct ward_msg *next;

	while (msg != NULL &&
	       (counts(msg) ||
		!ward_ref_equal(((const struct ward_terminated *)wardi_msg_bytes(msg))->who,
				who))) {
		before = msg;
		msg = atomic_load_explicit(&msg->next, memory_order_relaxed);
	}
	if (msg == NULL)
		return NULL;
	next = atomic_load_explicit(&msg->next, memory_order_relaxed);
	if (before == NULL)
		inbox->first = next;
	else
		atomic_store_explicit(&before->next, next, memory_order_relaxed);
	if (inbox->last == msg)
		inbox->last = before;
	show(inbox);
	return msg;
}

ward_err ward_inbox_unwatch(ward_inbox *inbox, ward_ref who)
{
	WARDI_UNCANCELLED;
	struct ward_msg *notice;
	ward_err err = check(inbox);

	if (err == WARD_OK)
		err = give_order(inbox, "ward_inbox_unwatch", who, false);
	if (err != WARD_OK)
		return err;
	wardi_mutex_lock(&inbox->mu);
	notice = remove_notice(inbox, who);
	wardi_mutex_unlock(&inbox->mu);
	if (notice != NULL)
		wardi_msg_destroy(wardi_outside_source(inbox->system), notice);
	return WARD_OK;
}
