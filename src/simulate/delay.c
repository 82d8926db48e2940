/* SPDX-License-Identifier: MIT
 *
 * delay.c - messages that a simulation makes late, and those that must not overtake them.
 *
 *	sender, receiver -> [until 5 ms: m1 m2 m3] -> [until 9 ms: m4] <- the next message goes here
 *
 * A late message opens a bundle; later messages of the same sender to the same receiver go behind
 * it, so that their order holds. A bundle is never due before the one in
 * front of it. At the end of a sender's life its bundles are delivered at once, before its
 * watchers are notified (S60).
 *
 * Threads: the simulation's own.
 */
#include "simulate/delay.h"

#include "cell/points.h"
#include "sched/sim.h"
#include "send/dead_letter.h"
#include "send/deliver.h"

struct delay {
	struct wardi_put_off off;
	struct wardi_list link;        /* in seam->delays */
	struct wardi_hash_link newest; /* in seam->newest, if is_newest */
	bool is_newest;
	ward_system *system;
	uint64_t sender;
	ward_ref to;
	struct ward_msg *first, *last;
};

struct pair {
	uint64_t sender, to;
};

static bool is_pair(const struct wardi_hash_link *link, const void *key)
{
	const struct delay *delay = wardi_container_of(link, struct delay, newest);
	const struct pair *pair = key;

	return delay->sender == pair->sender && delay->to.uid == pair->to;
}

static uint64_t hash_of(const ward_system *system, struct pair pair)
{
	return wardi_hash_u64(wardi_hash_u64(system->seed, pair.sender), pair.to);
}

/* The last bundle between the two, or NULL. */
static struct delay *find(const ward_system *system, uint64_t sender, ward_ref to)
{
	struct pair pair = {sender, to.uid};
	struct wardi_hash_link *link;

	if (wardi_list_empty(&system->seam->delays))
		return NULL;
	link = wardi_hash_find(&system->seam->newest, hash_of(system, pair), is_pair, &pair);
	return link == NULL ? NULL : wardi_container_of(link, struct delay, newest);
}

static void append(struct delay *delay, struct ward_msg *msg)
{
	/* Relaxed: the message is in no lane yet. */
	atomic_store_explicit(&msg->next, NULL, memory_order_relaxed);
	if (delay->first == NULL)
		delay->first = msg;
	else
		atomic_store_explicit(&delay->last->next, msg, memory_order_relaxed);
	delay->last = msg;
}

static void leave_newest(struct delay *delay)
{
	if (delay->is_newest)
		wardi_hash_remove(&delay->system->seam->newest, &delay->newest);
	delay->is_newest = false;
}

/* ---- delivering -------------------------------------------------------------------------- */

static void deliver(struct ward_self *self, ward_ref to, struct ward_msg *msg)
{
	ward_reason reason;

	if (wardi_deliver(self->system, self, to, msg, &reason) == WARD_OK)
		return;
	wardi_dead_letter(self->system, self, to, msg, reason);
	wardi_msg_free(self->from, msg);
}

/* Delivers what was delayed. */
static void release(struct ward_self *self, struct delay *delay)
{
	struct ward_msg *msg = delay->first;

	leave_newest(delay);
	wardi_list_remove(&delay->link);
	while (msg != NULL) {
		struct ward_msg *next = atomic_load_explicit(&msg->next, memory_order_relaxed);

		deliver(self, delay->to, msg);
		msg = next;
	}
	wardi_free(&self->system->alloc, delay, sizeof *delay);
}

static void delay_over(struct wardi_worker *worker, struct wardi_put_off *off)
{
	release(worker->context, wardi_container_of(off, struct delay, off));
}

static void release_some(struct ward_self *self, bool all, uint64_t sender)
{
	struct wardi_list *delays = &self->system->seam->delays;
	struct wardi_list *next;

	for (struct wardi_list *at = delays->next; at != delays; at = next) {
		struct delay *delay = wardi_container_of(at, struct delay, link);

		next = at->next;
		if (!all && delay->sender != sender)
			continue;
		wardi_sched_take_back(&delay->off);
		release(self, delay);
	}
}

void wardi_delays_of(struct ward_self *self, uint64_t sender)
{
	release_some(self, false, sender);
}

void wardi_delays_all(struct ward_self *self)
{
	release_some(self, true, 0);
}

/* ---- keeping aside ----------------------------------------------------------------------- */

bool wardi_delay(ward_system *system, uint64_t sender, ward_ref to, struct ward_msg *msg,
		 int64_t until_ns)
{
	struct delay *before = find(system, sender, to);
	struct delay *delay = wardi_alloc_zeroed(&system->alloc, sizeof *delay);
	struct pair pair = {sender, to.uid};

	if (delay == NULL ||
	    !wardi_hash_insert(&system->seam->newest, &delay->newest, hash_of(system, pair))) {
		wardi_count(&system->counters.shortages);
		wardi_free(&system->alloc, delay, sizeof *delay);
		return false;
	}
	delay->is_newest = true;
	delay->system = system;
	delay->sender = sender;
	delay->to = to;
	if (before != NULL) {
		leave_newest(before);
		if (before->off.at_ns > until_ns)
			until_ns = before->off.at_ns;
	}
	append(delay, msg);
	wardi_list_append(&system->seam->delays, &delay->link);
	wardi_sched_put_off(system->sched, &delay->off, until_ns, delay_over);
	return true;
}

bool wardi_delay_behind(ward_system *system, uint64_t sender, ward_ref to, struct ward_msg *msg)
{
	struct delay *delay = find(system, sender, to);

	if (delay != NULL)
		append(delay, msg);
	return delay != NULL;
}
