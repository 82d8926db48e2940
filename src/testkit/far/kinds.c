/* SPDX-License-Identifier: MIT
 *
 * kinds.c - kinds that are added while guests run.
 *
 * Hosts keep the address of the table, so it has room for all from the start.
 *
 * Threads: the simulation's own.
 */
#include "testkit/far/kinds.h"

#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/testkit/check.h>

#include "common/arguments.h"
#include "testkit/far/known_classes.h"

enum { KINDS_MAX = 1 << 16 };

/* A spawn, mostly without its arguments. */
struct wardi_far_kind {
	struct wardi_far_kind *next;
	ward_props props; /* a clone */
};

ward_ref wardi_far_kinds_guests(struct wardi_far_kinds *kinds, ward_system *system)
{
	ward_guests_options options = {.failure_classes = wardi_known_classes()};
	ward_ref guests;

	*kinds = (struct wardi_far_kinds){.table = calloc(KINDS_MAX + 1, sizeof *kinds->table)};
	ward_assert(kinds->table != NULL);
	options.kinds = kinds->table;
	ward_assert_ok(ward_guests_start(system, &options, &guests));
	return guests;
}

/* Arguments of ward's own patterns hold props, and are part of the kind. */
static bool goes_with_kind(const ward_type *type)
{
	return type != NULL && type->codec == NULL && strncmp(type->name, "ward_", 5) == 0;
}

/* The table ends behind it. Returns its name; NULL: such props are refused. */
static const char *add(struct wardi_far_kinds *kinds, const char *name, const ward_props *props)
{
	struct wardi_far_kind *kind = calloc(1, sizeof *kind);
	ward_props template = *props;

	ward_assert(kind != NULL && kinds->count < KINDS_MAX);
	template.name = name;
	template.args_given = false;
	if (ward_props_clone(&kind->props, &template) != WARD_OK) {
		free(kind);
		return NULL;
	}
	if (kind->props.args.type != NULL && !goes_with_kind(props->args.type))
		wardi_arguments_drop(&kind->props.args);
	kind->next = kinds->first;
	kinds->first = kind;
	kinds->table[kinds->count++] = (ward_kind){kind->props.name, &kind->props};
	return kind->props.name;
}

bool wardi_far_kinds_describe(struct wardi_far_kinds *kinds, const ward_props *props,
			      struct ward_remote *remote)
{
	remote->kind = add(kinds, remote->props->name, props);
	remote->props = NULL;
	remote->failure_classes = wardi_known_classes();
	if (!goes_with_kind(props->args.type))
		remote->args = props->args;
	return remote->kind != NULL;
}

void wardi_far_kinds_finish(struct wardi_far_kinds *kinds)
{
	for (struct wardi_far_kind *kind; (kind = kinds->first) != NULL; free(kind)) {
		kinds->first = kind->next;
		ward_props_drop(&kind->props);
	}
	free(kinds->table);
}
