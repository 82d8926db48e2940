/* SPDX-License-Identifier: MIT
 *
 * self.h - the state of a worker that runs cells; the `ward_self` of the running actor.
 *
 * One for each worker, not for each actor: it is valid inside callbacks only because only then a
 * cell is in it. Holder only, except the fields that threads which look at the tree read.
 */
#ifndef WARDI_SELF_H
#define WARDI_SELF_H

#include <setjmp.h>

#include <ward/simulation.h>

#include "base/assert.h"
#include "cell/cell.h"
#include "cell/fault_seat.h"
#include "cell/free_cells.h"
#include "cell/system.h"
#include "cell/table.h"
#include "sched/grace.h"
#include "sched/worker.h"

enum { WARDI_BATCH = 100 /* user messages of a cell in one turn, by default */ };

struct wardi_chunk;
struct wardi_question;

struct ward_self {
	struct wardi_worker *worker;
	ward_system *system;
	struct wardi_source from; /* the pool, and this worker's cache */
	union {
		struct wardi_cell *cell; /* running; between turns an earlier one, or NULL */
		_Atomic(struct wardi_cell *) running; /* the same, written for other threads */
	};
	sigjmp_buf *save;     /* the innermost save point; NULL: none is set */
	uint32_t plain_place; /* of refs that a tell may look up at once; see tell.c */
	bool callback;        /* a callback of the user runs: ward may be called */
	bool hook;            /* the callback is a hook, not receive */
	bool out;             /* receive may take long: see wardi_visit() */
	/* The callback may have left work behind: set with each field below marked has_leftovers,
	 * so that one check tells that there is nothing to settle. */
	bool has_leftovers;
	uint32_t left; /* of the batch */
	/* system messages of this cell, taken and not yet executed; oldest first */
	struct wardi_sysmsg *batch;

	/* the message in hand */
	struct ward_msg *msg; /* NULL: none; or passed on; or, with leftovers, taken or moved */
	bool owns_block;      /* msg is not in the lane: free it, too */
	struct ward_msg *
		emptied_msg; /* what owned its block, and is another's: freed behind the callback */
	struct ward_msg *stashed; /* the message that this callback stashed */
	uint64_t periods;         /* of a tick */
	uint64_t answers;         /* tag of the question that msg ends; 0: none */
	ward_fault_kind fault;    /* simulated: the fault for this receive */

	/* has_leftovers: set by ward_decide(), for when receive is finished */
	struct wardi_cell *perpetrator; /* the child whose failure is escalated; NULL: none */
	struct wardi_failure escalated;

	bool stops; /* has_leftovers: the actor stops itself after this receive (turn.c) */

	/* of post_stop, pre_restart and the deferred calls of an end: why; else WARD_END_UNKNOWN,
	 * and NULL */
	ward_end stop_reason;
	const ward_failure *stop_failure;

	/* in a decide function: level and text of its event */
	bool deciding;
	ward_level decision_level;
	char decision_text[WARD_DECISION_TEXT];

	/* has_leftovers: the failure noted in this callback; first one counts */
	struct wardi_failure noted;
	struct wardi_chunk *scratch; /* memory until the callback returns; NULL: none */
	bool scratched;              /* has_leftovers: some of it is in use */

	struct wardi_life_numbers life_numbers;
	struct wardi_free_cells free_cells;

	/* questions that have ended, for the next ones (question_record.c) */
	struct wardi_question *kept_question; /* ended in this callback; NULL: none */
	struct wardi_question *questions;     /* kept for reuse */
	uint32_t questions_count;

	/* limits of a turn on this worker: frozen */
	uint32_t throughput;
	int64_t deadline_ns; /* 0: none; simulated: 0 */
	bool paced;          /* the deadline may pass by as many messages as came before it */
	/* of the present turn, with a deadline */
	int64_t until_ns;
	uint32_t more; /* messages of its batch beyond `left`; without a deadline 0 */
	uint32_t step; /* paced: taken into `left` last */

	/* read by others */
	struct wardi_life_counters life_counters;
	_Atomic uint64_t turns;                  /* so far; this worker writes */
	_Atomic(const ward_type *) running_type; /* of the current message, or NULL */
	_Atomic int64_t
		running_since_ns; /* exact where threads may block; else the worker's clock */

	struct wardi_fault_seat seat;
	struct wardi_cache cache;
	struct ward_failure bare; /* room to show a failure that has only a class */
	struct wardi_list link;   /* under system->selves_mu */
};

/* Begins a turn of this cell. Relaxed: a snapshot for others; the holder sees its own writes. */
static inline void wardi_self_take_cell(struct ward_self *self, struct wardi_cell *cell)
{
	atomic_store_explicit(&self->running, cell, memory_order_relaxed);
}

/* Whether receive runs. */
static inline bool wardi_self_receives(const struct ward_self *self)
{
	return self->callback && !self->hook;
}

/* Publishes the type being handled; NULL: none. Relaxed: a snapshot. */
static inline void wardi_self_show(struct ward_self *self, const ward_type *type)
{
	atomic_store_explicit(&self->running_type, type, memory_order_relaxed);
}

/* Returns self->from, with a cache that the compiler knows not to be NULL. */
static inline struct wardi_source wardi_self_source(struct ward_self *self)
{
	return (struct wardi_source){self->from.pool, &self->cache};
}

static inline const ward_behavior *wardi_behavior(const struct ward_self *self)
{
	return self->cell->behavior;
}

/* The running actor. */
static inline ward_ref wardi_own_ref(const struct ward_self *self)
{
	return wardi_ref_make(self->cell->uid, self->system->place);
}

/* The message in hand has a new owner. */
static inline void wardi_self_part_with_msg(struct ward_self *self)
{
	self->msg = NULL;
	self->has_leftovers = true;
}

/* Returns the child of the running actor with this ref, or NULL. */
struct wardi_cell *wardi_self_child(const struct ward_self *self, ward_ref who);
/* In a visit: returns the open cell of a ref of this system, or NULL. */
struct wardi_cell *wardi_self_find(ward_system *system, ward_ref who);
/* In a visit: whether the cell is a child of the running actor. May be any cell. */
bool wardi_self_is_own_child(const ward_self *self, struct wardi_cell *cell, uint64_t uid);

/* Whether the caller may use this handle here; refuses a kept one with a detail. */
bool wardi_self_usable(const ward_self *self);

/* Ends the message in hand: drops what is left of it. */
void wardi_self_release_msg(struct ward_self *self);
/* The message in hand was taken or forwarded: it no longer has a body. */
void wardi_self_emptied_msg(struct ward_self *self);
/* Keeps the failing message in hand until the parent has decided: pre_restart may look at it, pass
 * it on, or answer it (S31). */
void wardi_self_keep_failed_msg(struct ward_self *self);
/* Puts a message in hand. */
void wardi_self_hold_msg(struct ward_self *self, struct ward_msg *msg, bool owns_block);

#endif
