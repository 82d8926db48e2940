/* SPDX-License-Identifier: MIT
 *
 * foreign_send.c - sends into a simulation from other threads than its own: dead letters, at once.
 *
 * The sending thread counts, and drops the body. The event waits in a ring for the simulation's own
 * thread, on which log sinks and subscribers run; when the ring is full it is only counted.
 *
 * Threads   first, count, ring: under mu
 *           waiting: written under mu, read by any thread: a hint
 */
#include "simulate/foreign_send.h"

#include <string.h>

#include <ward/event.h>
#include <ward/message.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cell/points.h"
#include "cell/system.h"
#include "mail/message.h"
#include "send/dead_letter.h"

enum { ROOM = 32 };

struct foreign_send {
	ward_ref to;
	const ward_type *type; /* constant, or NULL */
	size_t size;
	bool has_bytes; /* a flat type, and a size that fits it */
	unsigned char bytes[WARD_EVENT_BYTES];
};

struct wardi_foreign_sends {
	struct wardi_mutex mu;
	/* under mu */
	uint32_t first, count;
	struct foreign_send ring[ROOM];
	/* atomic */
	_Atomic uint32_t waiting; /* == count, for a look without the lock */
};

ward_err wardi_foreign_sends_create(ward_system *system,
				    struct wardi_foreign_sends **ret_trespasses)
{
	struct wardi_foreign_sends *foreign_sends =
		wardi_alloc_zeroed(&system->alloc, sizeof *foreign_sends);

	if (foreign_sends == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a simulation");
	wardi_mutex_init(&foreign_sends->mu, WARDI_LOCK_FOREIGN_SENDS);
	*ret_trespasses = foreign_sends;
	return WARD_OK;
}

void wardi_foreign_sends_destroy(ward_system *system, struct wardi_foreign_sends *foreign_sends)
{
	if (foreign_sends == NULL)
		return;
	wardi_mutex_destroy(&foreign_sends->mu);
	wardi_free(&system->alloc, foreign_sends, sizeof *foreign_sends);
}

/* Under mu. */
static void set_count(struct wardi_foreign_sends *foreign_sends, uint32_t count)
{
	foreign_sends->count = count;
	/* Relaxed: a thread that misses it looks again at its next step. */
	atomic_store_explicit(&foreign_sends->waiting, count, memory_order_relaxed);
}

static void note(struct foreign_send *it, ward_ref to, const ward_type *type, const void *body,
		 size_t size)
{
	*it = (struct foreign_send){.to = to, .type = type, .size = size};
	it->has_bytes = body != NULL && wardi_type_check(type, body, size) == WARD_OK &&
			(type->flags & WARD_TYPE_FLAT) != 0;
	if (it->has_bytes)
		memcpy(it->bytes, body, size < sizeof it->bytes ? size : sizeof it->bytes);
}

void wardi_foreign_send(ward_system *system, ward_ref to, const ward_type *type, const void *body,
			size_t size)
{
	struct wardi_foreign_sends *foreign_sends = system->seam->foreign_sends;

	wardi_count(&system->counters.dead_letters);
	wardi_mutex_lock(&foreign_sends->mu);
	if (foreign_sends->count < ROOM) {
		uint32_t place = (foreign_sends->first + foreign_sends->count) % ROOM;

		note(&foreign_sends->ring[place], to, type, body, size);
		set_count(foreign_sends, foreign_sends->count + 1);
	}
	wardi_mutex_unlock(&foreign_sends->mu);
	wardi_body_drop(type, body, size);
}

/* False: none waits. */
static bool take(struct wardi_foreign_sends *foreign_sends, struct foreign_send *ret_it)
{
	bool found;

	wardi_mutex_lock(&foreign_sends->mu);
	found = foreign_sends->count > 0;
	if (found) {
		*ret_it = foreign_sends->ring[foreign_sends->first];
		foreign_sends->first = (foreign_sends->first + 1) % ROOM;
		set_count(foreign_sends, foreign_sends->count - 1);
	}
	wardi_mutex_unlock(&foreign_sends->mu);
	return found;
}

void wardi_foreign_sends_publish(ward_system *system)
{
	struct wardi_foreign_sends *foreign_sends = system->seam->foreign_sends;
	struct foreign_send it;

	/* Relaxed: see set_count(). */
	if (atomic_load_explicit(&foreign_sends->waiting, memory_order_relaxed) == 0)
		return;
	while (take(foreign_sends, &it))
		wardi_dead_publish(system, it.to, it.type, it.has_bytes ? it.bytes : NULL, it.size,
				   WARD_REASON_THREAD);
}
