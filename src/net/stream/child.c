/* SPDX-License-Identifier: MIT
 *
 * child.c - props of children that get a connection.
 */
#include "net/stream/child.h"

#include <stdlib.h>
#include <string.h>
#include <ward/extend.h>
#include <ward/ward.h>

#include "common/arguments.h"
#include "net/stream/filtering.h"
#include "net/stream/options.h"

ward_err wardi_child_check(const ward_props *child, const char *whom)
{
	const ward_behavior *behavior = child->behavior;

	if (behavior == NULL)
		return ward_refused(WARD_EINVAL,
				    "%s: .child has no behavior: it needs the props of the child",
				    whom);
	if (behavior->args == NULL || !ward_type_same(behavior->args, &ward_type_ward_connection))
		return ward_refused(WARD_EINVAL,
				    "%s: the behaviour \"%s\" of .child does not take connections: "
				    "declare .args = &ward_type_ward_connection",
				    whom, behavior->name != NULL ? behavior->name : "");
	if (child->args.type != NULL && !wardi_copyable(child->args.type))
		return ward_refused(WARD_EUNIQUE,
				    "%s: .child.args are of type \"%s\", which owns things and has "
				    "no clone to copy them with",
				    whom, child->args.type->name);
	return WARD_OK;
}

void wardi_child_drop(ward_props *copy)
{
	wardi_arguments_drop(&copy->args);
	free((char *)(uintptr_t)copy->name);
	free((char *)(uintptr_t)copy->dispatcher);
	copy->name = copy->dispatcher = NULL;
}

/* False: no memory. */
static bool copy_text(const char **ret_copy, const char *text)
{
	*ret_copy = text != NULL ? strdup(text) : NULL;
	return text == NULL || *ret_copy != NULL;
}

ward_err wardi_child_copy(ward_props *to, const ward_props *from, const char *name)
{
	ward_err err;
	bool named, placed;

	*to = *from;
	to->args = (ward_body){NULL, NULL, 0};
	named = copy_text(&to->name, name);
	placed = copy_text(&to->dispatcher, from->dispatcher);
	if (named && placed)
		err = wardi_arguments_copy(from->args.type, &from->args, &to->args);
	else
		err = ward_refused(WARD_ENOMEM, "no memory for the props of a child");
	if (err != WARD_OK)
		wardi_child_drop(to);
	return err;
}

ward_err wardi_child_check_stream(const ward_stream_options *options)
{
	struct wardi_filtering *filtering;
	ward_err err = options != NULL ? wardi_stream_check(options) : WARD_OK;

	if (err != WARD_OK || options == NULL)
		return err;
	err = wardi_filtering_make(options, &filtering);
	wardi_filtering_free(filtering);
	return err;
}

ward_err wardi_child_spawn(ward_self *self, const ward_props *copy, ward_stream *stream,
			   const ward_stream_options *options, ward_ref *ret_child)
{
	struct ward_connection connection = {stream, copy->args.bytes};
	ward_props props = *copy;

	stream->options = options;
	props.args = (ward_body){WARD_COPY(ward_connection, &connection)};
	props.args_given = true;
	return ward_try_spawn(self, &props, ret_child);
}
