/* SPDX-License-Identifier: MIT
 *
 * remote_args.c - checks and copies the arguments of a stand-in.
 *
 *	struct ward_remote, the copy
 *	  nodes -----------> a list of copies, in one block
 *	  kind ------------> a copy
 *	  failure_classes -> a copy of the list
 *	  props, args -----> clones
 *	  own_ ------------> a struct wardi_stand_in
 *
 * Threads: the clone runs in the spawn, the drop after the life of the stand-in.
 */
#include "patterns/remote/remote_args.h"

#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/guests.h>

#include "common/arguments.h"
#include "common/reserved.h"
#include "patterns/remote/places.h"

#define REFUSED(...) ward_refused(WARD_EINVAL, "a child elsewhere: " __VA_ARGS__)

static ward_err check_what(const struct ward_remote *remote)
{
	if ((remote->kind == NULL) == (remote->props == NULL))
		return REFUSED(".kind or .props must be set, and not both");
	if (remote->props != NULL && wardi_arguments_given(&remote->args))
		return REFUSED(".args beside .props: the props have arguments of their own");
	if (remote->kind == NULL)
		return WARD_OK;
	if (remote->kind[0] == '\0' || strlen(remote->kind) >= WARD_KIND_NAME)
		return REFUSED(".kind has 1 to %d bytes, not %zu", WARD_KIND_NAME - 1,
			       strlen(remote->kind));
	if (!wardi_arguments_given(&remote->args))
		return WARD_OK;
	return wardi_arguments_check(remote->args.type, &remote->args, "a child elsewhere",
				     ".args");
}

static ward_err check_times(const struct ward_remote *remote)
{
	if (remote->start_timeout_ms < 0)
		return REFUSED(".start_timeout_ms is %lld: 0 means the default",
			       (long long)remote->start_timeout_ms);
	if (remote->grace_ms != 0 && remote->grace_ms < WARDI_REMOTE_MARGIN_MS)
		return REFUSED(".grace_ms is %lld: less than %d is not safe with any node; 0 means "
			       "the least that is safe",
			       (long long)remote->grace_ms, WARDI_REMOTE_MARGIN_MS);
	return WARD_OK;
}

static ward_err check(const struct ward_remote *remote)
{
	ward_err err = check_what(remote);

	if (err == WARD_OK)
		err = check_times(remote);
	if (err == WARD_OK && remote->nodes != NULL && remote->nodes[0] == NULL)
		err = REFUSED(".nodes is empty: NULL means this system");
	if (err == WARD_OK && !WARDI_RESERVED_ZERO(remote->reserved))
		err = REFUSED(WARDI_RESERVED_WRONG);
	for (size_t i = 0; err == WARD_OK && remote->failure_classes != NULL &&
			   remote->failure_classes[i] != NULL;
	     i++)
		err = ward_failure_class_check(remote->failure_classes[i]);
	return err;
}

/* ---- the copy ---------------------------------------------------------------------------- */

static void free_own(const void *own)
{
	free((void *)(uintptr_t)own);
}

static void drop(void *body)
{
	struct ward_remote *remote = body;

	if (remote->props != NULL)
		ward_props_drop((ward_props *)(uintptr_t)remote->props);
	if (remote->args.type != NULL)
		wardi_arguments_drop(&remote->args);
	free_own(remote->props);
	free_own(remote->nodes);
	free_own(remote->kind);
	free_own(remote->failure_classes);
	free(remote->own_);
}

/* Copies the list and what it points to, into one block. NULL: no memory. */
static const char *const *copy_nodes(const char *const *nodes, size_t count)
{
	size_t size = (count + 1) * sizeof *nodes;
	const char **list;
	char *at;

	for (size_t i = 0; i < count; i++)
		size += strlen(nodes[i]) + 1;
	list = malloc(size);
	if (list == NULL)
		return NULL;
	at = (char *)(list + count + 1);
	for (size_t i = 0; i < count; i++) {
		list[i] = at;
		at = stpcpy(at, nodes[i]) + 1;
	}
	list[count] = NULL;
	return list;
}

/* Copies the list; a class is a constant. NULL: no memory. */
static const ward_failure_class *const *copy_classes(const ward_failure_class *const *classes)
{
	const ward_failure_class **list;
	size_t count = 1;

	while (classes[count - 1] != NULL)
		count++;
	list = malloc(count * sizeof *list);
	if (list != NULL)
		memcpy(list, classes, count * sizeof *list);
	return list;
}

static size_t count_nodes(const struct ward_remote *remote)
{
	size_t count = 0;

	while (remote->nodes != NULL && remote->nodes[count] != NULL)
		count++;
	return count;
}

static ward_err no_memory(void)
{
	return ward_refused(WARD_ENOMEM, "no memory for the arguments of a child elsewhere");
}

static ward_err copy_props(struct ward_remote *to, const ward_props *props)
{
	ward_props *copy = calloc(1, sizeof *copy);
	ward_err err;

	if (copy == NULL)
		return no_memory();
	err = ward_props_clone(copy, props);
	if (err == WARD_OK)
		to->props = copy;
	else
		free(copy);
	return err;
}

static ward_err copy(struct ward_remote *to, const struct ward_remote *from)
{
	struct wardi_stand_in *own = calloc(1, sizeof *own);
	ward_err err = WARD_OK;

	to->own_ = own;
	if (own == NULL)
		return no_memory();
	own->nodes_count = count_nodes(from);
	if (from->nodes != NULL) {
		to->nodes = copy_nodes(from->nodes, own->nodes_count);
		if (to->nodes == NULL)
			return no_memory();
	}
	if (from->kind != NULL) {
		to->kind = strdup(from->kind);
		if (to->kind == NULL)
			return no_memory();
	}
	if (from->failure_classes != NULL) {
		to->failure_classes = copy_classes(from->failure_classes);
		if (to->failure_classes == NULL)
			return no_memory();
	}
	if (from->props != NULL)
		err = copy_props(to, from->props);
	if (err == WARD_OK && from->args.type != NULL)
		err = wardi_arguments_copy(from->args.type, &from->args, &to->args);
	return err;
}

static ward_err clone(void *to, const void *from)
{
	const struct ward_remote *remote = from;
	struct ward_remote made = *remote;
	ward_err err = check(remote);

	if (err != WARD_OK)
		return err;
	made.nodes = NULL;
	made.kind = NULL;
	made.failure_classes = NULL;
	made.props = NULL;
	made.args = (ward_body){NULL, NULL, 0};
	err = copy(&made, remote);
	if (err == WARD_OK)
		*(struct ward_remote *)to = made;
	else
		drop(&made);
	return err;
}

const ward_type wardi_type_remote = {
	.name = "ward_remote",
	.size = sizeof(struct ward_remote),
	.drop = drop,
	.clone = clone,
};
