/* SPDX-License-Identifier: MIT
 *
 * foreign_send.c - tells into a simulation by another thread than its own: dead letters, at once.
 *
 * The count and the drop of the body happen on the thread that tells. The event waits in a ring for
 * the simulation's own thread, since log sinks and subscribers are that one's; what finds the ring
 * full is counted only.
 *
 * Who touches what        first, count, ring: under mu
 *                         waiting: written under mu, read by anybody: a hint
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

struct trespass {
	ward_ref to;
	const ward_type *type; /* constant, or NULL */
	size_t size;
	bool has_bytes; /* a flat type, and a size that fits it */
	unsigned char bytes[WARD_EVENT_BYTES];
};

struct wardi_trespasses {
	struct wardi_mutex mu;
	/* under mu */
	uint32_t first, count;
	struct trespass ring[ROOM];
	/* atomic */
	_Atomic uint32_t waiting; /* == count, for who looks without the lock */
};

ward_err wardi_trespasses_create(ward_system *system, struct wardi_trespasses **ret_trespasses)
{
	struct wardi_trespasses *trespasses =
		wardi_alloc_zeroed(&system->alloc, sizeof *trespasses);

	if (trespasses == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a simulation");
	wardi_mutex_init(&trespasses->mu, WARDI_LOCK_TRESPASSES);
	*ret_trespasses = trespasses;
	return WARD_OK;
}

void wardi_trespasses_destroy(ward_system *system, struct wardi_trespasses *trespasses)
{
	if (trespasses == NULL)
		return;
	wardi_mutex_destroy(&trespasses->mu);
	wardi_free(&system->alloc, trespasses, sizeof *trespasses);
}

/* Under mu. */
static void set_count(struct wardi_trespasses *trespasses, uint32_t count)
{
	trespasses->count = count;
	/* Relaxed: who misses it looks again at its next step. */
	atomic_store_explicit(&trespasses->waiting, count, memory_order_relaxed);
}

static void note(struct trespass *it, ward_ref to, const ward_type *type, const void *body,
		 size_t size)
{
	*it = (struct trespass){.to = to, .type = type, .size = size};
	it->has_bytes = body != NULL && wardi_type_check(type, body, size) == WARD_OK &&
			(type->flags & WARD_TYPE_FLAT) != 0;
	if (it->has_bytes)
		memcpy(it->bytes, body, size < sizeof it->bytes ? size : sizeof it->bytes);
}

void wardi_trespass(ward_system *system, ward_ref to, const ward_type *type, const void *body,
		    size_t size)
{
	struct wardi_trespasses *trespasses = system->seam->trespasses;

	wardi_count(&system->counters.dead_letters);
	wardi_mutex_lock(&trespasses->mu);
	if (trespasses->count < ROOM) {
		uint32_t place = (trespasses->first + trespasses->count) % ROOM;

		note(&trespasses->ring[place], to, type, body, size);
		set_count(trespasses, trespasses->count + 1);
	}
	wardi_mutex_unlock(&trespasses->mu);
	wardi_body_drop(type, body, size);
}

/* False: none waits. */
static bool take(struct wardi_trespasses *trespasses, struct trespass *ret_it)
{
	bool found;

	wardi_mutex_lock(&trespasses->mu);
	found = trespasses->count > 0;
	if (found) {
		*ret_it = trespasses->ring[trespasses->first];
		trespasses->first = (trespasses->first + 1) % ROOM;
		set_count(trespasses, trespasses->count - 1);
	}
	wardi_mutex_unlock(&trespasses->mu);
	return found;
}

void wardi_trespasses_publish(ward_system *system)
{
	struct wardi_trespasses *trespasses = system->seam->trespasses;
	struct trespass it;

	/* Relaxed: see set_count(). */
	if (atomic_load_explicit(&trespasses->waiting, memory_order_relaxed) == 0)
		return;
	while (take(trespasses, &it))
		wardi_dead_publish(system, it.to, it.type, it.has_bytes ? it.bytes : NULL, it.size,
				   WARD_REASON_THREAD);
}
