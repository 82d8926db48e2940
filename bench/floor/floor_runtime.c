/* SPDX-License-Identifier: MIT
 *
 * floor_runtime.c - the floor's memory, and the loops that run its actors.
 *
 * One thread. The orders at the atomics are those that a second one would need.
 */
#include "floor.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK = 64 << 20 };

_Thread_local struct floor_pool floor_pool;
struct floor_queue floor_queue = {.last = &floor_queue.first};
int64_t floor_ended;

static struct {
	struct actor *free;
	char *fresh, *fresh_end;
} actors;

/* The actor that runs with a save point, and what floor_fail() takes there. */
static _Thread_local struct {
	jmp_buf point;
	struct actor *supervisor;
	uint64_t type;
	int handled; /* in this turn: a failure does not begin another one */
} saved;

/* Never given back: the process ends. */
static char *chunk(void)
{
	void *memory =
		mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		perror("floor: mmap");
		exit(1);
	}
	return memory;
}

struct message *floor_more_messages(void)
{
	struct floor_pool *pool = &floor_pool;
	struct message *msg;

	if ((size_t)(pool->fresh_end - pool->fresh) < sizeof(*msg)) {
		pool->fresh = chunk();
		pool->fresh_end = pool->fresh + CHUNK;
	}
	msg = (struct message *)(void *)pool->fresh;
	pool->fresh += sizeof(*msg);
	return msg;
}

struct actor *floor_spawn(floor_receive *receive)
{
	struct actor *actor = actors.free;
	struct message *stub = floor_message();

	if (actor != NULL) {
		actors.free = actor->next;
	} else {
		if ((size_t)(actors.fresh_end - actors.fresh) < sizeof(*actor)) {
			actors.fresh = chunk();
			actors.fresh_end = actors.fresh + CHUNK;
		}
		actor = (struct actor *)(void *)actors.fresh;
		actors.fresh += sizeof(*actor);
	}
	memset(actor, 0, sizeof(*actor));
	actor->receive = receive;
	actor->tail = stub;
	/* Sequentially consistent, that is one locked operation more: what it takes at the least to
	 * make an actor known to others than those who are sent its address. */
	atomic_store(&stub->next, NULL);
	atomic_store_explicit(&actor->head, (struct message *)((uintptr_t)stub | 1),
			      memory_order_relaxed);
	return actor;
}

static void end(struct actor *actor)
{
	floor_message_free(actor->tail);
	actor->next = actors.free;
	actors.free = actor;
	floor_ended++;
}

/* Releases the actor, unless somebody has just sent it something. */
static inline bool idle(struct actor *actor)
{
	struct message *last = actor->tail;

	/* Release: what this turn has done to the actor; acquire: the message that was sent. */
	return atomic_compare_exchange_strong_explicit(&actor->head, &last,
						       (struct message *)((uintptr_t)last | 1),
						       memory_order_acq_rel, memory_order_acquire);
}

/* The next message, or NULL. The stub before it is free then. */
static inline struct message *take(struct actor *actor)
{
	struct message *stub = actor->tail;
	struct message *msg = atomic_load_explicit(&stub->next, memory_order_acquire);

	if (msg != NULL) {
		actor->tail = msg;
		floor_message_free(stub);
	}
	return msg;
}

static inline void turn(struct actor *actor, int *handled)
{
	for (;; ++*handled) {
		struct message *msg;

		if (*handled == BATCH) {
			floor_ready(actor);
			return;
		}
		while ((msg = take(actor)) == NULL)
			if (idle(actor))
				return;
		actor->receive(actor, msg);
		if (actor->ended) {
			end(actor);
			return;
		}
	}
}

/* Apart from the loop, which so keeps its registers over a jump. */
static __attribute__((noinline)) void turn_saved(struct actor *actor)
{
	saved.handled = 0;
	if (_setjmp(saved.point) != 0)
		floor_send(saved.supervisor, saved.type, actor, 0);
	turn(actor, &saved.handled);
}

static inline struct actor *next_ready(void)
{
	struct actor *actor = floor_queue.first;

	if (actor == NULL || floor_queue.stopped)
		return NULL;
	floor_queue.first = actor->next;
	if (floor_queue.first == NULL)
		floor_queue.last = &floor_queue.first;
	return actor;
}

void floor_run(void)
{
	struct actor *actor;

	while ((actor = next_ready()) != NULL) {
		int handled = 0;
		turn(actor, &handled);
	}
}

void floor_run_saved(void)
{
	struct actor *actor;

	while ((actor = next_ready()) != NULL)
		turn_saved(actor);
}

_Noreturn void floor_fail(struct actor *supervisor, uint64_t type)
{
	saved.supervisor = supervisor;
	saved.type = type;
	longjmp(saved.point, 1);
}
