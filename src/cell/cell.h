/* SPDX-License-Identifier: MIT
 *
 * cell.h - one actor: its life, its mail, its place in the tree.
 *
 * Cells are type-stable: a pointer found by a ref points to a cell as long as a thread may hold it,
 * and the cell serves one life after another. The uid of a life is generation and slot; `open_gen`
 * tells senders which life takes mail, if any.
 */
#ifndef WARDI_CELL_H
#define WARDI_CELL_H

#include <stdatomic.h>

#include <ward/ward.h>

#include "base/few_keys.h"
#include "base/hash.h"
#include "base/line.h"
#include "base/list.h"
#include "base/spin.h"
#include "cell/failure.h"
#include "cell/segments.h"
#include "cell/sysmsg.h"
#include "mail/mailbox.h"
#include "mail/ref.h"
#include "sched/sched.h"
#include "sched/watch_list.h"

struct wardi_arena;
struct wardi_extra;
struct wardi_child_index;
struct wardi_watcher;

/* The life of a cell. One table of moves, one function that moves: cell.c, with the picture. */
enum wardi_state {
	WARDI_FREE,
	WARDI_STARTING,     /* before init and pre_start; system messages wait for them */
	WARDI_START_FAILED, /* they failed; the parent has not decided yet */
	WARDI_RETRYING,     /* starts again after the children of the failed try are gone */
	WARDI_RUNNING,
	WARDI_FAILED,         /* the parent has not decided yet */
	WARDI_RESTARTING,     /* waits for dying children */
	WARDI_RESTART_FAILED, /* the new instance is broken; the parent has not decided yet */
	WARDI_STOPPING,       /* waits for its children */
	WARDI_STOPPED,        /* closed; its parent does not know it yet */
	WARDI_STATES
};

/* Orders of the parent that the child has not executed. Sums, not a queue: no allocation. All zero
 * when a life begins and when it has ended; open as long as open_gen is set. */
struct wardi_commands {
	struct wardi_spin spin;
	/* under spin */
	bool queued : 1;     /* the node is in the lane, in a taken batch, or deferred */
	bool stop_sent : 1;  /* end_node is on its way */
	bool clear : 1;      /* one of the resumes answers the child's own failure */
	bool unanswered : 1; /* the last report: no restart of its incarnation is ordered */
	uint16_t reports;    /* failures of the child that its parent has not handled */
	uint32_t suspends;
	uint32_t resumes;
	uint32_t restarts;          /* suspensions that the restart lifts; may be none */
	struct wardi_failure cause; /* of the last restart; none: no restart ordered */
};

/* How a life ends. Linked actors get more in an exit signal (exit.c). */
enum wardi_end {
	WARDI_END_TOLD,   /* stopped by another actor */
	WARDI_END_OWN,    /* it stops itself */
	WARDI_END_PILL,   /* for linked actors the same */
	WARDI_END_FAILED, /* failed, and stopped */
	WARDI_END_KILLED, /* by an exit signal */
	WARDI_END_EXITED  /* by an exit signal with another reason */
};

enum { WARDI_PENDING_MAX = (1 << 13) - 1 };

struct wardi_budget;

/* A parent's record of a child with a given name, or with a counted limit. Holder of the parent
 * only; others read the name under the path lock. */
struct wardi_entry {
	union {
		struct wardi_hash_link link; /* with a name: in the table of names */
		uint64_t number;             /* without a name: for the generated one */
	};
	struct wardi_cell *cell;     /* NULL: the name is free, or another's (spawn.c) */
	struct wardi_budget *budget; /* NULL: nothing is counted */
	char name[];                 /* "": none was given */
};

/* The children of a cell, made with the first child, and all else that only an actor with children
 * needs. Holder of the parent only. */
struct wardi_children {
	struct wardi_list list;                    /* in order of creation */
	struct wardi_hash names;                   /* children with a given name */
	uint64_t generated;                        /* counter for generated names */
	struct wardi_child_index *generated_index; /* NULL: not looked for yet (child_index.c) */
	uint64_t youngest;                         /* number of the last child made */
	uint32_t count;
	uint32_t dying;                /* told to stop by the parent, not yet gone */
	uint32_t pending;              /* children whose failure waits for ward_decide() */
	bool budget_due;               /* take it with the next child, for another strategy */
	struct wardi_budget *budget;   /* of restarts, shared by all; NULL: each has its own */
	struct wardi_sysmsg *deferred; /* system messages that wait at the gate; newest first */
	uint64_t perpetrator;          /* the child whose failure was escalated; 0: its own */
	struct wardi_failure restart_cause; /* of a restart that waits for dying children */
	uint32_t restart_times;             /* suspensions that this restart, or retry, lifts */
};

/* The parts of an actor that few need. Made with the first of them, and kept until the end of the
 * life; an actor without any has wardi_no_rare, which is never written. Holder only, except what
 * the parent sets at the start. */
struct wardi_rare {
	struct wardi_args *args; /* kept for a restart */
	/* from the props, or set by the actor (child_strategy.c); NULL: the behaviour's */
	const ward_strategy *child_strategy;
	size_t memory_max;
	uint32_t stash_max;
	bool extra_needs_general_turn; /* `extra` holds more than questions and a status */
	bool child_strategy_set;       /* child_strategy is not from the props */
	/* Of the scheduler: where all timers are that are not exact, so that they keep their order
	 * when the actor moves to another worker. 0: none is armed. */
	uint16_t timers_queue;
	struct wardi_children *children;
	struct wardi_arena *arena;
	struct wardi_few_keys timers; /* of timer.c */
	struct wardi_watch_list fds;  /* of fd.c */
	struct wardi_hash *watching;  /* the watches of this actor, by uid */
	struct wardi_extra *extra;    /* parts that even fewer need (rare.h) */
};
extern const struct wardi_rare wardi_no_rare;
#define WARDI_NO_RARE ((struct wardi_rare *)&wardi_no_rare)

enum wardi_turn_flag {
	WARDI_GENERAL_TURN = 1,    /* see wardi_cell_judge() */
	WARDI_UNSTASHED_FIRST = 2, /* messages come before the mailbox */
	WARDI_WITH_BOUNDED = 4,    /* a bounded mailbox: only a plain turn checks this */
	WARDI_CLOSED = 8,          /* its owner has closed the mailbox (closed_mailbox.c) */
	WARDI_ONCE_CLOSED = 16,    /* its incarnation has closed it once */
	WARDI_REPRESENTS = 32      /* it stands in for another actor (represent.c) */
};

/* Fields used together are together: first those of a push, then those of a turn up to the call, at
 * last those of restarts. A sender and the holder write no line in common
 * (docs/internals/shared-lines.md); the room that this takes is used as well. */
struct wardi_cell {
	/* any thread */
	struct wardi_runnable runnable; /* first: the scheduler sees it */
	union {
		struct wardi_mailbox mailbox;
		struct {
			char head_and_bounded_[offsetof(struct wardi_mailbox, between)];

			/* any thread */
			_Atomic uint32_t open_gen; /* takes mail for this generation; 0: none */

			/* written by the holder, read by threads that look at the tree */
			_Atomic uint32_t incarnation;

			/* shared by parent and holder, as `commands` */
			struct wardi_sysmsg command_node, failed_node;
			struct wardi_sysmsg end_node; /* stop; after the end of the life, gone */

			/* frozen for a life, written by the parent; other threads look at it by
			 * shown_life.c */
			union {
				const ward_behavior *behavior;
				_Atomic(const ward_behavior *) shown_behavior;
			};

			/* holder only */
			struct wardi_rare *rare; /* parts that few actors have; never NULL */

			/* written by the holder, read by threads that look at the tree */
			_Atomic uint32_t suspended;
			_Atomic uint16_t held; /* by this many full mailboxes (backpressure.c) */
			_Atomic uint8_t turn_flags; /* enum wardi_turn_flag; 0: the usual case */
			_Atomic uint8_t state; /* enum wardi_state; by wardi_cell_move() only */

			/* as behavior */
			union {
				uint64_t uid; /* without a life: of the last one */
				_Atomic uint64_t shown_uid;
			};

			/* holder only */
			ward_receive receive; /* the present one: the behaviour's, or become.c's */
			void *memory;         /* the state */
		};
	};

	/* holder only */
	bool blocks : 1;            /* on a dispatcher whose threads may wait */
	bool owes_post_stop : 1;    /* there is an instance that has not run it */
	bool failed_owns_block : 1; /* failed_msg is not in the lane */
	bool faulted : 1;     /* hardware fault in this incarnation: its code no longer runs */
	bool subscribed : 1;  /* to events */
	bool traps_exits : 1; /* in this incarnation */
	uint8_t end;          /* enum wardi_end: how it ends */

	/* the parent's holder only: hence in bytes of their own */
	bool dying : 1;
	bool survivor : 1;           /* of the parent's current restart */
	bool pending_answered : 1;   /* the pending decision is only about earlier incarnations */
	uint16_t pending_times : 13; /* suspensions that the pending decision lifts */

	/* written by the holder, read by threads that look at the tree */
	_Atomic uint32_t restarted; /* restarts that this life has completed */

	/* holder only */
	struct wardi_watcher *watchers;    /* watches on it, and links */
	struct wardi_failure last_failure; /* written under the path lock */
	struct ward_msg *failed_msg;       /* the message that it failed with */

	/* shared by parent and holder */
	struct wardi_commands commands;

	/* as behavior */
	union {
		struct wardi_cell *parent;
		_Atomic(struct wardi_cell *) shown_parent;
	};
	union {
		uint64_t born; /* unique; above those of its parent and of older siblings */
		_Atomic uint64_t shown_born;
	};
	/* a struct wardi_entry; or, with bit 0 set, the number for a generated name; 0: the life is
	 * over for all, and no actor has its uid */
	union {
		uintptr_t entry;
		_Atomic uintptr_t shown_entry;
	};

	/* the parent's holder only */
	struct wardi_list sibling; /* free cell, under table.mu: in the list of its segment */
};

#define WARDI_AT(field) offsetof(struct wardi_cell, field)
/* In docs/internals/memory.md, too. */
_Static_assert(sizeof(struct wardi_cell) == 232, "docs/internals/memory.md");
_Static_assert(WARDI_AT(memory) + sizeof(void *) == WARDI_AT(mailbox.tail), "no room is unused");
_Static_assert(WARDI_AT(end) % 2 == 1, "bits of two holders are in two bytes");
#undef WARDI_AT
/* A sender on one side, the holder on the other (docs/internals/shared-lines.md). */
_Static_assert(WARDI_APART(struct wardi_cell, mailbox.head, suspended) &&
		       WARDI_APART(struct wardi_cell, mailbox.head, mailbox.tail),
	       "a push writes no line of a turn");
_Static_assert(WARDI_APART(struct wardi_cell, mailbox.bounded, mailbox.tail) &&
		       WARDI_APART(struct wardi_cell, open_gen, mailbox.tail),
	       "a turn writes no line of a push");
_Static_assert(sizeof(struct wardi_cell) - offsetof(struct wardi_cell, watchers) >= WARDI_LINE,
	       "a push to the next cell writes no line of a turn of this one");

/* The questions of a cell, over all its lives. */
struct wardi_numbers {
	uint64_t last;          /* the holder: number of a question */
	_Atomic uint64_t first; /* of the last life that asked, with this gen */
	_Atomic uint32_t gen;   /* 0: no life has asked */
};

/* An array of cells, and their shared fields (table.c). */
struct wardi_segment {
	ward_system *system;                     /* frozen */
	_Atomic(struct wardi_numbers *) numbers; /* NULL: no cell has asked yet */
	uint64_t questions; /* frozen: count of each cell's questions before the segment was made */
	uint32_t number;    /* frozen: number of the segment */
	/* under table.mu */
	uint32_t free_count;
	struct wardi_list free; /* cells, by the link of siblings; the next to use first */
	struct wardi_list link; /* in a list of the table */
	uint32_t looked;        /* leaving: cells checked so far */
	uint32_t gen;           /* and their highest generation */
	struct wardi_cell cells[];
};

/* The arguments kept for a restart. */
struct wardi_args {
	const ward_type *type;
	size_t size;
	_Alignas(16) unsigned char bytes[];
};

static inline enum wardi_state wardi_cell_state(const struct wardi_cell *cell)
{
	return (enum wardi_state)atomic_load_explicit(&cell->state, memory_order_relaxed);
}

static inline uint32_t wardi_cell_suspended(const struct wardi_cell *cell)
{
	return atomic_load_explicit(&cell->suspended, memory_order_relaxed);
}

/* Whether un-stashed messages wait, which go before the mailbox; for other threads than the holder
 * a snapshot. */
static inline bool wardi_cell_unstashed(const struct wardi_cell *cell)
{
	return (atomic_load_explicit(&cell->turn_flags, memory_order_relaxed) &
		WARDI_UNSTASHED_FIRST) != 0;
}

/* Whether the actor has closed its mailbox; for other threads than the holder a snapshot. */
static inline bool wardi_cell_is_closed(const struct wardi_cell *cell)
{
	return (atomic_load_explicit(&cell->turn_flags, memory_order_relaxed) & WARDI_CLOSED) != 0;
}

/* Holder: whether anything is to be looked at before the lane is read. */
static inline bool wardi_cell_reads_lane_at_once(const struct wardi_cell *cell)
{
	return (atomic_load_explicit(&cell->turn_flags, memory_order_relaxed) &
		(WARDI_UNSTASHED_FIRST | WARDI_CLOSED | WARDI_ONCE_CLOSED | WARDI_REPRESENTS)) == 0;
}

static inline uint16_t wardi_cell_held(const struct wardi_cell *cell)
{
	return atomic_load_explicit(&cell->held, memory_order_relaxed);
}

/* Holder: whether user messages may run. */
static inline bool wardi_cell_runs_mail(const struct wardi_cell *cell)
{
	return (wardi_cell_suspended(cell) | wardi_cell_held(cell)) == 0 &&
	       wardi_cell_state(cell) == WARDI_RUNNING;
}

static inline uint32_t wardi_cell_slot(const struct wardi_cell *cell)
{
	return wardi_uid_slot(cell->uid);
}

/* Parent: whether the life has a path. */
static inline bool wardi_cell_is_known(const struct wardi_cell *cell)
{
	return cell->entry != 0;
}

/* Holder: returns the parent's uid; 0: none. A parent outlives its children. */
static inline uint64_t wardi_cell_parent_uid(const struct wardi_cell *cell)
{
	return cell->parent == NULL ? 0 : cell->parent->uid;
}

/* Returns the entry that a cell's word `entry` stands for, or NULL; the next two what it says. Any
 * thread under the path lock. */
static inline struct wardi_entry *wardi_entry_of(uintptr_t word)
{
	return (word & 1) != 0 ? NULL : (struct wardi_entry *)word;
}

/* Returns the given name; NULL: none. */
static inline const char *wardi_entry_name(uintptr_t word)
{
	const struct wardi_entry *entry = wardi_entry_of(word);

	return entry == NULL || entry->name[0] == '\0' ? NULL : entry->name;
}

/* Returns the number for a generated name. */
static inline uint64_t wardi_entry_number(uintptr_t word)
{
	const struct wardi_entry *entry = wardi_entry_of(word);

	return entry == NULL ? word >> 1 : entry->number;
}

/* The same for the parent; or for the holder, while the cell lives. */
static inline struct wardi_entry *wardi_cell_entry(const struct wardi_cell *cell)
{
	return wardi_entry_of(cell->entry);
}

static inline const char *wardi_cell_name(const struct wardi_cell *cell)
{
	return wardi_entry_name(cell->entry);
}

static inline uint64_t wardi_cell_number(const struct wardi_cell *cell)
{
	return wardi_entry_number(cell->entry);
}

/* A cell needs a general turn if its turn must do more than hand the messages of its lane to
 * receive. The holder notes that in one place, which turn.c and plain_turn.c look at before and
 * after each message:
 *
 *	it needs a general turn as long as    calls wardi_cell_judge()
 *	it is in another state than RUNNING   wardi_cell_move() in self.h
 *	it is suspended                       wardi_cell_suspend(), wardi_cell_resume()
 *	it is held by a full mailbox          backpressure.c
 *	it has an extra record: a stash, a    rare.c
 *	  receive timeout, ...; not for
 *	  questions or a status alone
 *	it has closed its mailbox once        closed_mailbox.c, which sets a flag of its own
 *	its threads may block                 the first move of a life
 *	it is simulated                       the same
 *
 * So code that adds a reason calls wardi_cell_judge() where the reason begins and where it ends. A
 * bounded mailbox is no reason; but its turns are not plain, either (plain_turn.c). */
void wardi_cell_judge(struct wardi_cell *cell);

static inline uint8_t wardi_cell_turn_flags(const struct wardi_cell *cell)
{
	/* Relaxed: the holder's own, and a snapshot for others. A parent moves a cell whose life is
	 * over, which needs a general turn before and after that. */
	return atomic_load_explicit(&cell->turn_flags, memory_order_relaxed);
}

static inline bool wardi_cell_needs_general_turn(const struct wardi_cell *cell)
{
	return (wardi_cell_turn_flags(cell) & ~WARDI_WITH_BOUNDED) != 0;
}

/* Holder: makes the cell need general turns from now on. */
static inline void wardi_cell_require_general_turn(struct wardi_cell *cell)
{
	/* Relaxed: as in wardi_cell_needs_general_turn(). */
	atomic_store_explicit(
		&cell->turn_flags,
		(uint8_t)(atomic_load_explicit(&cell->turn_flags, memory_order_relaxed) |
			  WARDI_GENERAL_TURN),
		memory_order_relaxed);
}

/* Holder, or the parent. */
ward_ref wardi_cell_ref(const struct wardi_cell *cell);
struct wardi_segment *wardi_cell_segment(const struct wardi_cell *cell);
/* With a worker's self, use its system: that is faster. */
static inline ward_system *wardi_cell_system(const struct wardi_cell *cell)
{
	return wardi_cell_segment(cell)->system;
}

/* The table of moves: bit `to` of wardi_moves[from] is set if the move is allowed. */
extern const uint16_t wardi_moves[WARDI_STATES];
static inline bool wardi_state_may_follow(enum wardi_state from, enum wardi_state to)
{
	return (wardi_moves[from] >> to & 1) != 0;
}
const char *wardi_state_name(enum wardi_state state);
/* Called by wardi_cell_move() for a move that is not allowed. */
_Noreturn void wardi_cell_bad_move(enum wardi_state from, enum wardi_state to);

/* Holder. The count never falls below zero (S8). */
void wardi_cell_suspend(struct wardi_cell *cell, uint32_t times);
void wardi_cell_resume(struct wardi_cell *cell, uint32_t times);

static inline enum wardi_gate wardi_cell_gate(const struct wardi_cell *cell)
{
	enum wardi_state state = wardi_cell_state(cell);

	if (state == WARDI_RESTARTING || state == WARDI_RETRYING)
		return WARDI_GATE_WAITING;
	return wardi_cell_suspended(cell) > 0 ? WARDI_GATE_SUSPENDED : WARDI_GATE_OPEN;
}

/* Holder: whether a failure is waiting for the parent's decision (S13). */
bool wardi_cell_has_failed(const struct wardi_cell *cell);

/* Any thread: returns a reference to the last failure of this life; none: it never failed. */
struct wardi_failure wardi_cell_last_failure(struct wardi_cell *cell);

/* The parent's holder: makes the child's last failure wait for ward_decide(), which decides it
 * together with any earlier one. `answered`: by a restart of the incarnation that failed. */
void wardi_cell_add_pending(struct wardi_cell *child, bool answered);
/* The parent's holder: ends that wait. Returns how many suspensions the decision lifts; 0: no
 * failure waited. */
uint32_t wardi_cell_take_pending(struct wardi_cell *child);

static inline bool wardi_has_children(const struct wardi_cell *cell)
{
	return cell->rare->children != NULL && cell->rare->children->count > 0;
}

static inline struct wardi_cell *wardi_first_child(const struct wardi_cell *cell)
{
	if (!wardi_has_children(cell))
		return NULL;
	return wardi_container_of(cell->rare->children->list.next, struct wardi_cell, sibling);
}

static inline struct wardi_cell *wardi_next_child(const struct wardi_cell *cell,
						  const struct wardi_cell *child)
{
	if (child->sibling.next == &cell->rare->children->list)
		return NULL;
	return wardi_container_of(child->sibling.next, struct wardi_cell, sibling);
}

/* Iterates over children in order of creation; the current one must not be removed. */
#define wardi_for_each_child(child, cell)                                                          \
	for (struct wardi_cell *child = wardi_first_child(cell); child != NULL;                    \
	     child = wardi_next_child(cell, child))
/* Holder: whether a failure of a child waits for its ward_decide(). */
static inline bool wardi_cell_owes_decision(const struct wardi_cell *cell)
{
	return cell->rare->children != NULL && cell->rare->children->pending > 0;
}

/* Returns the youngest child; there must be one. */
struct wardi_cell *wardi_last_child(const struct wardi_cell *cell);

#endif
