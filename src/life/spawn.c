/* SPDX-License-Identifier: MIT
 *
 * spawn.c - making a child. All memory for its failures and its end is taken here, so that a spawn
 * may be refused with a code, and nothing later may.
 *
 * Pairs  [S2] open_gen: release here - acquire in wardi_table_open(): a thread that sees the
 *        generation sees the whole cell.
 */
#include "life/spawn.h"

#include <string.h>

#include "actor/children_few.h"
#include "actor/rare.h"
#include "actor/selection.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cell/bounded_pool.h"
#include "cell/children.h"
#include "cell/path.h"
#include "cell/props.h"
#include "cell/shown_life.h"
#include "cell/supervision_table.h"
#include "cell/table.h"
#include "life/late_mail.h"
#include "life/move_state.h"

/* The resources acquired before the cell is filled in; all zero: none. */
struct acquired {
	bool plain; /* the props are: see are_plain() */
	struct wardi_cell *cell;
	void *memory;
	struct wardi_entry *entry; /* NULL: the child needs none */
	struct wardi_bounded *bounded;
	struct wardi_dispatcher *dispatcher;
};

static ward_err check_strategies(const ward_props *props)
{
	const ward_behavior *behavior = props->behavior;
	ward_err err = wardi_supervision.check_strategy(props->child_strategy);

	if (props->child_strategy != NULL && behavior->own_strategy)
		return wardi_error(WARD_EINVAL,
				   "behaviour %s decides by itself about its children: no "
				   "props.child_strategy",
				   behavior->name);
	if (err != WARD_OK)
		return wardi_error(
			err, "props.child_strategy of \"%.*s\": %s",
			WARD_TEXT_FIT(props->name != NULL ? props->name : behavior->name, 64),
			ward_err_detail());
	err = wardi_supervision.check_strategy(behavior->child_strategy);
	if (err != WARD_OK)
		return wardi_error(err, "child_strategy of behaviour %s: %s", behavior->name,
				   ward_err_detail());
	return WARD_OK;
}

/* Whether the props are a behaviour alone, and that behaviour has callbacks alone: then nothing
 * else needs a check. Nearly all props are plain. */
static inline bool are_plain(const ward_props *props)
{
	const ward_behavior *behavior = props->behavior;
	const ward_mailbox *mailbox = &props->mailbox;

	if ((props->args.size | props->memory_max | props->stash_max | props->reserved[0] |
	     props->reserved[1] | props->reserved[2] | mailbox->messages_max |
	     (uintptr_t)mailbox->overflow | mailbox->reserved[0] | mailbox->reserved[1]) != 0)
		return false;
	if (props->name != NULL || props->args.type != NULL || props->args.bytes != NULL ||
	    props->dispatcher != NULL || props->child_strategy != NULL ||
	    mailbox->priority != NULL || mailbox->control_first || mailbox->counted)
		return false;
	return behavior->name != NULL && behavior->args == NULL &&
	       behavior->child_strategy == NULL && WARDI_ALL_ZERO(behavior->reserved);
}

static ward_err check_props(const ward_props *props)
{
	const ward_behavior *behavior = props == NULL ? NULL : props->behavior;
	ward_err err;

	if (props == NULL)
		return wardi_error(WARD_EINVAL, "the props are NULL: nothing says what to start");
	if (behavior == NULL)
		return wardi_error(WARD_EINVAL, "props.behavior is NULL: set it to the behaviour");
	if (behavior->name == NULL)
		return wardi_error(WARD_EINVAL, "a behaviour has no name: set its .name");
	if (!WARDI_ALL_ZERO(props->reserved) || !WARDI_ALL_ZERO(behavior->reserved))
		return wardi_error(
			WARD_EINVAL,
			"behaviour %s: a reserved word of its props or table is not zero",
			behavior->name);
	if (!WARDI_ALL_ZERO(props->mailbox.reserved))
		return wardi_error(WARD_EINVAL,
				   "behaviour %s: a reserved word of props.mailbox is not zero",
				   behavior->name);
	if ((unsigned)props->mailbox.overflow > WARD_OVERFLOW_HOLD_SENDER)
		return wardi_error(WARD_EINVAL, "props.mailbox.overflow is %d, no such policy",
				   (int)props->mailbox.overflow);
	if (props->mailbox.overflow != WARD_OVERFLOW_REFUSE && props->mailbox.messages_max == 0)
		return wardi_error(WARD_EINVAL,
				   "props.mailbox has an overflow policy but no messages_max");
	err = props->name == NULL ? WARD_OK : wardi_name_check(props->name);
	if (err == WARD_OK)
		err = check_strategies(props);
	return err == WARD_OK ? wardi_check_args(props) : err;
}

/* ---- names among siblings ---------------------------------------------------------------- */

/* Frees the child's name among its siblings; its path keeps the name to the end. */
static void free_name(struct wardi_cell *parent, struct wardi_entry *entry)
{
	wardi_hash_remove(&parent->rare->children->names, &entry->link);
	entry->cell = NULL;
}

/* A name belongs to the child until the child is closed; none of its callbacks runs from then on.
 * So an actor that knows of the end may have the name used again: it cannot know whether the parent
 * has been notified (S54). */
static ward_err claim_name(struct wardi_cell *parent, const char *name)
{
	struct wardi_entry *entry = wardi_child_entry(parent, name);
	char path[WARD_EVENT_PATH];

	if (entry == NULL)
		return WARD_OK;
	if (wardi_child_has_closed(entry->cell)) {
		free_name(parent, entry);
		return WARD_OK;
	}
	wardi_path_tail(wardi_cell_system(parent), wardi_cell_ref(parent), path, sizeof path);
	return wardi_error(WARD_EEXIST,
			   "%s has a child \"%.*s\" already: give this one another .name, or stop "
			   "that one first and wait for its end, by ward_terminated or "
			   "ward_system_wait_for()",
			   path, WARD_TEXT_FIT(name, 64));
}

/* False: no memory. */
static bool make_children_table(struct wardi_cell *parent, struct wardi_source from)
{
	ward_system *system = wardi_cell_system(parent);
	struct wardi_rare *rare = wardi_rare_for(parent, from);
	struct wardi_children *children;

	if (rare == NULL)
		return false;
	children = wardi_alloc_zeroed(&system->alloc, sizeof *children);
	if (children == NULL)
		return false;
	wardi_list_init(&children->list);
	wardi_hash_init(&children->names, &system->alloc);
	children->budget_due = true;
	rare->children = children;
	return true;
}

/* Takes the record that the parent's limit keeps for the child; with the first child, also the one
 * for all children. False: no memory. */
static bool take_budgets(struct wardi_source from, const struct wardi_cell *parent,
			 struct wardi_budget **ret_budget)
{
	const ward_strategy *strategy = wardi_child_strategy(parent);
	struct wardi_children *children = parent->rare->children;

	if (children->budget_due)
		children->budget_due =
			!wardi_supervision.budget_take(from, strategy, true, &children->budget);
	return !children->budget_due &&
	       wardi_supervision.budget_take(from, strategy, false, ret_budget);
}

/* ---- what a life needs ------------------------------------------------------------------- */

static ward_err no_memory_for(const ward_behavior *behavior)
{
	return wardi_error(WARD_ENOMEM, "no memory for an actor %s", behavior->name);
}

/* Takes what only few props ask for. */
static ward_err take_rare(struct wardi_source from, const ward_props *props,
			  struct wardi_cell *cell)
{
	struct wardi_rare *rare;

	if (props->args.type == NULL && props->child_strategy == NULL && props->memory_max == 0 &&
	    props->stash_max == 0)
		return WARD_OK;
	rare = wardi_rare_for(cell, from);
	if (rare == NULL)
		return no_memory_for(props->behavior);
	rare->child_strategy = props->child_strategy;
	rare->memory_max = props->memory_max;
	rare->stash_max = props->stash_max;
	return props->args.type == NULL ? WARD_OK : wardi_args_make(from, props, &rare->args);
}

/* Takes the entry that the parent keeps for the child beside the cell. False: no memory. */
static bool take_entry(struct wardi_source from, const struct wardi_cell *parent,
		       const ward_props *props, struct acquired *t)
{
	struct wardi_budget *budget = NULL;
	const char *name;

	if (parent != NULL && wardi_strategy_has_limit(wardi_child_strategy(parent)) &&
	    !take_budgets(from, parent, &budget))
		return false;
	if (budget == NULL && props->name == NULL)
		return true;
	name = props->name == NULL ? "" : props->name;
	t->entry = wardi_memory_get(from, wardi_entry_size(name));
	if (t->entry == NULL) {
		wardi_supervision.budget_give(from, budget);
		return false;
	}
	t->entry->cell = t->cell;
	t->entry->budget = budget;
	strcpy(t->entry->name, name);
	return true;
}

static ward_err take(ward_system *system, struct ward_self *self, struct wardi_source from,
		     const struct wardi_cell *parent, const ward_props *props, struct acquired *t)
{
	size_t state_size = props->behavior->state_size;
	ward_err err;

	t->cell = wardi_free_cells_take(system, self, &err);
	if (t->cell == NULL)
		return err;
	if (!t->plain) {
		err = take_rare(from, props, t->cell);
		if (err != WARD_OK)
			return err;
	}
	if (state_size > 0 && (t->memory = wardi_memory_get(from, state_size)) == NULL)
		goto no_memory;
	if (!t->plain && wardi_bounded_needed(&props->mailbox) &&
	    (t->bounded = wardi_bounded_pool_take(system)) == NULL)
		goto no_memory;
	if (!take_entry(from, parent, props, t))
		goto no_memory;
	if (props->dispatcher == NULL && parent != NULL) {
		t->dispatcher = system->root_cell->runnable.dispatcher;
		return WARD_OK;
	}
	return wardi_dispatcher_acquire(system->sched, props->dispatcher, &t->dispatcher);

no_memory:
	return no_memory_for(props->behavior);
}

static void give_back(ward_system *system, struct ward_self *self, struct wardi_source from,
		      const ward_props *props, struct acquired *t)
{
	if (t->dispatcher != NULL)
		wardi_dispatcher_release(t->dispatcher);
	if (t->bounded != NULL)
		wardi_bounded_pool_give(system, t->bounded);
	wardi_entry_free(from, t->entry);
	if (t->memory != NULL)
		wardi_memory_put(from, t->memory, props->behavior->state_size);
	if (t->cell == NULL)
		return;
	if (props->args_given && t->cell->rare->args != NULL) {
		wardi_args_hand_back(from, t->cell->rare->args);
		t->cell->rare->args = NULL;
	}
	wardi_rare_free(t->cell, from);
	/* A cell that never had a life stays held: see wardi_table_seize(). */
	if (self != NULL && wardi_uid_gen(t->cell->uid) != 0) {
		t->cell->runnable.dispatcher = system->root_cell->runnable.dispatcher;
		wardi_late_mail(self, t->cell);
	}
	wardi_table_give(system, t->cell);
}

/* ---- opening ----------------------------------------------------------------------------- */

static void fill(struct wardi_cell *cell, const struct wardi_cell *parent, const ward_props *props,
		 const struct acquired *t)
{
	cell->receive = wardi_receive_of(props->behavior);
	cell->memory = t->memory;
	cell->runnable.dispatcher = t->dispatcher;
	cell->blocks = props->dispatcher != NULL && wardi_dispatcher_blocks(t->dispatcher);
	cell->end = WARDI_END_TOLD;
	/* Relaxed: published with open_gen. */
	atomic_store_explicit(&cell->incarnation, 0, memory_order_relaxed);
	atomic_store_explicit(&cell->restarted, 0, memory_order_relaxed);
	/* A child of a suspended parent starts suspended as often (S10). */
	atomic_store_explicit(&cell->suspended, parent == NULL ? 0 : wardi_cell_suspended(parent),
			      memory_order_relaxed);
}

static void join_parent(struct wardi_cell *cell, struct wardi_cell *parent)
{
	wardi_list_append(&parent->rare->children->list, &cell->sibling);
	parent->rare->children->count++;
}

/* Returns a number above that of the parent and of all siblings so far. The parent may have come
 * from another worker, which has other numbers at hand. */
static uint64_t number(ward_system *system, struct ward_self *self, struct wardi_cell *parent)
{
	struct wardi_children *siblings = parent == NULL ? NULL : parent->rare->children;
	uint64_t after = siblings == NULL ? 0 : siblings->youngest;
	uint64_t born;

	if (parent != NULL && after < parent->born)
		after = parent->born;
	born = wardi_life_number(system, self, after);
	if (siblings != NULL)
		siblings->youngest = born;
	return born;
}

static void publish_life(ward_system *system, struct wardi_cell *cell, struct wardi_cell *parent,
			 uint64_t born, const struct acquired *t, const ward_props *props)
{
	struct wardi_spin *lock = wardi_path_lock(system, wardi_cell_slot(cell));
	bool named = t->entry != NULL && t->entry->name[0] != '\0';
	struct wardi_shown_life life = {
		.uid = cell->uid + (UINT64_C(1) << 32), .behavior = props->behavior, .born = born};
	uint64_t number = 0; /* the root's has no use */

	if (parent != NULL && !named)
		number = parent->rare->children->generated++;
	if (t->entry == NULL) {
		life.entry = (uintptr_t)(number << 1 | 1);
		wardi_life_show(cell, &life, parent);
	} else {
		if (!named)
			t->entry->number = number;
		life.entry = (uintptr_t)t->entry;
		wardi_spin_take(lock, WARDI_LOCK_PATH);
		wardi_life_show(cell, &life, parent);
		wardi_spin_drop(lock);
	}
	if (t->bounded != NULL)
		wardi_bounded_open(t->bounded, cell->uid, &props->mailbox);
	wardi_mailbox_open(&cell->mailbox, t->bounded);
	cell->end_node.kind = WARDI_SYS_STOP;
}

/* Puts the spawn in front of the error detail: the functions that it calls do not know for whom
 * they work. */
static ward_err told(ward_system *system, ward_err err)
{
	if (err == WARD_ENOMEM)
		wardi_count(&system->counters.shortages);
	return err;
}

ward_err wardi_spawn(ward_system *system, struct ward_self *self, struct wardi_cell *parent,
		     const ward_props *props, struct wardi_cell **ret_child)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	struct acquired t = {0};
	struct wardi_cell *cell;
	ward_err err = WARD_OK;

	t.plain = props != NULL && props->behavior != NULL && are_plain(props);
	if (!t.plain)
		err = check_props(props);
	if (err == WARD_OK && parent != NULL) {
		if (wardi_cell_state(parent) == WARDI_STOPPING)
			return wardi_error(WARD_ESTOPPING, "a stopping actor starts no children");
		if (props->name != NULL)
			err = claim_name(parent, props->name);
		if (err == WARD_OK && parent->rare->children == NULL &&
		    !make_children_table(parent, from))
			err = wardi_error(WARD_ENOMEM, "no memory for the first child");
	}
	if (err != WARD_OK)
		return told(system, err);
	err = take(system, self, from, parent, props, &t);
	if (err == WARD_OK && parent != NULL && props->name != NULL &&
	    !wardi_hash_insert(&parent->rare->children->names, &t.entry->link,
			       wardi_hash_bytes(system->seed, props->name, strlen(props->name))))
		err = wardi_error(WARD_ENOMEM, "no memory for the name of a child");
	if (err != WARD_OK) {
		give_back(system, self, from, props, &t);
		return told(system, err);
	}
	cell = t.cell;
	fill(cell, parent, props, &t);
	if (parent != NULL)
		join_parent(cell, parent);
	publish_life(system, cell, parent, number(system, self, parent), &t, props);
	wardi_life_counter_add(self == NULL ? &system->life_counters.spawned
					    : &self->life_counters.spawned);
	wardi_cell_move(self, cell, WARDI_STARTING);
	atomic_store_explicit(&cell->open_gen, wardi_uid_gen(cell->uid),
			      memory_order_release); /* [S2] */
	*ret_child = cell;
	return WARD_OK;
}

/* ---- a child that is gone ---------------------------------------------------------------- */

/* Ends the life for all observers: from here on its path reads as stale. */
static void unpublish_life(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_spin *lock = wardi_path_lock(self->system, wardi_cell_slot(cell));
	struct wardi_entry *entry = wardi_cell_entry(cell);
	struct wardi_failure last = cell->last_failure;

	if (entry == NULL && wardi_failure_is_none(last)) {
		wardi_life_hide(cell);
		return;
	}
	wardi_spin_take(lock, WARDI_LOCK_PATH);
	wardi_life_hide(cell);
	cell->last_failure = WARDI_NO_FAILURE;
	wardi_spin_drop(lock);
	if (entry != NULL)
		wardi_entry_free(self->from, entry);
	wardi_failure_unref(last);
}

void wardi_child_gone(struct ward_self *self, struct wardi_cell *child)
{
	struct wardi_children *children = self->cell->rare->children;
	struct wardi_entry *entry = wardi_cell_entry(child);
	/* Without the lock: written by the child, whose end this actor has seen, or by this
	 * actor. */
	uint32_t reports = child->commands.reports;

	child->commands.reports = 0;
	child->commands.unanswered = false;
	wardi_cell_take_pending(child); /* stop wins */
	if (wardi_cell_name(child) != NULL && entry->cell != NULL)
		free_name(self->cell, entry);
	if (self->cell->rare->extra != NULL) {
		wardi_select_child_gone(self->cell, child);
		wardi_children_few_child_goes(self);
	}
	wardi_list_remove(&child->sibling);
	children->count--;
	children->dying -= child->dying;
	child->dying = child->survivor = false;
	wardi_cell_move(self, child, WARDI_FREE);
	unpublish_life(self, child);
	wardi_life_counter_add(&self->life_counters.ended);
	/* A report that was not looked at yet is still in the deferred list of this actor: then the
	 * cell is given back when that report comes up. */
	if (reports == 0)
		wardi_free_cells_give(self, child);
}

/* ---- for the user ------------------------------------------------------------------------ */

ward_err ward_try_spawn(ward_self *self, const ward_props *props, ward_ref *ret_child)
{
	return wardi_self_usable(self) ? wardi_spawn_child(self, props, NULL, NULL, ret_child)
				       : WARD_EINVAL;
}
