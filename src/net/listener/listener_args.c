/* SPDX-License-Identifier: MIT
 *
 * listener_args.c - checks and copies the arguments of a listener.
 *
 * The child's props are copied without their arguments, since those of its behaviour are a
 * ward_connection. The arguments are copied by their own type.
 */
#include <stdlib.h>
#include <string.h>
#include <ward/extend.h>

#include "common/arguments.h"
#include "net/listener/listener.h"

#define REFUSED(...) ward_refused(WARD_EINVAL, "a listener: " __VA_ARGS__)

static ward_err check(const struct ward_listener *args)
{
	const ward_behavior *behavior = args->child.behavior;

	if (args->address == NULL || args->address[strspn(args->address, " ")] == '\0')
		return REFUSED(".address is missing: such as \"tcp:127.0.0.1:7000\"");
	if (behavior == NULL)
		return REFUSED(".child has no behavior: it needs the props of the children");
	if (behavior->args == NULL || !ward_type_same(behavior->args, &ward_type_ward_connection))
		return REFUSED("the behaviour \"%s\" of .child does not take connections: declare "
			       ".args = &ward_type_ward_connection",
			       behavior->name != NULL ? behavior->name : "");
	if (args->child.name != NULL)
		return REFUSED(".child.name is \"%s\": there are many children, leave it out",
			       args->child.name);
	if (args->child.args.type != NULL && !wardi_copyable(args->child.args.type))
		return ward_refused(WARD_EUNIQUE,
				    "a listener: .child.args are of type \"%s\", which owns things "
				    "and has no clone to copy them with",
				    args->child.args.type->name);
	if (args->drain_ms < 0 || args->backlog < 0)
		return REFUSED(".drain_ms is %lld, .backlog %d: neither may be negative",
			       (long long)args->drain_ms, (int)args->backlog);
	return WARD_OK;
}

static void drop(void *body)
{
	struct ward_listener *args = body;

	wardi_arguments_drop(&args->child.args);
	free((char *)(uintptr_t)args->address);
	free((char *)(uintptr_t)args->child.dispatcher);
	args->address = args->child.dispatcher = NULL;
}

static ward_err clone(void *to, const void *from)
{
	const struct ward_listener *given = from;
	struct ward_listener *copy = to;
	ward_err err = check(given);

	if (err != WARD_OK)
		return err;
	copy->address = strdup(given->address);
	copy->child.dispatcher = given->child.dispatcher ? strdup(given->child.dispatcher) : NULL;
	copy->child.args = (ward_body){NULL, NULL, 0};
	if (copy->address == NULL ||
	    (given->child.dispatcher != NULL && copy->child.dispatcher == NULL))
		err = ward_refused(WARD_ENOMEM, "a listener: no memory for its arguments");
	if (err == WARD_OK)
		err = wardi_arguments_copy(given->child.args.type, &given->child.args,
					   &copy->child.args);
	if (err != WARD_OK)
		drop(copy);
	return err;
}

const ward_type ward_type_ward_listener = {
	.name = "ward_listener",
	.size = sizeof(struct ward_listener),
	.drop = drop,
	.clone = clone,
};
