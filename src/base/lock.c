/* SPDX-License-Identifier: MIT
 *
 * lock.c - the locks that a thread holds, and a check of their order; in debug builds only.
 *
 * Each thread has a list of its own, so the check needs no lock; and an order that can deadlock is
 * found by the first thread that breaks it, not only when two threads meet. A child of a fork has
 * the list of the thread that forked.
 *
 * Threads: each has a list of its own.
 */
#include "base/lock.h"

#if WARDI_LOCKS_CHECKED

#include <stddef.h>

#include "base/assert.h"

enum { HELD_MAX = 8 /* one for each rank, and one spare */ };

struct held {
	const void *lock;
	const char *place;
	enum wardi_lock which;
};

static _Thread_local struct held held[HELD_MAX];
static _Thread_local unsigned int count;

static const struct {
	int rank;
	const char *name;
} locks[] = {
#define ROW(which, rank, name) {rank, name},
	WARDI_LOCKS(ROW)
#undef ROW
};

/* NULL: this thread does not hold the lock. */
static struct held *find(const void *lock)
{
	for (unsigned int i = 0; i < count; i++)
		if (held[i].lock == lock)
			return &held[i];
	return NULL;
}

/* Checks whether the lock may be taken, or taken again, with the others that are held. */
static void check(const void *lock, enum wardi_lock which, const char *place, const char *what)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct held *other = &held[i];

		if (locks[other->which].rank >= locks[which].rank && other->lock != lock)
			wardi_fatal("ward: the order of locks is broken: %s (rank %d) is %s at %s, "
				    "under %s (rank %d), which was taken at %s",
				    locks[which].name, locks[which].rank, what, place,
				    locks[other->which].name, locks[other->which].rank,
				    other->place);
	}
}

void wardi_lock_take(const void *lock, enum wardi_lock which, const char *place)
{
	const struct held *twice = find(lock);

	if (twice != NULL)
		wardi_fatal("ward: %s is taken at %s by the thread that holds it since %s",
			    locks[which].name, place, twice->place);
	check(lock, which, place, "taken");
	wardi_assert(count < HELD_MAX);
	held[count++] = (struct held){lock, place, which};
}

void wardi_lock_drop(const void *lock, const char *place)
{
	struct held *mine = find(lock);

	if (mine == NULL)
		wardi_fatal("ward: a lock is dropped at %s by a thread that does not hold it",
			    place);
	/* Locks may be dropped in any order: later entries move down. */
	for (count--; mine < &held[count]; mine++)
		*mine = mine[1];
}

void wardi_lock_wait(const void *lock, const char *place)
{
	struct held *mine = find(lock);

	if (mine == NULL)
		wardi_fatal("ward: a wait at %s has no lock to release", place);
	check(lock, mine->which, place, "taken again after a wait");
	mine->place = place;
}

void wardi_lock_none(const char *place)
{
	if (count != 0)
		wardi_fatal("ward: %s, which was taken at %s, is held at %s, where no lock may be",
			    locks[held[0].which].name, held[0].place, place);
}

#endif
