/* SPDX-License-Identifier: MIT
 *
 * selection.c - a message on its way along a path: step by step to all that match, or to a miss.
 *
 *	ward_select_send(self, "../w-*" "/log", ...)
 *
 *	self -- ".." --> parent -- "w-*" --+--> w-1 -- "log" --> mailbox of w-1/log
 *	                                   +--> w-2 -- "log" --> mailbox of w-2/log
 *
 * Only the holder of a cell may look at its children, so the message travels as a system message
 * from cell to cell, and each takes one step: up, down, or, for the last name, into the mailbox of
 * its child. It passes every gate. Where a pattern matches several children, all but the last get a
 * copy. A name with ".." behind it is no step, but a check whether that child exists.
 *
 * Each hop is to a parent or to a child of the actor that holds it, so its life goes on, or its
 * lane is closed and refuses. The exception is the way by the root:
 *
 *	cell with many children: a portion of them; then to the root, which sends it back
 *
 * This lets the cell and others have their turns; the root is never busy. Later selections wait in
 * the cell until it is done, so that none overtakes on the same path.
 *
 * A selection that meets the end of a cell is a miss. Each is delivered, or becomes a dead letter,
 * or is dropped in silence; exactly one of them.
 *
 * Threads: a selection belongs to the lane, the queue or the holder that has it.
 */
#include "actor/selection.h"

#include <stdio.h>
#include <string.h>

#include "actor/rare.h"
#include "actor/select_far.h"
#include "actor/selecting.h"
#include "actor/selection_path.h"
#include "actor/selection_record.h"
#include "base/assert.h"
#include "base/glob.h"
#include "base/text.h"
#include "cell/children.h"
#include "cell/path.h"
#include "cell/points.h"
#include "cell/table.h"
#include "mail/ref.h"
#include "send/dead_letter.h"
#include "send/deliver.h"

enum { PORTION = 128 };

static struct wardi_source source(ward_system *system, struct ward_self *self)
{
	return self == NULL ? wardi_outside_source(system) : self->from;
}

/* ---- the record -------------------------------------------------------------------------- */

struct wardi_selection *wardi_selection_make(ward_system *system, ward_ref by, const char *path)
{
	size_t length = strlen(path);
	size_t size = 2 * length + 3;
	struct wardi_selection *it = wardi_alloc_zeroed(&system->alloc, sizeof *it + size);

	if (it == NULL)
		return NULL;
	it->way.node.kind = WARDI_SYS_SELECT;
	it->system = system;
	it->by = by;
	it->size = size;
	it->at = length + 1;
	memcpy(it->text, path, length + 1);
	wardi_path_split(path, it->text + it->at);
	return it;
}

/* The same place on the same way, without a message. */
static struct wardi_selection *branch_of(const struct wardi_selection *it)
{
	struct wardi_selection *branch = wardi_alloc(&it->system->alloc, sizeof *it + it->size);

	if (branch == NULL)
		return NULL;
	memcpy(branch, it, sizeof *it + it->size);
	branch->msg = NULL;
	return branch;
}

void wardi_selection_free(struct wardi_selection *it)
{
	if (it == NULL)
		return;
	wardi_free(&it->system->alloc, it, sizeof *it + it->size);
}

void wardi_selection_load(struct wardi_selection *it, struct ward_msg *msg, ward_ref sender)
{
	it->type = wardi_msg_type(msg);
	it->msg = msg;
	it->sender = sender;
	msg->sender_uid = sender.uid;
	wardi_msg_set_sender_place(msg, wardi_ref_place(sender));
}

/* ---- misses ------------------------------------------------------------------------------ */

/* Writes the intended path: that of the cell where the way ended, and the rest. */
static void write_intended(const struct wardi_selection *it, ward_ref where,
			   char path[WARD_EVENT_PATH])
{
	size_t length;

	wardi_path_tail(it->system, where, path, WARD_EVENT_PATH);
	length = strlen(path);
	for (const char *element = wardi_selection_element(it); *element != '\0';
	     element += strlen(element) + 1) {
		bool parted = path[length - 1] == '/'; /* behind the root */

		snprintf(path + length, WARD_EVENT_PATH - length, "%s%s", parted ? "" : "/",
			 element);
		length = strlen(path);
	}
}

void wardi_selection_lose(struct ward_self *self, const struct wardi_selection *it, ward_ref where,
			  struct ward_msg *msg, ward_reason reason)
{
	char path[WARD_EVENT_PATH], text[WARD_EVENT_TEXT];
	struct wardi_dead dead = {
		.sender = it->sender,
		.path = path,
		.text = text,
		.type = it->type,
		.reason = reason,
	};

	if (msg != NULL && wardi_auto_dropped(it->system, self, msg, reason)) {
		wardi_msg_free(source(it->system, self), msg);
		return;
	}
	write_intended(it, where, path);
	ward_text_format(text, sizeof text, "%s: \"%.*s\"", ward_reason_text(reason),
			 WARD_TEXT_FIT(it->text, 180));
	if (msg == NULL) {
		wardi_dead(it->system, self, &dead);
	} else {
		wardi_dead_message(it->system, self, &dead, msg);
		wardi_msg_free(source(it->system, self), msg);
	}
}

/* There is no such actor. Takes it. */
static void miss(struct ward_self *self, struct wardi_selection *it, ward_ref where)
{
	if (!it->silent)
		wardi_selection_lose(self, it, where, it->msg, WARD_REASON_NO_MATCH);
	else if (it->msg != NULL)
		wardi_msg_destroy(source(it->system, self), it->msg);
	wardi_selection_free(it);
}

/* ---- a step ------------------------------------------------------------------------------ */

/* Takes it. */
static void hop(struct ward_self *self, struct wardi_selection *it, struct wardi_cell *cell,
		uint64_t uid)
{
	if (!wardi_sys_send(self, cell, wardi_uid_gen(uid), &it->way.node))
		miss(self, it, wardi_ref_make(uid, it->system->place));
}

/* Takes msg. */
static void deliver(struct ward_self *self, const struct wardi_selection *it, ward_ref to,
		    struct ward_msg *msg)
{
	ward_system *system = it->system;
	ward_reason reason;
	ward_err err;

	err = wardi_has_points(system)
		      ? wardi_points.send_as(system, self, it->by, to, msg, &reason)
		      : wardi_deliver(system, self, to, msg, &reason);
	if (err == WARD_OK)
		return;
	if (it->silent && reason == WARD_REASON_DEAD) {
		wardi_msg_destroy(self->from, msg);
		return;
	}
	wardi_dead_letter(system, self, to, msg, reason);
	wardi_msg_free(self->from, msg);
}

/* Returns a message for one of several receivers; NULL: *ret_reason says why not. */
static struct ward_msg *another(struct ward_self *self, struct wardi_selection *it,
				ward_reason *ret_reason)
{
	struct ward_msg *msg = it->msg;
	ward_err err;

	*ret_reason = msg == NULL ? WARD_REASON_UNIQUE : WARD_REASON_NO_MEMORY;
	if (msg == NULL)
		return NULL;
	if (it->type->drop == NULL || it->type->clone != NULL)
		return wardi_msg_clone(self->from, msg, &err);
	it->msg = NULL; /* there is only this one */
	return msg;
}

static void give_one(struct ward_self *self, struct wardi_selection *it,
		     const struct wardi_cell *child)
{
	ward_reason reason;
	struct ward_msg *msg = another(self, it, &reason);

	if (msg != NULL) {
		deliver(self, it, wardi_cell_ref(child), msg);
		return;
	}
	wardi_dead(it->system, self,
		   &(struct wardi_dead){.sender = it->sender,
					.to = wardi_cell_ref(child),
					.type = it->type,
					.reason = reason});
}

/* The last receiver gets the message itself. Takes it. */
static void give_last(struct ward_self *self, struct wardi_selection *it,
		      const struct wardi_cell *child)
{
	if (it->msg != NULL)
		deliver(self, it, wardi_cell_ref(child), it->msg);
	else
		give_one(self, it, child);
	wardi_selection_free(it);
}

static void go_down(struct ward_self *self, struct wardi_selection *it, struct wardi_cell *child)
{
	hop(self, it, child, child->uid);
}

/* Sends a copy further down: to where it is now, or one element on. */
static void send_branch(struct ward_self *self, struct wardi_selection *it,
			struct wardi_cell *child, bool advances)
{
	struct wardi_selection *branch = branch_of(it);
	ward_reason reason = WARD_REASON_NO_MEMORY;
	struct ward_msg *msg = branch == NULL ? NULL : another(self, it, &reason);

	if (branch == NULL || (msg == NULL && reason == WARD_REASON_NO_MEMORY)) {
		wardi_selection_lose(self, it, wardi_own_ref(self), NULL, WARD_REASON_NO_MEMORY);
		if (branch != NULL)
			wardi_selection_free(branch);
		return;
	}
	branch->msg = msg;
	if (advances)
		wardi_selection_advance(branch);
	go_down(self, branch, child);
}

/* ---- patterns ---------------------------------------------------------------------------- */

static bool name_matches(const struct wardi_cell *child, const char *pattern)
{
	const char *name = wardi_cell_name(child);
	char generated[WARDI_NAME_GENERATED];

	if (name != NULL)
		return wardi_glob_matches(pattern, name);
	wardi_name_generate(child->behavior->name, wardi_cell_number(child), generated);
	return wardi_glob_matches(pattern, generated);
}

static bool is_open(const struct wardi_cell *child)
{
	/* Relaxed: this thread opened the life, which may end at any time anyway. */
	return atomic_load_explicit(&child->open_gen, memory_order_relaxed) != 0;
}

/* Returns the first child that matches, from `child` on. */
static struct wardi_cell *find_match(const struct ward_self *self, const struct wardi_selection *it,
				     struct wardi_cell *child)
{
	while (child != NULL && child->born <= it->born_max) {
		if (is_open(child) && name_matches(child, wardi_selection_element(it)))
			return child;
		child = wardi_next_child(self->cell, child);
	}
	return NULL;
}

enum shape { CHILDREN, BELOW_CHILDREN, DESCENDANTS };

static enum shape shape_of(const struct wardi_selection *it)
{
	const char *element = wardi_selection_element(it);

	if (element[strlen(element) + 1] != '\0')
		return BELOW_CHILDREN;
	return strcmp(element, "**") == 0 ? DESCENDANTS : CHILDREN;
}

static void serve_one(struct ward_self *self, struct wardi_selection *it, struct wardi_cell *child)
{
	enum shape shape = shape_of(it);

	if (shape != BELOW_CHILDREN)
		give_one(self, it, child);
	if (shape != CHILDREN)
		send_branch(self, it, child, shape == BELOW_CHILDREN);
}

/* Takes it. */
static void serve_last(struct ward_self *self, struct wardi_selection *it, struct wardi_cell *child)
{
	switch (shape_of(it)) {
	case CHILDREN:
		give_last(self, it, child);
		break;
	case BELOW_CHILDREN:
		wardi_selection_advance(it);
		go_down(self, it, child);
		break;
	case DESCENDANTS:
	default:
		it->silent = true; /* one child has got it: nothing missing below that is a miss */
		give_one(self, it, child);
		go_down(self, it, child);
		break;
	}
}

/* Sends it to the root and back, to go on with `next`, or with looks. False: it cannot be kept; go
 * on at once. */
static bool put_aside(struct ward_self *self, struct wardi_selection *it, struct wardi_cell *next)
{
	struct wardi_cell *cell = self->cell;
	struct wardi_cell *root = it->system->root_cell;
	struct wardi_selecting *queue = wardi_selecting_of(self);

	if (queue == NULL) {
		wardi_count(&it->system->counters.shortages);
		return false;
	}
	queue->away = it;
	queue->next = next;
	it->back_to = cell->uid;
	hop(self, it, root, it->system->root.uid); /* it outlives this cell: never refused */
	return true;
}

/* Serves all that match, from `child` on. Takes it. */
static void fan_out(struct ward_self *self, struct wardi_selection *it, struct wardi_cell *child)
{
	int left = PORTION;

	child = find_match(self, it, child);
	if (child == NULL) {
		miss(self, it, wardi_own_ref(self));
		return;
	}
	for (;;) {
		struct wardi_cell *next = find_match(self, it, wardi_next_child(self->cell, child));

		if (next == NULL)
			break;
		it->silent = true;
		serve_one(self, it, child);
		child = next;
		if (--left == 0 && put_aside(self, it, child))
			return;
	}
	serve_last(self, it, child);
}

/* ---- on the way -------------------------------------------------------------------------- */

static void go_to_child(struct ward_self *self, struct wardi_selection *it)
{
	struct wardi_cell *child = wardi_child_named(self->cell, wardi_selection_element(it));

	if (child == NULL) {
		miss(self, it, wardi_own_ref(self));
		return;
	}
	wardi_selection_advance(it);
	if (wardi_selection_is_at_end(it))
		give_last(self, it, child);
	else
		go_down(self, it, child);
}

static void begin_pattern(const struct ward_self *self, struct wardi_selection *it)
{
	const struct wardi_children *children = self->cell->rare->children;

	it->born_max = children == NULL ? 0 : children->youngest;
}

/* Whether the path goes down and up again, which ends here if there is such a child. */
static bool turns_back(const struct wardi_selection *it)
{
	const char *element = wardi_selection_element(it);

	return *element != '\0' && strcmp(element + strlen(element) + 1, "..") == 0;
}

static bool is_there(struct ward_self *self, struct wardi_selection *it)
{
	const struct wardi_children *children = self->cell->rare->children;

	it->looks++;
	if (!wardi_is_pattern(wardi_selection_element(it)))
		return wardi_child_named(self->cell, wardi_selection_element(it)) != NULL;
	it->looks += children == NULL ? 0 : children->count;
	begin_pattern(self, it);
	return find_match(self, it, wardi_first_child(self->cell)) != NULL;
}

enum steps { STEPS_BELOW, STEPS_PARENT, STEPS_LATER, STEPS_NOBODY };

/* Takes the steps that stay in self's cell, until one leads to its parent or to a child. */
static enum steps step_here(struct ward_self *self, struct wardi_selection *it)
{
	for (it->looks = 0;;) {
		if (strcmp(wardi_selection_element(it), "..") == 0) {
			wardi_selection_advance(it);
			if (self->cell->parent != NULL) /* the root is its own parent */
				return STEPS_PARENT;
		} else if (!turns_back(it)) {
			return STEPS_BELOW;
		} else if (is_there(self, it)) {
			wardi_selection_advance(it);
			wardi_selection_advance(it);
			if (it->looks >= PORTION && put_aside(self, it, NULL))
				return STEPS_LATER;
		} else {
			return STEPS_NOBODY;
		}
	}
}

static void step_below(struct ward_self *self, struct wardi_selection *it)
{
	it->looks = 0;
	if (wardi_selection_is_at_end(it)) {
		give_last(self, it, self->cell);
	} else if (wardi_is_pattern(wardi_selection_element(it))) {
		begin_pattern(self, it);
		fan_out(self, it, wardi_first_child(self->cell));
	} else {
		go_to_child(self, it);
	}
}

/* Takes as many steps as self's cell can. Takes it. */
static void walk(struct ward_self *self, struct wardi_selection *it)
{
	if (wardi_select_joins(self, it))
		return;
	switch (step_here(self, it)) {
	case STEPS_BELOW:
		step_below(self, it);
		break;
	case STEPS_PARENT:
		it->rises = true;
		hop(self, it, self->cell->parent, self->cell->parent->uid);
		break;
	case STEPS_LATER:
		break;
	case STEPS_NOBODY:
	default:
		miss(self, it, wardi_own_ref(self));
		break;
	}
}

void wardi_selection_enter(struct ward_self *self, struct wardi_selection *it)
{
	struct wardi_selecting *queue = wardi_selecting_in(self->cell);

	if (queue == NULL || queue->away == NULL) {
		walk(self, it);
		return;
	}
	wardi_sysmsg_set_next(&it->way.node, NULL);
	if (queue->first == NULL)
		queue->first = it;
	else
		wardi_sysmsg_set_next(&queue->last->way.node, &it->way.node);
	queue->last = it;
}

static struct wardi_selection *take_first(struct wardi_selecting *queue)
{
	struct wardi_selection *it = queue->first;

	queue->first = wardi_sysmsg_next(&it->way.node) == NULL
			       ? NULL
			       : wardi_container_of(wardi_sysmsg_next(&it->way.node),
						    struct wardi_selection, way.node);
	return it;
}

/* It is back from the root: serves the next portion, then the selections that waited for it. */
static void go_on(struct ward_self *self, struct wardi_selection *it)
{
	struct wardi_selecting *queue = wardi_selecting_in(self->cell);

	queue->away = NULL;
	it->back_to = 0;
	if (it->looks > 0)
		walk(self, it);
	else
		fan_out(self, it, queue->next);
	while (queue->away == NULL && queue->first != NULL)
		walk(self, take_first(queue));
}

/* Root: sends it back to the cell that it came from, if that life is still there. */
static void send_back(struct ward_self *self, struct wardi_selection *it)
{
	uint64_t uid = it->back_to;
	struct wardi_cell *cell = wardi_table_open(it->system, uid);

	if (cell == NULL)
		miss(self, it, wardi_own_ref(self));
	else
		hop(self, it, cell, uid);
}

void wardi_selection_start(struct ward_self *self, struct wardi_selection *it)
{
	hop(self, it, it->system->root_cell, it->system->root.uid);
}

void wardi_selection_start_at(struct ward_self *self, struct wardi_selection *it, ward_ref at,
			      bool silent)
{
	struct wardi_cell *cell = wardi_table_open(it->system, at.uid);

	it->silent = silent;
	if (cell == NULL)
		miss(self, it, at);
	else
		hop(self, it, cell, at.uid);
}

void wardi_select_arrived(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct wardi_selection *it = wardi_container_of(msg, struct wardi_selection, way.node);

	if (it->back_to == 0)
		wardi_selection_enter(self, it);
	else if (it->back_to == self->cell->uid)
		go_on(self, it);
	else
		send_back(self, it);
}

void wardi_select_missed(struct ward_self *self, struct wardi_sysmsg *msg)
{
	miss(self, wardi_container_of(msg, struct wardi_selection, way.node), wardi_own_ref(self));
}

void wardi_select_child_gone(struct wardi_cell *parent, const struct wardi_cell *child)
{
	struct wardi_selecting *queue = wardi_selecting_in(parent);

	if (queue != NULL && queue->next == child)
		queue->next = wardi_next_child(parent, child);
}

void wardi_select_end(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_selecting *queue = wardi_selecting_in(cell);

	while (queue != NULL && queue->first != NULL)
		miss(self, take_first(queue), wardi_cell_ref(cell));
}
