/* SPDX-License-Identifier: MIT
 *
 * fd.c - descriptors that an actor watches: one-shot readiness as a message.
 *
 * Each watch has a number. The poller knows the descriptor under that number, and the message
 * carries it in place of a sender; it is delivered only if the actor's list still has that number.
 * The message is allocated when the watch is made, so that readiness is never lost.
 *
 * Threads: the list belongs to the holder; the table number -> watch, and `ready` in a
 * watch, are under fds_mu.
 */
#include "actor/fd.h"

#include "actor/rare.h"
#include "base/error.h"
#include "sched/poller.h"
#include "send/deliver.h"
#include "send/event.h"

struct fd_watch {
	struct wardi_list link;       /* in the actor's list; holder only */
	struct wardi_hash_link found; /* in system->fds; under fds_mu */
	uint64_t id;
	ward_ref owner;
	int fd;
	struct ward_msg *ready; /* under fds_mu; NULL: sent */
};

static bool has_id(const struct wardi_hash_link *link, const void *key)
{
	return wardi_container_of(link, struct fd_watch, found)->id == *(const uint64_t *)key;
}

void wardi_fd_ready(struct wardi_worker *worker, uint64_t key, uint32_t events)
{
	struct ward_self *self = worker->context;
	ward_system *system = self->system;
	struct ward_msg *msg = NULL;
	struct wardi_hash_link *link;
	ward_reason reason;

	wardi_mutex_lock(&system->fds_mu);
	link = wardi_hash_find(&system->fds, wardi_hash_u64(system->seed, key), has_id, &key);
	if (link != NULL) {
		struct fd_watch *watch = wardi_container_of(link, struct fd_watch, found);

		msg = watch->ready;
		watch->ready = NULL;
		if (msg != NULL) {
			((struct ward_fd_ready *)wardi_msg_bytes(msg))->events = events;
			/* Under the lock: so unwatch knows whether it is in the mailbox. */
			if (wardi_deliver(system, self, watch->owner, msg, &reason) == WARD_OK)
				msg = NULL;
		}
	}
	wardi_mutex_unlock(&system->fds_mu);
	if (msg != NULL)
		wardi_msg_free(self->from, msg);
}

void wardi_fd_stale(struct wardi_worker *worker, uint64_t owner, int fd)
{
	struct ward_self *self = worker->context;
	ward_ref who = {owner, self->system->place, 0};

	wardi_event_note(self->system, self, WARD_LEVEL_WARNING, who,
			 "descriptor %d was closed before ward_fd_unwatch(), and is open under "
			 "another number, here or in another process: it is ready, for nobody",
			 fd);
}

static struct fd_watch *find(const struct wardi_cell *cell, int fd, uint64_t id)
{
	if (cell->rare->fds == NULL)
		return NULL;
	for (struct wardi_list *at = cell->rare->fds->next; at != cell->rare->fds; at = at->next) {
		struct fd_watch *watch = wardi_container_of(at, struct fd_watch, link);

		if (id != 0 ? watch->id == id : watch->fd == fd)
			return watch;
	}
	return NULL;
}

/* Takes the watch out of list and table and frees it. */
static void end(struct ward_self *self, struct fd_watch *watch)
{
	ward_system *system = self->system;

	wardi_list_remove(&watch->link);
	wardi_mutex_lock(&system->fds_mu);
	wardi_hash_remove(&system->fds, &watch->found);
	wardi_mutex_unlock(&system->fds_mu);
	if (watch->ready != NULL)
		wardi_msg_free(self->from, watch->ready);
	wardi_free(&system->alloc, watch, sizeof *watch);
	atomic_fetch_sub_explicit(&system->counters.fds, 1, memory_order_relaxed);
}

bool wardi_fd_due(struct ward_self *self, struct ward_msg *msg)
{
	struct fd_watch *watch;

	/* A forged message has a sender, or comes from a thread outside and has no number. */
	if (msg->sender_place != 0 || msg->sender_uid == 0)
		return false;
	watch = find(self->cell, -1, msg->sender_uid);
	if (watch == NULL)
		return false;
	end(self, watch); /* the poller forgot it when it reported */
	msg->sender_uid = 0;
	return true;
}

void wardi_fds_unwatch_all(struct ward_self *self, struct wardi_cell *cell)
{
	if (cell->rare->fds == NULL)
		return;
	while (!wardi_list_empty(cell->rare->fds)) {
		struct fd_watch *watch =
			wardi_container_of(cell->rare->fds->next, struct fd_watch, link);

		wardi_poller_unwatch(self->system->sched, watch->fd, watch->id, watch->owner.uid);
		end(self, watch);
	}
	wardi_free(&self->system->alloc, cell->rare->fds, sizeof *cell->rare->fds);
	cell->rare->fds = NULL;
}

static struct fd_watch *make(struct ward_self *self, int fd)
{
	ward_system *system = self->system;
	struct ward_fd_ready body = {fd, 0};
	struct fd_watch *watch;

	if (self->cell->rare->fds == NULL) {
		struct wardi_rare *rare = wardi_rare_of(self);

		if (rare != NULL)
			rare->fds = wardi_alloc(&system->alloc, sizeof *rare->fds);
		if (self->cell->rare->fds == NULL)
			return NULL;
		wardi_list_init(self->cell->rare->fds);
	}
	watch = wardi_alloc_zeroed(&system->alloc, sizeof *watch);
	if (watch == NULL)
		return NULL;
	watch->fd = fd;
	watch->owner = wardi_own_ref(self);
	watch->ready = wardi_msg_make(self->from, &ward_type_ward_fd_ready, &body, sizeof body);
	if (watch->ready == NULL) {
		wardi_free(&system->alloc, watch, sizeof *watch);
		return NULL;
	}
	wardi_mutex_lock(&system->fds_mu);
	watch->id = ++system->fd_ids;
	watch->ready->sender_uid = watch->id;
	if (!wardi_hash_insert(&system->fds, &watch->found,
			       wardi_hash_u64(system->seed, watch->id))) {
		wardi_mutex_unlock(&system->fds_mu);
		wardi_msg_free(self->from, watch->ready);
		wardi_free(&system->alloc, watch, sizeof *watch);
		return NULL;
	}
	wardi_mutex_unlock(&system->fds_mu);
	wardi_list_append(self->cell->rare->fds, &watch->link);
	wardi_count(&system->counters.fds);
	return watch;
}

ward_err ward_try_fd_watch(ward_self *self, int fd, uint32_t events)
{
	struct fd_watch *watch;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (fd < 0 || events == 0 || (events & ~(uint32_t)(WARD_FD_READ | WARD_FD_WRITE)) != 0)
		return wardi_error(WARD_EINVAL,
				   "ward_fd_watch: descriptor %d, events 0x%x: a descriptor and "
				   "WARD_FD_READ or WARD_FD_WRITE are needed",
				   fd, events);
	ward_fd_unwatch(self, fd);
	watch = make(self, fd);
	if (watch == NULL)
		return wardi_no_memory(self->system, "no memory to watch descriptor %d", fd);
	err = wardi_poller_watch(self->system->sched, fd, events, watch->id);
	if (err == WARD_ENOMEM)
		wardi_count(&self->system->counters.shortages);
	if (err != WARD_OK)
		end(self, watch);
	return err;
}

void ward_fd_unwatch(ward_self *self, int fd)
{
	struct fd_watch *watch = wardi_self_usable(self) ? find(self->cell, fd, 0) : NULL;

	if (watch == NULL)
		return;
	wardi_poller_unwatch(self->system->sched, fd, watch->id, watch->owner.uid);
	end(self, watch);
}
