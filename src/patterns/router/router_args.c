/* SPDX-License-Identifier: MIT
 *
 * router_args.c - checks and copies the arguments of a router.
 *
 *	struct ward_router, the copy
 *	  routee ------> props, with a copy of their arguments
 *	  own ---------> roster, resizer, members, paths, their texts
 *
 * A clone that fails makes the spawn fail, with the text noted here. Pools and groups have an
 * argument type each, so that options of the other kind are refused, too.
 *
 * Threads: the clone runs in the spawn, the drop after the life of the router.
 */
#include "patterns/router/router_args.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/text.h>

#include "patterns/router/router.h"

struct own {
	struct wardi_roster roster;
	ward_resizer resizer;
	ward_ref members[];
};

/* ---- checks ------------------------------------------------------------------------------ */

static bool all_zero(const uintptr_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != 0)
			return false;
	return true;
}

static ward_err negative(const char *field, int64_t value)
{
	return ward_refused(WARD_EINVAL, "%s is %" PRId64 ": it must not be negative", field,
			    value);
}

static ward_err check_routing(const struct ward_router *args)
{
	if ((unsigned)args->routing > WARD_ROUTE_CONSISTENT_HASHING)
		return ward_refused(WARD_EINVAL, "a router: .routing is %d, which is not a routing",
				    (int)args->routing);
	if (args->routing == WARD_ROUTE_CONSISTENT_HASHING && args->hash == NULL)
		return ward_refused(WARD_EINVAL, "a router with consistent hashing needs .hash, "
						 "the function that returns the hash of a message");
	if (args->timeout_ms < 0)
		return negative("a router: .timeout_ms", args->timeout_ms);
	if (args->interval_ms < 0)
		return negative("a router: .interval_ms", args->interval_ms);
	if (!all_zero(args->reserved, sizeof args->reserved / sizeof args->reserved[0]))
		return ward_refused(WARD_EINVAL, "a router: a reserved word is not zero");
	return WARD_OK;
}

static ward_err check_number(const char *field, uint32_t number)
{
	if (number <= WARD_ROUTEES_MAX)
		return WARD_OK;
	return ward_refused(WARD_EINVAL, "a pool: %s is %" PRIu32 "; at most %d are allowed", field,
			    number, WARD_ROUTEES_MAX);
}

static ward_err check_bounds(const ward_resizer *resizer)
{
	ward_err err = check_number("the resizer's .routees_min", resizer->routees_min);

	return err == WARD_OK ? check_number("the resizer's .routees_max", resizer->routees_max)
			      : err;
}

static ward_err check_resizer(const ward_resizer *resizer)
{
	ward_err err;

	if (resizer == NULL)
		return WARD_OK;
	err = check_bounds(resizer);
	if (err != WARD_OK)
		return err;
	if (resizer->routees_max != 0 && resizer->routees_max < resizer->routees_min)
		return ward_refused(WARD_EINVAL,
				    "a resizer: .routees_max %u is less than .routees_min %u",
				    resizer->routees_max, resizer->routees_min);
	if (resizer->pressure_min < 0)
		return negative("a resizer: .pressure_min", resizer->pressure_min);
	if (resizer->back_off_below_percent < 0)
		return negative("a resizer: .back_off_below_percent",
				resizer->back_off_below_percent);
	if (!all_zero(resizer->reserved, sizeof resizer->reserved / sizeof resizer->reserved[0]))
		return ward_refused(WARD_EINVAL, "a resizer: a reserved word is not zero");
	return WARD_OK;
}

static ward_err check_pool(const struct ward_router *args)
{
	ward_err err;

	if (args->members != NULL || args->members_count != 0 || args->paths != NULL ||
	    args->paths_count != 0)
		return ward_refused(
			WARD_EINVAL,
			"a pool spawns its routees: .members and .paths are for a ward_group");
	if (args->routee.behavior == NULL)
		return ward_refused(WARD_EINVAL, "a pool needs .routee: the props of its routees");
	if (args->routee.name != NULL)
		return ward_refused(WARD_EINVAL,
				    "a pool: .routee has the name \"%.*s\", but several routees "
				    "cannot share a name",
				    WARD_TEXT_FIT(args->routee.name, 64));
	err = check_number(".routees", args->routees);
	return err == WARD_OK ? check_resizer(args->resizer) : err;
}

static ward_err check_paths(const struct ward_router *args)
{
	if (args->paths_count == 0)
		return WARD_OK;
	if (args->paths == NULL)
		return ward_refused(WARD_EINVAL, "a group: .paths_count is %u, but .paths is NULL",
				    args->paths_count);
	if (args->routing == WARD_ROUTE_SMALLEST_MAILBOX)
		return ward_refused(WARD_EINVAL, "a group with .paths cannot route to the smallest "
						 "mailbox: its routees are not known");
	for (uint32_t i = 0; i < args->paths_count; i++)
		if (args->paths[i] == NULL || args->paths[i][0] == '\0')
			return ward_refused(WARD_EINVAL,
					    "a group: .paths[%u] is %s; the text of a path is "
					    "needed, such as \"/user/NAME\"",
					    i, args->paths[i] == NULL ? "NULL" : "empty");
	return WARD_OK;
}

static ward_err check_group(const struct ward_router *args)
{
	if (args->routee.behavior != NULL || args->routees != 0 || args->resizer != NULL)
		return ward_refused(WARD_EINVAL, "a group spawns no routees: .routee, .routees and "
						 ".resizer are for a ward_pool");
	if (args->members == NULL && args->members_count != 0)
		return ward_refused(WARD_EINVAL,
				    "a group: .members_count is %u, but .members is "
				    "NULL",
				    args->members_count);
	return check_paths(args);
}

/* ---- the copy ---------------------------------------------------------------------------- */

/* The prefix in front of each path: the way up from a child of the router. */
static const char up[] = "../";
enum { UP = sizeof up - 1 };

const char *wardi_path_for_child(const char *path)
{
	return path[0] == '/' ? path : path - UP;
}

static size_t size_of_paths(const struct ward_router *args)
{
	size_t size = args->paths_count * sizeof args->paths[0];

	for (uint32_t i = 0; i < args->paths_count; i++)
		size += UP + strlen(args->paths[i]) + 1;
	return size;
}

/* Copies the pointers, followed by the texts; there is room. */
static void copy_paths(struct ward_router *to, const struct ward_router *from, void *room)
{
	const char **paths = room;
	char *text = (char *)(paths + from->paths_count);

	for (uint32_t i = 0; i < from->paths_count; i++) {
		size_t size = strlen(from->paths[i]) + 1;

		memcpy(text, up, UP);
		paths[i] = memcpy(text + UP, from->paths[i], size);
		text += UP + size;
	}
	to->paths = paths;
}

static ward_err copy(struct ward_router *to, const struct ward_router *from)
{
	size_t members = from->members_count * sizeof(ward_ref);
	struct own *own = calloc(1, sizeof *own + members + size_of_paths(from));

	if (own == NULL)
		return ward_refused(WARD_ENOMEM, "no memory for the arguments of a router");
	if (members > 0)
		memcpy(own->members, from->members, members);
	to->members = members > 0 ? own->members : NULL;
	if (from->paths_count > 0)
		copy_paths(to, from, &own->members[from->members_count]);
	else
		to->paths = NULL;
	if (from->resizer != NULL) {
		own->resizer = *from->resizer;
		to->resizer = &own->resizer;
	}
	to->own = own;
	return WARD_OK;
}

static ward_err clone_pool(void *to_, const void *from_)
{
	const struct ward_router *from = from_;
	struct ward_router *to = to_;
	ward_err err = check_routing(from);

	if (err == WARD_OK)
		err = check_pool(from);
	if (err == WARD_OK)
		err = ward_props_clone(&to->routee, &from->routee);
	if (err != WARD_OK)
		return err;
	/* Both depend on the number of waiting messages. */
	if (from->routing == WARD_ROUTE_SMALLEST_MAILBOX || from->resizer != NULL)
		to->routee.mailbox.counted = true;
	err = copy(to, from);
	if (err != WARD_OK)
		ward_props_drop(&to->routee);
	return err;
}

static ward_err clone_group(void *to, const void *from)
{
	ward_err err = check_routing(from);

	if (err == WARD_OK)
		err = check_group(from);
	return err == WARD_OK ? copy(to, from) : err;
}

static void drop(void *body)
{
	struct ward_router *args = body;
	struct own *own = args->own;

	ward_props_drop(&args->routee);
	free(own->roster.at);
	free(own);
}

#define ARGS(clone_)                                                                               \
	{                                                                                          \
		"ward_router", sizeof(struct ward_router), 0, 0, 0, drop, (clone_), NULL, NULL,    \
			NULL,                                                                      \
		{                                                                                  \
			0, 0                                                                       \
		}                                                                                  \
	}

const ward_type wardi_type_pool_args = ARGS(clone_pool);
const ward_type wardi_type_group_args = ARGS(clone_group);

struct wardi_roster *wardi_router_roster(const struct ward_router *args)
{
	return &((struct own *)args->own)->roster;
}
