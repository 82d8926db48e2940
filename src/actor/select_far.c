/* SPDX-License-Identifier: MIT
 *
 * select_far.c - paths of other nodes: a message to ward://node/user/a goes to the association with
 * that node, and is selected at its other end.
 *
 * The name of the node is literal: a pattern in it matches nothing. Without such an association the
 * message is a dead letter with the reason UNREACHED.
 *
 * At an actor that joins two trees a selection goes on in the other one: through a message if that
 * is on another node.
 *
 * Threads: all functions may run at the same time; those with a selection on its holder's worker.
 */
#include "actor/select_far.h"

#include <string.h>

#include <ward/extend.h>

#include "actor/selecting.h"
#include "actor/selection_record.h"
#include "base/error.h"
#include "cell/places.h"
#include "mail/outgoing.h"
#include "send/dead_letter.h"
#include "send/far.h"

static const char scheme[] = "ward://";

bool wardi_path_is_far(const char *path)
{
	return path != NULL && strncmp(path, scheme, sizeof scheme - 1) == 0;
}

/* Writes the name of the node; returns what is behind it: "" or "/...". */
static const char *read_node(const char *path, char node[WARD_NODE_NAME])
{
	const char *rest = path + sizeof scheme - 1;
	size_t length = strcspn(rest, "/");

	node[0] = '\0';
	if (length < WARD_NODE_NAME) {
		memcpy(node, rest, length);
		node[length] = '\0';
	}
	return rest + length;
}

static void lose(ward_system *system, struct ward_self *self, const char *path,
		 struct ward_msg *msg, ward_reason reason)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	struct wardi_dead dead = {.path = path, .reason = reason};

	if (!wardi_auto_dropped(system, self, msg, reason))
		wardi_dead_message(system, self, &dead, msg);
	wardi_msg_free(from, msg);
}

/* Takes the path, an allocation. NULL: no memory; or there was none for the path. */
static struct ward_msg *wrap(struct wardi_source from, const struct ward_self *self, ward_ref to,
			     char *path, struct ward_msg *msg)
{
	ward_ref sender = wardi_far_name(self, ward_msg_sender(msg), to);
	struct ward_msg *envelope = NULL;

	if (path != NULL)
		envelope = wardi_outgoing_make(from, WARD_CONTROL_SELECT, sender, to);
	if (envelope == NULL) {
		if (path != NULL)
			wardi_free(from.pool->alloc, path, strlen(path) + 1);
		return NULL;
	}
	wardi_outgoing_of(envelope)->path = path;
	wardi_outgoing_of(envelope)->msg = msg;
	return envelope;
}

static char *copy_of(struct wardi_source from, const char *path)
{
	size_t size = strlen(path) + 1;
	char *copy = wardi_alloc(from.pool->alloc, size);

	return copy == NULL ? NULL : memcpy(copy, path, size);
}

void wardi_select_leave(ward_system *system, struct ward_self *self, const char *path,
			struct ward_msg *msg)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	char node[WARD_NODE_NAME];
	const char *behind = read_node(path, node);
	uint32_t place = ward_node_place(system, node);
	struct ward_msg *envelope;

	if (place == 0) {
		lose(system, self, path, msg, WARD_REASON_UNREACHED);
		return;
	}
	if (!wardi_far_may_leave(system, place, msg)) {
		wardi_far_refused(system, self, place, msg);
		lose(system, self, path, msg, WARD_REASON_LOCAL);
		return;
	}
	envelope = wrap(from, self, wardi_ref_make(0, place),
			copy_of(from, behind[0] == '\0' ? "/" : behind), msg);
	if (envelope == NULL) {
		wardi_far_refused(system, self, place, msg);
		lose(system, self, path, msg, WARD_REASON_NO_MEMORY);
	} else {
		wardi_far_send(system, self, envelope);
	}
}

/* ---- from one tree into another ---------------------------------------------------------- */

/* Returns the elements as a path, "." for none. NULL: no memory. */
static char *join(struct wardi_source from, const char *elements)
{
	size_t size = 0;
	char *path, *at;

	if (*elements == '\0')
		return copy_of(from, ".");
	for (const char *each = elements; *each != '\0'; each += strlen(each) + 1)
		size += strlen(each) + 1;
	path = wardi_alloc(from.pool->alloc, size);
	if (path == NULL)
		return NULL;
	memcpy(path, elements, size);
	for (at = path + strlen(path); at + 1 < path + size; at += strlen(at))
		*at = '/';
	return path;
}

/* It is a dead letter with the path of the actor from which it should go on. */
static void lose_at(struct ward_self *self, ward_ref to, struct ward_msg *msg, ward_reason reason)
{
	char path[WARD_EVENT_PATH];

	ward_system_path(self->system, to, path, sizeof path);
	lose(self->system, self, path, msg, reason);
}

/* Sends its message on its way to an actor elsewhere, from which the elements go on. Takes it. */
static void cross_far(struct ward_self *self, ward_ref to, const char *elements, bool silent,
		      struct ward_msg *msg)
{
	struct ward_msg *envelope;

	if (!wardi_far_may_leave(self->system, wardi_ref_place(to), msg)) {
		lose_at(self, to, msg, WARD_REASON_LOCAL);
		return;
	}
	envelope = wrap(self->from, self, to, join(self->from, elements), msg);
	if (envelope == NULL) {
		wardi_far_refused(self->system, self, wardi_ref_place(to), msg);
		lose_at(self, to, msg, WARD_REASON_NO_MEMORY);
		return;
	}
	wardi_outgoing_of(envelope)->silent = silent;
	wardi_far_send(self->system, self, envelope);
}

/* Returns the actor elsewhere from which the path goes on; nobody: it stays in this tree. */
static ward_ref joined_to(const struct ward_self *self, const struct wardi_selection *it)
{
	const struct wardi_extra *extra = self->cell->rare->extra;
	const struct wardi_selecting *joined = extra == NULL ? NULL : extra->selecting;

	if (joined == NULL)
		return ward_nobody();
	if (it->rises)
		return joined->above;
	return wardi_selection_is_at_end(it) || strcmp(wardi_selection_element(it), "..") == 0
		       ? ward_nobody()
		       : joined->below;
}

/* Takes it. */
static void cross(struct ward_self *self, struct wardi_selection *it, ward_ref to)
{
	if (wardi_ref_is_here(it->system->place, to)) {
		wardi_selection_start_at(self, it, to, it->silent);
		return;
	}
	if (it->msg == NULL)
		wardi_selection_lose(self, it, wardi_own_ref(self), NULL, WARD_REASON_UNIQUE);
	else
		cross_far(self, to, wardi_selection_element(it), it->silent, it->msg);
	wardi_selection_free(it);
}

bool wardi_select_joins(struct ward_self *self, struct wardi_selection *it)
{
	ward_ref to = joined_to(self, it);

	it->rises = false;
	if (ward_ref_is_nobody(to))
		return false;
	cross(self, it, to);
	return true;
}

ward_err ward_try_join_paths(ward_self *self, ward_ref below, ward_ref above)
{
	struct wardi_selecting *joined;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if ((!ward_ref_is_nobody(below) && !wardi_place_has_actor(self->system, below)) ||
	    (!ward_ref_is_nobody(above) && !wardi_place_has_actor(self->system, above)))
		return wardi_error(WARD_EFOREIGN, "ward_join_paths: an actor of another system");
	joined = wardi_selecting_of(self);
	if (joined == NULL)
		return wardi_no_memory(self->system, "no memory to join paths");
	joined->below = below;
	joined->above = above;
	return WARD_OK;
}
