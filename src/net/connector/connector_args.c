/* SPDX-License-Identifier: MIT
 *
 * connector_args.c - checks and copies the arguments of a connector.
 */
#include "net/connector/connector_args.h"

#include <stdlib.h>
#include <string.h>
#include <ward/extend.h>

#include "common/name.h"
#include "common/reserved.h"
#include "net/stream/child.h"

enum { NAME_BYTES = 256 };

struct wardi_opening_how wardi_connector_how(const struct ward_connector *args)
{
	return (struct wardi_opening_how){
		.connect_ms = args->connect_ms,
		.min_backoff_ms = args->min_backoff_ms,
		.max_backoff_ms = args->max_backoff_ms,
		.random_factor = args->random_factor,
		.tries_max = args->tries_max,
	};
}

static ward_err check(const struct ward_connector *args)
{
	struct wardi_opening_how how = wardi_connector_how(args);
	ward_err err = wardi_child_check(&args->child, "a connector");

	if (err == WARD_OK)
		err = wardi_opening_check_address(args->address);
	if (err == WARD_OK)
		err = wardi_opening_check(&how, "a connector");
	if (err == WARD_OK && args->auto_reset_ms < 0)
		err = ward_refused(WARD_EINVAL,
				   "a connector: .auto_reset_ms is %lld: it may not be negative",
				   (long long)args->auto_reset_ms);
	if (err == WARD_OK && !WARDI_RESERVED_ZERO(args->reserved))
		err = ward_refused(WARD_EINVAL, "a connector: " WARDI_RESERVED_WRONG);
	if (err == WARD_OK)
		err = wardi_child_check_stream(args->stream);
	return err;
}

static void drop(void *body)
{
	struct ward_connector *args = body;

	wardi_child_drop(&args->child);
	free((char *)(uintptr_t)args->address);
	args->address = NULL;
}

/* All children, one after the other, have the same name. */
static ward_err copy_child(ward_props *to, const ward_props *from)
{
	char name[NAME_BYTES];

	if (from->name != NULL)
		return wardi_child_copy(to, from, from->name);
	wardi_name_from(from->behavior->name, name, sizeof name);
	return wardi_child_copy(to, from, name[0] != '\0' ? name : "actor");
}

static ward_err clone(void *to, const void *from)
{
	const struct ward_connector *given = from;
	struct ward_connector *copy = to;
	ward_err err = check(given);

	if (err == WARD_OK)
		err = copy_child(&copy->child, &given->child);
	if (err != WARD_OK)
		return err;
	copy->address = strdup(given->address);
	if (copy->address != NULL)
		return WARD_OK;
	drop(copy);
	return ward_refused(WARD_ENOMEM, "a connector: no memory for its arguments");
}

const ward_type ward_type_ward_connector = {
	.name = "ward_connector",
	.size = sizeof(struct ward_connector),
	.drop = drop,
	.clone = clone,
};
