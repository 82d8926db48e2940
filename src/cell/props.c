/* SPDX-License-Identifier: MIT
 *
 * props.c - arguments of a behaviour: whether they fit it, and copies of them; and copies of whole
 * props, for behaviours whose arguments say what children to make.
 *
 * Safe together: everything. A copy of props comes from malloc, as what a clone makes does: there
 * is no system yet that it could belong to.
 */
#include "cell/props.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ward/actor.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cell/system.h"
#include "mail/message.h"

ward_err wardi_check_args(const ward_props *props)
{
	const ward_type *type = props->behavior->args;
	char sizes[WARDI_SIZES_TEXT];

	if (type == NULL && props->args != NULL)
		return wardi_error(WARD_EINVAL,
				   "behaviour %s takes no arguments: set behavior.args",
				   props->behavior->name);
	if (type == NULL)
		return WARD_OK;
	if (props->args == NULL && props->args_size != 0)
		return wardi_error(WARD_ESIZE, "props.args is NULL but props.args_size is not 0");
	if (props->args == NULL && type->size > 0)
		return wardi_error(WARD_EINVAL,
				   "behaviour %s needs arguments of type %s: set props.args",
				   props->behavior->name, type->name);
	if (props->args != NULL &&
	    wardi_type_check(type, props->args,
			     props->args_size != 0 ? props->args_size : type->size))
		return wardi_error(
			WARD_ESIZE,
			"behaviour %s: arguments of %zu bytes are no \"%s\", which has %s",
			props->behavior->name, props->args_size, type->name,
			wardi_type_sizes(type, sizes));
	if (type->drop != NULL && type->clone == NULL)
		return wardi_error(WARD_EUNIQUE,
				   "behaviour %s: its arguments are of type \"%s\", which owns "
				   "things and has no clone to copy them with: declare it with "
				   "WARD_MESSAGE_CLONE",
				   props->behavior->name, type->name);
	return WARD_OK;
}

ward_err wardi_clone_args(const ward_props *props, void *to)
{
	const ward_type *type = props->behavior->args;
	uint64_t noted = wardi_errors();
	ward_err err = type->clone == NULL ? WARD_OK : wardi_type_clone(type, to, props->args);
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
	void *bytes;
	ward_err err;

	if (props->args == NULL)
		return WARD_OK;
	copy->args_size = props->args_size != 0 ? props->args_size : type->size;
	/* One byte at least: malloc(0) may be NULL. */
	bytes = malloc(copy->args_size + 1);
	if (bytes == NULL)
		return no_memory(copy);
	memcpy(bytes, props->args, copy->args_size);
	err = wardi_clone_args(props, bytes);
	if (err == WARD_OK)
		copy->args = bytes;
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
	err = wardi_check_args(props);
	if (err != WARD_OK)
		return err;
	copy = *props;
	copy.name = copy.dispatcher = NULL;
	copy.args = NULL;
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

/* It is ours, so the const of the fields is not. */
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
	if (copy->args != NULL && type->drop != NULL)
		type->drop((void *)(uintptr_t)copy->args);
	free_own(copy->args);
	free_own(copy->dispatcher);
	free_own(copy->name);
	copy->args = copy->dispatcher = copy->name = NULL;
	copy->behavior = NULL;
}

void wardi_args_free(struct wardi_source from, struct wardi_args *args)
{
	if (args == NULL)
		return;
	if (args->type->drop != NULL)
		wardi_type_drop(args->type, args->bytes);
	wardi_payload_gone(from, args->type);
	wardi_free(from.pool->alloc, args, sizeof *args + args->size);
}

ward_err wardi_args_make(ward_system *system, const ward_props *props, struct wardi_args **ret_args)
{
	const ward_type *type = props->behavior->args;
	size_t size = props->args_size != 0 ? props->args_size : type->size;
	struct wardi_args *args = wardi_alloc_zeroed(&system->alloc, sizeof *args + size);
	ward_err err;

	if (args == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for the arguments of an actor %s",
				   props->behavior->name);
	args->type = type;
	args->size = size;
	memcpy(args->bytes, props->args, size);
	err = wardi_clone_args(props, args->bytes);
	if (err != WARD_OK) {
		wardi_free(&system->alloc, args, sizeof *args + size);
		return err;
	}
	wardi_payload_made(wardi_outside_source(system), type);
	*ret_args = args;
	return WARD_OK;
}
