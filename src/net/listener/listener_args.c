/* SPDX-License-Identifier: MIT
 *
 * listener_args.c - checks and copies the arguments of a listener.
 */
#include <stdlib.h>
#include <string.h>
#include <ward/extend.h>

#include "common/reserved.h"
#include "net/listener/listener.h"
#include "net/stream/child.h"

#define REFUSED(...) ward_refused(WARD_EINVAL, "a listener: " __VA_ARGS__)

static ward_err check(const struct ward_listener *args)
{
	ward_err err;

	if (args->address == NULL || args->address[strspn(args->address, " ")] == '\0')
		return REFUSED(".address is missing: such as \"tcp:127.0.0.1:7000\"");
	if (args->child.name != NULL)
		return REFUSED(".child.name is \"%s\": there are many children, leave it out",
			       args->child.name);
	if (args->drain_ms < 0 || args->backlog < 0)
		return REFUSED(".drain_ms is %lld, .backlog %d: neither may be negative",
			       (long long)args->drain_ms, (int)args->backlog);
	if (!WARDI_RESERVED_ZERO(args->reserved))
		return REFUSED(WARDI_RESERVED_WRONG);
	err = wardi_child_check(&args->child, "a listener");
	return err == WARD_OK ? wardi_child_check_stream(args->stream) : err;
}

static void drop(void *body)
{
	struct ward_listener *args = body;

	wardi_child_drop(&args->child);
	free((char *)(uintptr_t)args->address);
	args->address = NULL;
}

static ward_err clone(void *to, const void *from)
{
	const struct ward_listener *given = from;
	struct ward_listener *copy = to;
	ward_err err = check(given);

	if (err == WARD_OK)
		err = wardi_child_copy(&copy->child, &given->child, NULL);
	if (err != WARD_OK)
		return err;
	copy->address = strdup(given->address);
	if (copy->address != NULL)
		return WARD_OK;
	drop(copy);
	return ward_refused(WARD_ENOMEM, "a listener: no memory for its arguments");
}

const ward_type ward_type_ward_listener = {
	.name = "ward_listener",
	.size = sizeof(struct ward_listener),
	.drop = drop,
	.clone = clone,
};
