/* SPDX-License-Identifier: MIT
 *
 * props.c - arguments of a behaviour: whether they fit, copies of them, and texts of refusals; and
 * copies of whole props, for behaviours whose arguments define their children.
 *
 * Threads: calls may run at the same time. Copies of props come from malloc(), as those of a clone
 * do: there is no system yet to own them.
 */
#include "cell/props.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory.h"
#include "cell/system.h"
#include "common/arguments.h"
#include "mail/message.h"

ward_result wardi_receive_nothing(struct ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}

ward_err ward_refused(ward_err err, const char *text, ...)
{
	va_list args;

	if (err == WARD_OK)
		return err;
	va_start(args, text);
	(void)wardi_verror(err, text, args);
	va_end(args);
	return err;
}

ward_err wardi_check_args(const ward_props *props)
{
	char whom[96];

	if (!wardi_arguments_given(&props->args) && props->behavior->args == NULL)
		return WARD_OK;
	snprintf(whom, sizeof whom, "behaviour %.*s", WARD_TEXT_FIT(props->behavior->name, 64));
	if (props->args_given)
		return wardi_arguments_fit(props->behavior->args, &props->args, whom, ".args");
	return wardi_arguments_check(props->behavior->args, &props->args, whom, ".args");
}

ward_err wardi_clone_args(const ward_props *props, void *to)
{
	const ward_type *type = props->behavior->args;
	uint64_t noted = wardi_errors();
	const void *bytes = props->args.bytes != NULL ? props->args.bytes : to;
	ward_err err = type->clone == NULL ? WARD_OK : wardi_type_clone(type, to, bytes);
	int error = errno;

	if (err == WARD_OK || wardi_errors() != noted)
		return err;
	return wardi_error(err, "behaviour %s: its arguments could not be copied: %s",
			   props->behavior->name, wardi_why_text(err, error));
}

/* ---- copies of props --------------------------------------------------------------------- */

static ward_err no_memory(const ward_props *props)
{
	return wardi_error(WARD_ENOMEM, "no memory for a copy of the props of %s",
			   props->behavior->name);
}

static ward_err own_text(ward_props *copy, const char *text, const char **ret_text)
{
	*ret_text = text == NULL ? NULL : strdup(text);
	return text != NULL && *ret_text == NULL ? no_memory(copy) : WARD_OK;
}

static ward_err own_args(ward_props *copy, const ward_props *props)
{
	const ward_type *type = props->behavior->args;
	size_t size;
	void *bytes;
	ward_err err;

	if (props->args.type == NULL)
		return WARD_OK;
	size = wardi_arguments_size(&props->args);
	/* One byte at least: malloc(0) may be NULL. */
	bytes = malloc(size + 1);
	if (bytes == NULL)
		return no_memory(copy);
	wardi_arguments_write(&props->args, bytes, size);
	err = wardi_clone_args(props, bytes);
	if (err == WARD_OK)
		copy->args = (ward_body){type, bytes, size};
	else
		free(bytes);
	return err;
}

ward_err ward_props_clone(ward_props *ret_copy, const ward_props *props)
{
	ward_props copy;
	ward_err err;

	if (ret_copy == NULL || props == NULL || props->behavior == NULL ||
	    props->behavior->name == NULL)
		return wardi_error(WARD_EINVAL, "the props are NULL, or their behaviour is, or its "
						"name: nothing says what to start");
	if (props->args_given)
		return wardi_error(WARD_EINVAL,
				   "behaviour %s: .args_given in props that are a template: their "
				   "arguments are copied for each spawn, so leave it out",
				   props->behavior->name);
	err = wardi_check_args(props);
	if (err != WARD_OK)
		return err;
	copy = *props;
	copy.name = copy.dispatcher = NULL;
	copy.args = (ward_body){NULL, NULL, 0};
	err = own_text(&copy, props->name, &copy.name);
	if (err == WARD_OK)
		err = own_text(&copy, props->dispatcher, &copy.dispatcher);
	if (err == WARD_OK)
		err = own_args(&copy, props);
	if (err == WARD_OK)
		*ret_copy = copy;
	else
		ward_props_drop(&copy);
	return err;
}

/* It is our copy, so the const of its fields may go. */
static void free_own(const void *own)
{
	free((void *)(uintptr_t)own);
}

void ward_props_drop(ward_props *copy)
{
	const ward_type *type;

	if (copy == NULL || copy->behavior == NULL)
		return;
	type = copy->behavior->args;
	if (copy->args.bytes != NULL && type->drop != NULL)
		type->drop((void *)(uintptr_t)copy->args.bytes);
	free_own(copy->args.bytes);
	free_own(copy->dispatcher);
	free_own(copy->name);
	copy->dispatcher = copy->name = NULL;
	copy->args = (ward_body){NULL, NULL, 0};
	copy->behavior = NULL;
}

void ward_given_drop_(const ward_props *props)
{
	const ward_body *args = props == NULL ? NULL : &props->args;

	if (args == NULL || !props->args_given || args->type == NULL || args->bytes == NULL)
		return;
	/* The caller has given them away, so the const may go. */
	if (args->type->drop != NULL && wardi_fits(args->type, args->bytes, args->size))
		wardi_type_drop(args->type, (void *)(uintptr_t)args->bytes);
}

void wardi_args_hand_back(struct wardi_source from, struct wardi_args *args)
{
	if (args == NULL)
		return;
	wardi_payload_gone(from, args->type);
	wardi_memory_put(from, args, sizeof *args + args->size);
}

void wardi_args_free(struct wardi_source from, struct wardi_args *args)
{
	if (args == NULL)
		return;
	if (args->type->drop != NULL)
		wardi_type_drop(args->type, args->bytes);
	wardi_args_hand_back(from, args);
}

ward_err wardi_args_make(struct wardi_source from, const ward_props *props,
			 struct wardi_args **ret_args)
{
	const ward_type *type = props->behavior->args;
	size_t size = wardi_arguments_size(&props->args);
	struct wardi_args *args = wardi_memory_get(from, sizeof *args + size);
	ward_err err;

	if (args == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for the arguments of an actor %s",
				   props->behavior->name);
	args->type = type;
	args->size = size;
	wardi_arguments_write(&props->args, args->bytes, size);
	err = props->args_given ? WARD_OK : wardi_clone_args(props, args->bytes);
	if (err != WARD_OK) {
		wardi_memory_put(from, args, sizeof *args + size);
		return err;
	}
	wardi_payload_made(from, type);
	*ret_args = args;
	return WARD_OK;
}
