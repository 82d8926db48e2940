/* SPDX-License-Identifier: MIT
 *
 * cell.h - one actor: its life, its mail, its place in the tree.
 *
 * Cells are type-stable: what was found by a ref is a cell for as long as it may be in anybody's
 * hands, and it serves one life after the other. The uid of a life is generation and slot;
 * `open_gen` tells senders which life takes mail, if any.
 */
#ifndef WARDI_CELL_H
#define WARDI_CELL_H

#include <stdatomic.h>

#include <ward/ward.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/spin.h"
#include "cell/failure.h"
#include "cell/segments.h"
#include "cell/sysmsg.h"
#include "mail/mailbox.h"
#include "mail/ref.h"
#include "sched/sched.h"

struct wardi_arena;
struct wardi_extra;
struct wardi_child_index;
struct wardi_actor_timers;
struct wardi_watcher;

/* The life of a cell. One table of moves, one function that moves: cell.c, with the picture. */
enum wardi_state {
	WARDI_FREE,
	WARDI_STARTING,     /* init and pre_start are due; system messages wait for them */
	WARDI_START_FAILED, /* they failed; the parent has not decided yet */
	WARDI_RETRYING,     /* to be started again, waits for the children of the failed try */
	WARDI_RUNNING,
	WARDI_FAILED,         /* the parent has not decided yet */
	WARDI_RESTARTING,     /* waits for dying children */
	WARDI_RESTART_FAILED, /* the new instance is broken; the parent has not decided yet */
	WARDI_STOPPING,       /* waits for its children */
	WARDI_STOPPED,        /* closed; its parent has yet to take note */
	WARDI_STATES
};

/* What a parent has told and the child has not carried out. Sums, not a queue: nothing
 * allocates. All zero when a life begins, and when one has ended; open as long as open_gen is set.
 */
struct wardi_commands {
	struct wardi_spin spin;
	/* under spin */
	bool queued : 1;    /* the node is in the lane, in a taken batch, or deferred */
	bool stop_sent : 1; /* the node that ends it is under way */
	bool clear : 1;     /* one of the resumes answers the child's own failure */
	uint16_t reports;   /* failures of the child that its parent has not looked at */
	uint32_t suspends;
	uint32_t resumes;
	uint32_t restarts;          /* suspensions that the restart lifts; may be none */
	struct wardi_failure cause; /* of the last restart; none: no restart is ordered */
};

/* How a life ends. Those who are linked are told more of an exit signal (exit.c). */
enum wardi_end {
	WARDI_END_TOLD,   /* by another one */
	WARDI_END_OWN,    /* it stops itself */
	WARDI_END_PILL,   /* to those who are linked the same */
	WARDI_END_FAILED, /* it has failed, and is stopped instead of going on */
	WARDI_END_KILLED, /* by an exit signal */
	WARDI_END_EXITED  /* by another one of these */
};

enum { WARDI_PENDING_MAX = (1 << 14) - 1 };

struct wardi_budget;

/* What a parent keeps of a child that was given a name, or that a limit counts. Holder of the
 * parent only; the name under the path lock for others to read. */
struct wardi_entry {
	union {
		struct wardi_hash_link link; /* with a name: among those of its siblings */
		uint64_t number;             /* without: for a generated one */
	};
	struct wardi_cell *cell;     /* NULL: its name is nobody's, or another's (spawn.c) */
	struct wardi_budget *budget; /* NULL: nothing is counted */
	char name[];                 /* "": none was given */
};

/* The children of a cell, made with the first one; and what only an actor with children needs.
 * Holder of the parent only. */
struct wardi_children {
	struct wardi_list list;  /* in order of creation */
	struct wardi_hash names; /* those with a given name */
	uint64_t generated;      /* counter for generated names */
	struct wardi_child_index
		*generated_index; /* NULL: nobody has looked for one (child_index.c) */
	uint64_t youngest;        /* the number of the last one that was made */
	uint32_t count;
	uint32_t dying;                /* told to stop by the parent, not yet gone */
	uint32_t pending;              /* whose failure waits for ward_decide() */
	bool budget_due;               /* to be taken with the next child, by another strategy */
	struct wardi_budget *budget;   /* of restarts, for all together; NULL: each has its own */
	struct wardi_sysmsg *deferred; /* system messages that wait at the gate; newest first */
	uint64_t perpetrator;          /* the child whose failure was escalated; 0: its own */
	struct wardi_failure restart_cause; /* of a restart that waits for dying children */
	uint32_t restart_times;             /* suspensions that this restart, or retry, lifts */
};

/* What an actor has besides its state and its mail. Made with the first of it, and kept to the end
 * of the life; who has nothing has wardi_no_rare, which is never written. The holder, but for what
 * the parent puts in at the start. */
struct wardi_rare {
	struct wardi_args *args; /* kept for a restart */
	/* of the props, or set by the actor (child_strategy.c); NULL: that of the behaviour */
	const ward_strategy *child_strategy;
	size_t memory_max;
	uint32_t stash_max;
	bool extra_needs_general_turn; /* it holds more than questions and a status */
	bool child_strategy_set;       /* it is not of the props */
	struct wardi_children *children;
	struct wardi_arena *arena;
	struct wardi_actor_timers *timers;
	struct wardi_list *fds;
	struct wardi_hash *watching; /* what this one watches, by uid */
	struct wardi_extra *extra;   /* what fewer still need (rare.h) */
};
extern const struct wardi_rare wardi_no_rare;
#define WARDI_NO_RARE ((struct wardi_rare *)&wardi_no_rare)

enum wardi_turn_flag {
	WARDI_GENERAL_TURN = 1,    /* see wardi_cell_judge() */
	WARDI_UNSTASHED_FIRST = 2, /* messages come before the mailbox */
	WARDI_WITH_BOUNDED = 4     /* a mailbox with a policy: only the plain way minds */
};

/* What is touched together is together: first what a message touches, from the push to the call;
 * then what a failure does; then what the parent keeps of its child. */
struct wardi_cell {
	/* any thread */
	struct wardi_runnable runnable; /* first: what the scheduler sees */
	struct wardi_mailbox mailbox;
	_Atomic uint32_t open_gen; /* takes mail for this generation; 0: none */

	/* written by the holder, read by anybody who looks at the tree */
	_Atomic uint32_t suspended;
	_Atomic uint16_t held;      /* by so many full mailboxes (backpressure.c) */
	_Atomic uint8_t turn_flags; /* enum wardi_turn_flag; 0: nearly all, nearly always */
	_Atomic uint8_t state;      /* enum wardi_state; written by wardi_cell_move() only */

	/* holder only */
	bool blocks : 1;            /* on a dispatcher whose threads may wait */
	bool owes_post_stop : 1;    /* an instance is there that has not run it */
	bool failed_owns_block : 1; /* failed_msg is not in the lane */
	bool faulted : 1;     /* by hardware, in this incarnation: none of its code runs again */
	bool subscribed : 1;  /* to events */
	bool traps_exits : 1; /* in this incarnation */
	uint8_t end;          /* enum wardi_end: how it will have ended */

	/* the parent's holder only: so they are in bytes of their own */
	bool dying : 1;
	bool survivor : 1;           /* of a restart of the parent under way */
	uint16_t pending_times : 14; /* suspensions that a decision which is due lifts */

	/* frozen for a life, written by the parent: under the path lock for others to read */
	uint64_t uid; /* of the last life, when there is none */

	/* holder only */
	ward_receive receive; /* what handles messages now: the behaviour's, or become.c's */
	void *memory;         /* the state */
	const ward_behavior *behavior; /* frozen for a life; under the path lock for others, too */
	struct wardi_rare *rare;       /* what few actors have; never NULL */

	/* written by the holder, read by anybody who looks at the tree */
	_Atomic uint32_t incarnation;
	_Atomic uint32_t restarted; /* restarts that this life has completed */

	/* holder only */
	struct ward_msg *failed_msg; /* what was handled when it failed */

	/* shared by parent and holder */
	struct wardi_commands commands;
	struct wardi_sysmsg command_node, failed_node;
	struct wardi_sysmsg end_node; /* stop; once that life is over, gone */

	struct wardi_failure last_failure; /* written by the holder under the path lock */
	struct wardi_watcher *watchers;    /* the holder: who watches it, or is linked with it */

	/* frozen for a life, written by the parent: under the path lock for others to read */
	struct wardi_cell *parent;
	uint64_t born; /* above those of its parent and of older siblings; nobody else has it */
	/* a struct wardi_entry; or, with bit 0 set, the number for a generated name; 0: the life is
	 * over in the eyes of all, and its uid is nobody's */
	uintptr_t entry;

	/* the parent's holder only */
	struct wardi_list sibling; /* of a free cell, under table.mu: those of its segment */
};

/* In docs/internals/memory.md, too. A cell that begins with a line of the cache has what a message
 * touches in two. */
_Static_assert(sizeof(struct wardi_cell) == 232, "docs/internals/memory.md");
_Static_assert(offsetof(struct wardi_cell, suspended) < 64, "what a push touches is in one line");
_Static_assert(offsetof(struct wardi_cell, end) % 2 == 1, "bits of two holders are in two bytes");
_Static_assert(offsetof(struct wardi_cell, incarnation) <= 128, "what a call needs is in two");

/* What a cell has asked, over all its lives. */
struct wardi_numbers {
	uint64_t last;          /* the holder: number of a question */
	_Atomic uint64_t first; /* of the life with this generation, the last one that has asked */
	_Atomic uint32_t gen;   /* 0: none has */
};

/* Cells side by side, and what they have in common (table.c). */
struct wardi_segment {
	ward_system *system;                     /* frozen */
	_Atomic(struct wardi_numbers *) numbers; /* NULL: no cell has asked one yet */
	uint64_t questions; /* frozen: what each had asked before the segment was made */
	uint32_t number;    /* frozen: of the segment */
	/* under table.mu */
	uint32_t free_count;
	struct wardi_list free; /* cells, by the link of siblings; the next one first */
	struct wardi_list link; /* among segments like it */
	uint32_t looked;        /* leaving: cells that were looked at */
	uint32_t gen;           /* and the highest generation of them */
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

/* Messages were un-stashed, and are handled before the mailbox; by others than the holder, a
 * picture. */
static inline bool wardi_cell_unstashed(const struct wardi_cell *cell)
{
	return (atomic_load_explicit(&cell->turn_flags, memory_order_relaxed) &
		WARDI_UNSTASHED_FIRST) != 0;
}

static inline uint16_t wardi_cell_held(const struct wardi_cell *cell)
{
	return atomic_load_explicit(&cell->held, memory_order_relaxed);
}

/* Holder: user messages may run. */
static inline bool wardi_cell_runs_mail(const struct wardi_cell *cell)
{
	return (wardi_cell_suspended(cell) | wardi_cell_held(cell)) == 0 &&
	       wardi_cell_state(cell) == WARDI_RUNNING;
}

static inline uint32_t wardi_cell_slot(const struct wardi_cell *cell)
{
	return wardi_uid_slot(cell->uid);
}

/* Whether its life has a path. By its parent; or under its path lock. */
static inline bool wardi_cell_is_known(const struct wardi_cell *cell)
{
	return cell->entry != 0;
}

/* The parent's uid; 0: it has none. By the holder; or under the path lock of a cell that is known:
 * a parent outlives its children. */
static inline uint64_t wardi_cell_parent_uid(const struct wardi_cell *cell)
{
	return cell->parent == NULL ? 0 : cell->parent->uid;
}

/* NULL: there is none. This and the next two by its parent; by its holder, while it lives; or under
 * its path lock. */
static inline struct wardi_entry *wardi_cell_entry(const struct wardi_cell *cell)
{
	return (cell->entry & 1) != 0 ? NULL : (struct wardi_entry *)cell->entry;
}

/* The name that was given to it; NULL: none was. */
static inline const char *wardi_cell_name(const struct wardi_cell *cell)
{
	const struct wardi_entry *entry = wardi_cell_entry(cell);

	return entry == NULL || entry->name[0] == '\0' ? NULL : entry->name;
}

/* For a generated name. */
static inline uint64_t wardi_cell_number(const struct wardi_cell *cell)
{
	const struct wardi_entry *entry = wardi_cell_entry(cell);

	return entry == NULL ? cell->entry >> 1 : entry->number;
}

/* A cell needs a general turn if one must do more with it than hand the messages of its lane to
 * receive. The holder notes that in one place, which turn.c and plain_turn.c look at before and
 * after each message:
 *
 *	it needs a general turn as long as    who judges it anew
 *	it does not run: any other state      wardi_cell_move() in self.h
 *	it is suspended                       wardi_cell_suspend(), wardi_cell_resume()
 *	it is held by a full mailbox          backpressure.c
 *	it has an extra record: a stash, a    rare.c
 *	  receive timeout, ...; not for
 *	  questions or a status alone
 *	its threads may block                 the first move of a life
 *	a simulation has a say                the same
 *
 * So whoever adds a reason calls wardi_cell_judge() where it begins and where it ends. A mailbox
 * with a policy makes no cell need one; but a turn of it is not plain, either (plain_turn.c). */
void wardi_cell_judge(struct wardi_cell *cell);

static inline uint8_t wardi_cell_turn_flags(const struct wardi_cell *cell)
{
	/* Relaxed: the holder's own, and a picture for others. A parent moves a cell that is over,
	 * which needs one before and after that. */
	return atomic_load_explicit(&cell->turn_flags, memory_order_relaxed);
}

static inline bool wardi_cell_needs_general_turn(const struct wardi_cell *cell)
{
	return (wardi_cell_turn_flags(cell) & ~WARDI_WITH_BOUNDED) != 0;
}

/* The holder: it needs general turns from now on, whatever else. */
static inline void wardi_cell_require_general_turn(struct wardi_cell *cell)
{
	/* Relaxed: as in wardi_cell_needs_general_turn(). */
	atomic_store_explicit(
		&cell->turn_flags,
		(uint8_t)(atomic_load_explicit(&cell->turn_flags, memory_order_relaxed) |
			  WARDI_GENERAL_TURN),
		memory_order_relaxed);
}

/* By the holder, or the parent. */
ward_ref wardi_cell_ref(const struct wardi_cell *cell);
struct wardi_segment *wardi_cell_segment(const struct wardi_cell *cell);
/* Where there is a worker's self its system is nearer. */
static inline ward_system *wardi_cell_system(const struct wardi_cell *cell)
{
	return wardi_cell_segment(cell)->system;
}

/* The table of moves: bit `to` of wardi_moves[from] is set if the one may follow the other. */
extern const uint16_t wardi_moves[WARDI_STATES];
static inline bool wardi_state_may_follow(enum wardi_state from, enum wardi_state to)
{
	return (wardi_moves[from] >> to & 1) != 0;
}
const char *wardi_state_name(enum wardi_state state);
/* wardi_cell_move(), where the table says no. */
_Noreturn void wardi_cell_bad_move(enum wardi_state from, enum wardi_state to);

/* Holder. Resuming floors at zero (S8). */
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

/* A share of the last failure of this life, any thread; none: it never failed. */
struct wardi_failure wardi_cell_last_failure(struct wardi_cell *cell);

/* The parent's holder: the child's last failure waits for ward_decide(). Another one that waits
 * already is decided together with it. */
void wardi_cell_add_pending(struct wardi_cell *child);
/* The parent's holder: nothing waits any more. Returns how many suspensions the answer lifts; 0:
 * nothing waited. */
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

/* The youngest; there must be one. */
struct wardi_cell *wardi_last_child(const struct wardi_cell *cell);

#endif
