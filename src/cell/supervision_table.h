/* SPDX-License-Identifier: MIT
 *
 * supervision_table.h - the frozen table through which lower folders call what stands above them:
 * what happens after a failure, and who is notified of an end. src/supervise fills it.
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
	/* The actor failed: suspends it and its children, reports to the parent (S12). Takes. */
	void (*fail)(struct ward_self *self, struct wardi_failure cause,
		     struct wardi_cell *perpetrator);
	/* A child reported failures: decides and carries the decisions out. */
	void (*child_failed)(struct ward_self *self, struct wardi_cell *child);
	/* Orders of the parent. restart takes the cause. */
	void (*restart)(struct ward_self *self, struct wardi_failure cause, uint32_t times);
	void (*resume)(struct ward_self *self, uint32_t times, bool clear);
	/* The last dying child of a restart or a retry is gone. */
	void (*children_gone)(struct ward_self *self);

	/* The hooks of a behaviour that has none of its own. */
	ward_result (*default_pre_restart)(struct ward_self *self);
	ward_result (*default_post_restart)(struct ward_self *self);

	/* Of an actor whose props and behaviour name none. */
	const ward_strategy *default_strategy;
	/* WARD_OK, or what is wrong with a strategy (NULL is fine); the caller knows whose it is,
	 * and puts that before the detail. */
	ward_err (*check_strategy)(const ward_strategy *strategy);

	/* What the limit of a strategy keeps for a child, or for all: taken here, so that no
	 * decision can fail for memory. NULL in *ret_budget: nothing. False: no memory. */
	bool (*budget_take)(struct wardi_source from, const ward_strategy *strategy, bool of_all,
			    struct wardi_budget **ret_budget);
	void (*budget_give)(struct wardi_source from, struct wardi_budget *budget);

	/* Death watch. watch: by the actor, or for it before it has run. */
	ward_err (*watch)(struct ward_self *self, ward_ref who);
	void (*watch_arrived)(struct ward_self *self, struct wardi_sysmsg *msg);
	void (*unwatch_arrived)(struct ward_self *self, struct wardi_sysmsg *msg);
	void (*notice_arrived)(struct ward_self *self, struct wardi_sysmsg *msg);
	/* The same three, where the life they are for is over. */
	void (*answer_dead)(struct ward_self *self, struct wardi_sysmsg *msg);
	/* Whether this message, in the own mailbox, tells of an end that is still watched. It is
	 * for receive then, and the watch is over. */
	bool (*notice_here)(struct ward_self *self, const struct ward_msg *msg);
	/* A token is due for delivery: gives the message to handle, owning its block; NULL: not any
	 * more. */
	struct ward_msg *(*notice_due)(struct ward_self *self, const struct ward_msg *msg);
	/* Frees what hangs on a token that is not delivered. */
	void (*notice_dropped)(struct ward_self *self, const struct ward_msg *msg);
	/* Ends all watches of a stopping actor; queued notices are forgotten (S45, S69). */
	void (*unwatch_all)(struct ward_self *self);
	/* Tells all in the list, those who are linked, too; the cell is not touched. */
	void (*tell_watchers)(struct ward_self *self, struct wardi_watcher *watchers,
			      const struct wardi_ending *ending);
	/* An actor asks another one, whose end ends the question: told to wardi_ask_target_gone().
	 * NULL: no memory. */
	struct wardi_watch *(*watch_asked)(struct ward_self *self, ward_ref who, uint64_t number);
	void (*unwatch_asked)(struct ward_self *self, struct wardi_watch *watch);
	/* It belongs to the next question of the same actor from now on. */
	void (*watch_asked_again)(struct wardi_watch *watch, uint64_t number);
	/* A thread outside awaits the end of an actor; it is told by wardi_waiter_gone(). */
	ward_err (*watch_outside)(ward_system *system, ward_ref who, uint64_t waiter_id,
				  struct wardi_watch **ret_watch);
	void (*unwatch_outside)(ward_system *system, struct wardi_watch *watch);
};

extern const struct wardi_supervision wardi_supervision;

/* False: nothing is kept for its children, and no restart is refused. */
static inline bool wardi_strategy_has_limit(const ward_strategy *strategy)
{
	return strategy->restarts_max != 0 || strategy->limit != WARD_LIMIT_PER_CHILD;
}

/* What it does about failures of its children. It stays the same while there are any. */
static inline const ward_strategy *wardi_child_strategy(const struct wardi_cell *cell)
{
	if (cell->rare->child_strategy != NULL)
		return cell->rare->child_strategy;
	if (cell->behavior->child_strategy != NULL)
		return cell->behavior->child_strategy;
	return wardi_supervision.default_strategy;
}

#endif
