/* SPDX-License-Identifier: MIT
 *
 * floor.h - the yardstick: the least that an actor with a mailbox can cost, on one thread.
 *
 * No supervision, no names, no refs, no statistics, no second thread: a mailbox, a run queue, a
 * pool of messages, and a call through a pointer. But the mailbox is one that threads could share:
 * sending costs one exchange, giving an actor up one compare-and-exchange. What a runtime needs
 * beyond that is seen in its ratio to this.
 *
 *	tail -> [stub] -> [message] -> [message] <- head	bit 0 of head: the actor is idle
 *
 * The message last received is the stub; the previous stub is free. The sender that clears bit 0 of
 * the head by appending puts the actor in the run queue.
 *
 * FLOOR_MESSAGE is the size of a message in bytes: streams are bound by the memory they go through,
 * and are held against the floor with messages as large as their own.
 */
#ifndef FLOOR_H
#define FLOOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATE_BYTES = 64, BATCH = 100 };

struct actor;

struct message {
	union {
		struct {
			_Atomic(struct message *) next;
			uint64_t type;
			struct actor *sender;
			int64_t value;
		};
		char bytes[FLOOR_MESSAGE];
	};
};

_Static_assert(sizeof(struct message) == FLOOR_MESSAGE, "a message has the size that was chosen");

typedef void floor_receive(struct actor *self, const struct message *msg);

struct actor {
	_Atomic(struct message *) head;
	struct message *tail;
	struct actor *next; /* in the run queue, or among the free ones */
	floor_receive *receive;
	bool ended; /* by itself: gone when receive returns */
	_Alignas(8) unsigned char state[STATE_BYTES];
};

/* The state of the only thread. The pool belongs to a thread, as it would with several. */
struct floor_pool {
	struct message *free;
	char *fresh, *fresh_end;
};
extern _Thread_local struct floor_pool floor_pool;

struct floor_queue {
	struct actor *first, **last;
	bool stopped;
};
extern struct floor_queue floor_queue;

/* More memory for the pool; a message of it. */
struct message *floor_more_messages(void);

/* An actor that nobody has sent anything; its state is zero. */
struct actor *floor_spawn(floor_receive *receive);
/* How many have ended. */
extern int64_t floor_ended;

/* Runs actors until one of them calls floor_stop(), or all are idle. With save points every turn
 * of an actor can be left by floor_fail(), which tells the actor's supervisor. */
void floor_run(void);
void floor_run_saved(void);

/* Leaves receive. `supervisor` is sent a message of this type, from the one that failed. */
_Noreturn void floor_fail(struct actor *supervisor, uint64_t type);

static inline void floor_stop(void)
{
	floor_queue.stopped = true;
}

static inline struct message *floor_message(void)
{
	struct message *msg = floor_pool.free;

	if (__builtin_expect(msg == NULL, 0))
		return floor_more_messages();
	floor_pool.free = atomic_load_explicit(&msg->next, memory_order_relaxed);
	return msg;
}

static inline void floor_message_free(struct message *msg)
{
	atomic_store_explicit(&msg->next, floor_pool.free, memory_order_relaxed);
	floor_pool.free = msg;
}

static inline void floor_ready(struct actor *actor)
{
	actor->next = NULL;
	*floor_queue.last = actor;
	floor_queue.last = &actor->next;
}

static inline void floor_send(struct actor *to, uint64_t type, struct actor *sender, int64_t value)
{
	struct message *msg = floor_message();
	uintptr_t before;

	msg->type = type;
	msg->sender = sender;
	msg->value = value;
	atomic_store_explicit(&msg->next, NULL, memory_order_relaxed);
	/* Release: the content of the message. Acquire: the link of the previous message. */
	before = (uintptr_t)atomic_exchange_explicit(&to->head, msg, memory_order_acq_rel);
	atomic_store_explicit(&((struct message *)(before & ~(uintptr_t)1))->next, msg,
			      memory_order_release);
	if (before & 1)
		floor_ready(to);
}

#endif
