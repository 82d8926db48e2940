/* SPDX-License-Identifier: MIT
 *
 * supervision_table.h - the frozen table through which lower folders call functions of
 * src/supervise: after a failure, and at an end. src/supervise fills it.
 */
#ifndef WARDI_SUPERVISION_TABLE_H
#define WARDI_SUPERVISION_TABLE_H

#include "cell/cell.h"

struct ward_self;
struct wardi_budget;

struct wardi_watch;
struct wardi_watcher;

struct wardi_ending;

struct wardi_supervision {
	/* The actor failed: suspends it and its children, reports to the parent (S12). Takes the
	 * cause. */
	void (*fail)(struct ward_self *self, struct wardi_failure cause,
		     struct wardi_cell *perpetrator);
	/* A child reported failures: decides, and executes the decisions. */
	void (*child_failed)(struct ward_self *self, struct wardi_cell *child);
	/* Orders of the parent. restart takes the cause. */
	void (*restart)(struct ward_self *self, struct wardi_failure cause, uint32_t times);
	void (*resume)(struct ward_self *self, uint32_t times, bool clear);
	/* The count of suspensions of an actor that represents another one may have left or reached
	 * zero. */
	void (*suspension_changed)(struct ward_self *self);
	/* Returns the sender of what an actor with an extra record sends to the place of that ref;
	 * nobody: itself. */
	ward_ref (*name_abroad)(const struct wardi_cell *cell);
	/* The last dying child of a restart or a retry is gone. */
	void (*children_gone)(struct ward_self *self);

	/* The hooks of a behaviour that has none of its own. */
	ward_result (*default_pre_restart)(struct ward_self *self);
	ward_result (*default_post_restart)(struct ward_self *self);

	/* For an actor whose props and behaviour name none. */
	const ward_strategy *default_strategy;
	/* WARD_OK, or the fault of a strategy (NULL is fine); the caller puts its owner before the
	 * detail. */
	ward_err (*check_strategy)(const ward_strategy *strategy);

	/* Allocates the restart budget for a child, or for all: here, so that no decision can run
	 * out of memory. NULL in *ret_budget: none is needed. False: no memory. */
	bool (*budget_take)(struct wardi_source from, const ward_strategy *strategy, bool of_all,
			    struct wardi_budget **ret_budget);
	void (*budget_give)(struct wardi_source from, struct wardi_budget *budget);

	/* Death watch. watch: called by the actor, or for it before it has run. */
	ward_err (*watch)(struct ward_self *self, ward_ref who);
	void (*watch_arrived)(struct ward_self *self, struct wardi_sysmsg *msg);
	void (*unwatch_arrived)(struct ward_self *self, struct wardi_sysmsg *msg);
	void (*notice_arrived)(struct ward_self *self, struct wardi_sysmsg *msg);
	/* The same three, for a life that is over. */
	void (*answer_dead)(struct ward_self *self, struct wardi_sysmsg *msg);
	/* Whether this message, in the actor's own mailbox, reports an end that is still watched.
	 * If so it goes to receive, and the watch is over. */
	bool (*notice_here)(struct ward_self *self, const struct ward_msg *msg);
	/* A token is due for delivery: returns the message to handle, which owns its block; NULL:
	 * no longer. */
	struct ward_msg *(*notice_due)(struct ward_self *self, const struct ward_msg *msg);
	/* Frees what belongs to a token that is not delivered. */
	void (*notice_dropped)(struct ward_self *self, const struct ward_msg *msg);
	/* Ends all watches of a stopping actor; queued notices are forgotten (S45, S69). */
	void (*unwatch_all)(struct ward_self *self);
	/* Notifies all watchers and links in the list; does not touch the cell. */
	void (*tell_watchers)(struct ward_self *self, struct wardi_watcher *watchers,
			      const struct wardi_ending *ending);
	/* An actor asks another, whose end ends the question by wardi_ask_target_gone(). Number 0:
	 * its own end awaits that of `who`, by wardi_represent_gone(). NULL: no memory. */
	struct wardi_watch *(*watch_asked)(struct ward_self *self, ward_ref who, uint64_t number);
	void (*unwatch_asked)(struct ward_self *self, struct wardi_watch *watch);
	/* Moves the watch to the next question of the same actor. */
	void (*watch_asked_again)(struct wardi_watch *watch, uint64_t number);
	/* A thread outside awaits the end of an actor; wardi_waiter_gone() notifies it. */
	ward_err (*watch_outside)(ward_system *system, ward_ref who, uint64_t waiter_id,
				  struct wardi_watch **ret_watch);
	void (*unwatch_outside)(ward_system *system, struct wardi_watch *watch);
	/* The incarnation ends, which is an association: it is closed. */
	void (*association_over)(struct ward_self *self);
};

extern const struct wardi_supervision wardi_supervision;

/* False: its children need no budget, and no restart is refused. */
static inline bool wardi_strategy_has_limit(const ward_strategy *strategy)
{
	return strategy->restarts_max != 0 || strategy->limit != WARD_LIMIT_PER_CHILD;
}

/* Returns the strategy for its children; constant while it has any. */
static inline const ward_strategy *wardi_child_strategy(const struct wardi_cell *cell)
{
	if (cell->rare->child_strategy != NULL)
		return cell->rare->child_strategy;
	if (cell->behavior->child_strategy != NULL)
		return cell->behavior->child_strategy;
	return wardi_supervision.default_strategy;
}

#endif
