/* SPDX-License-Identifier: MIT
 *
 * fd.c - descriptors that an actor watches: one-shot readiness as a message.
 *
 * The scheduler's table (sched/watches.c) has a place for each descriptor, with its owner, an id
 * and a token, which is the incarnation. The message is made when the descriptor is ready, since
 * most wait most of the time; without memory for it the watch goes on, and a later look finds the
 * descriptor again: so readiness is never lost. The message carries the id and the incarnation in
 * place of a sender; it is delivered only if the table knows the id as one of this owner.
 *
 * Threads: a watch is made, ended and handled by its holder. Its notice comes from any worker.
 */
#include "actor/fd.h"

#include "actor/defer.h"
#include "actor/rare.h"
#include "base/error.h"
#include "sched/poller.h"
#include "send/deliver.h"
#include "send/event.h"

#define EVENTS ((uint32_t)(WARD_FD_READ | WARD_FD_WRITE | WARD_FD_HANGUP))

bool wardi_fd_ready(struct wardi_worker *worker, const struct wardi_notice *notice)
{
	struct ward_self *self = worker->context;
	ward_system *system = self->system;
	ward_ref owner = wardi_ref_make(notice->owner, system->place);
	struct ward_fd_ready body = {notice->fd, notice->events};
	struct ward_msg *msg =
		wardi_msg_make(self->from, &ward_type_ward_fd_ready, &body, sizeof body);
	ward_reason reason;

	if (msg == NULL) {
		wardi_count(&system->counters.shortages);
		return false;
	}
	msg->sender_uid = (uint64_t)(uintptr_t)notice->token << 32 | notice->id;
	if (wardi_deliver(system, self, owner, msg, &reason) != WARD_OK)
		wardi_msg_free(self->from, msg);
	return true;
}

void wardi_fd_stale(struct wardi_worker *worker, uint64_t owner, int fd)
{
	struct ward_self *self = worker->context;
	ward_ref who = wardi_ref_make(owner, self->system->place);

	wardi_event_note(self->system, self, WARD_LEVEL_WARNING, who,
			 "descriptor %d was closed before ward_fd_unwatch(), and is open under "
			 "another number, here or in another process: it is ready, for nobody",
			 fd);
}

/* Relaxed: the holder's own. */
static uint64_t incarnation(const struct ward_self *self)
{
	return atomic_load_explicit(&self->cell->incarnation, memory_order_relaxed);
}

bool wardi_fd_due(struct ward_self *self, struct ward_msg *msg)
{
	const struct ward_fd_ready *ready = wardi_msg_bytes(msg);

	/* A forged message has a sender, or comes from a thread outside and has no numbers. */
	if (wardi_msg_sender_place(msg) != 0 || msg->sender_uid >> 32 != incarnation(self))
		return false;
	if (!wardi_poller_handled(self->system->sched, ready->fd, (uint32_t)msg->sender_uid,
				  self->cell->uid))
		return false;
	msg->sender_uid = 0;
	return true;
}

uint32_t wardi_fds_watched(const struct ward_system *system)
{
	return wardi_poller_watched(system->sched);
}

void wardi_fds_unwatch_all(struct ward_self *self, struct wardi_cell *cell)
{
	void *token;

	while (wardi_poller_unwatch_any(self->system->sched, &cell->rare->fds, &token))
		;
}

static ward_err no_memory(struct ward_self *self, int fd)
{
	ward_fd_unwatch(self, fd);
	return wardi_no_memory(self->system, "no memory to watch descriptor %d", fd);
}

ward_err ward_try_fd_watch(ward_self *self, int fd, uint32_t events)
{
	struct wardi_watch_request request = {.fd = fd};
	struct wardi_rare *rare;
	void *replaced;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (fd < 0 || (events & EVENTS) == 0 || (events & ~(EVENTS | WARD_FD_KEPT)) != 0)
		return wardi_error(WARD_EINVAL,
				   "ward_fd_watch: descriptor %d, events 0x%x: a descriptor and "
				   "WARD_FD_READ, WARD_FD_WRITE or WARD_FD_HANGUP are needed",
				   fd, events);
	/* Each watch ends with a hang-up. */
	request.events = events & (WARD_FD_READ | WARD_FD_WRITE);
	request.promised = (events & WARD_FD_KEPT) != 0;
	request.owner = self->cell->uid;
	rare = wardi_rare_of(self);
	if (rare == NULL)
		return no_memory(self, fd);
	request.list = &rare->fds;
	request.token = (void *)(uintptr_t)incarnation(self);
	if (wardi_poller_rearm(self->system->sched, &request))
		return WARD_OK;
	request.standing = request.promised || wardi_fd_is_adopted(self, fd);
	err = wardi_poller_watch(self->system->sched, &request, &replaced);
	if (err == WARD_ENOMEM)
		wardi_count(&self->system->counters.shortages);
	return err;
}

void ward_fd_unwatch(ward_self *self, int fd)
{
	/* Also without a watch: its notice may wait of a place that is another owner's now. */
	if (wardi_self_usable(self) && self->cell->rare != WARDI_NO_RARE)
		(void)wardi_poller_unwatch(self->system->sched, fd, self->cell->uid);
}
