/* SPDX-License-Identifier: MIT
 *
 * spec_copy.c - deep copies of child specifications and of whole tables.
 *
 * Their memory comes from malloc(), as does the result of any `clone`.
 *
 * Threads: touches only its arguments.
 */
#include "otp/spec_copy.h"

#include <stdlib.h>
#include <string.h>

#include <ward/actor.h>
#include <ward/otp.h>
#include <ward/types.h>

#include "common/arguments.h"
#include "otp/spec_check.h"

/* The copy owns the memory, so the const of its fields can be cast away. */
static void free_own(const void *own)
{
	free((void *)(uintptr_t)own);
}

static ward_err no_memory(void)
{
	return ward_refused(WARD_ENOMEM, "no memory for a copy of a child specification");
}

static ward_err own_text(const char *text, const char **ret_copy)
{
	*ret_copy = text == NULL ? NULL : strdup(text);
	return text != NULL && *ret_copy == NULL ? no_memory() : WARD_OK;
}

/* ---- tables ------------------------------------------------------------------------------ */

static void drop_table(ward_otp_supervisor *copy)
{
	if (copy->children != NULL)
		for (const ward_otp_child_spec *at = copy->children; !wardi_otp_is_end(at); at++)
			wardi_otp_spec_drop((ward_otp_child_spec *)(uintptr_t)at);
	free_own(copy->children);
	free_own(copy->name);
	copy->children = NULL;
	copy->name = NULL;
}

static ward_err clone_children(const ward_otp_child_spec *children,
			       const ward_otp_child_spec **ret_copy)
{
	ward_otp_child_spec *copy;
	size_t count = 0;
	ward_err err = WARD_OK;

	*ret_copy = NULL;
	if (children == NULL)
		return WARD_OK;
	while (!wardi_otp_is_end(&children[count]))
		count++;
	copy = calloc(count + 1, sizeof *copy);
	if (copy == NULL)
		return no_memory();
	*ret_copy = copy;
	for (size_t i = 0; i < count && err == WARD_OK; i++)
		err = wardi_otp_spec_clone(&copy[i], &children[i]);
	return err;
}

/* On an error the copy owns nothing. */
static ward_err clone_table(ward_otp_supervisor *copy, const ward_otp_supervisor *table)
{
	ward_err err;

	*copy = *table;
	copy->children = NULL;
	err = own_text(table->name, &copy->name);
	if (err == WARD_OK)
		err = clone_children(table->children, &copy->children);
	if (err != WARD_OK)
		drop_table(copy);
	return err;
}

static void drop_args(void *body)
{
	drop_table(body);
}

static ward_err clone_args(void *to, const void *from)
{
	ward_err err = ward_otp_check(from);

	return err == WARD_OK ? clone_table(to, from) : err;
}

const ward_type wardi_type_otp_table = {
	.name = "ward_otp_supervisor",
	.size = sizeof(ward_otp_supervisor),
	.drop = drop_args,
	.clone = clone_args,
};

/* ---- specifications ---------------------------------------------------------------------- */

static ward_err clone_supervisor(const ward_otp_supervisor *table,
				 const ward_otp_supervisor **ret_copy)
{
	ward_otp_supervisor *copy;
	ward_err err;

	if (table == NULL)
		return WARD_OK;
	copy = malloc(sizeof *copy);
	if (copy == NULL)
		return no_memory();
	err = clone_table(copy, table);
	if (err == WARD_OK)
		*ret_copy = copy;
	else
		free(copy);
	return err;
}

/* Props without a behaviour belong to a nested supervisor, or the check before the start refuses
 * them. On an error the copy must be dropped, too. */
static ward_err clone_props(ward_props *ret_copy, const ward_props *props)
{
	ward_err err;

	if (props->behavior != NULL)
		return ward_props_clone(ret_copy, props);
	if (wardi_arguments_given(&props->args))
		return ward_refused(WARD_EINVAL, "a child specification has .props.args but no "
						 ".props.behavior, which defines their type");
	*ret_copy = *props;
	ret_copy->name = ret_copy->dispatcher = NULL;
	err = own_text(props->name, &ret_copy->name);
	return err == WARD_OK ? own_text(props->dispatcher, &ret_copy->dispatcher) : err;
}

static void drop_props(ward_props *copy)
{
	if (copy->behavior != NULL) {
		ward_props_drop(copy);
		return;
	}
	free_own(copy->name);
	free_own(copy->dispatcher);
}

ward_err wardi_otp_spec_clone(ward_otp_child_spec *ret_copy, const ward_otp_child_spec *spec)
{
	ward_otp_child_spec copy = *spec;
	ward_err err;

	copy.props = (ward_props){0};
	copy.supervisor = NULL;
	err = own_text(spec->id, &copy.id);
	if (err == WARD_OK)
		err = clone_props(&copy.props, &spec->props);
	if (err == WARD_OK)
		err = clone_supervisor(spec->supervisor, &copy.supervisor);
	if (err == WARD_OK)
		*ret_copy = copy;
	else
		wardi_otp_spec_drop(&copy);
	return err;
}

void wardi_otp_spec_drop(ward_otp_child_spec *copy)
{
	drop_props(&copy->props);
	if (copy->supervisor != NULL)
		drop_table((ward_otp_supervisor *)(uintptr_t)copy->supervisor);
	free_own(copy->supervisor);
	free_own(copy->id);
	*copy = (ward_otp_child_spec){0};
}

/* ---- in a message ------------------------------------------------------------------------ */

static void drop_start_child(void *body)
{
	wardi_otp_spec_drop(&((struct ward_otp_start_child *)body)->spec);
}

const ward_type ward_type_ward_otp_start_child = {
	.name = "ward_otp_start_child",
	.size = sizeof(struct ward_otp_start_child),
	.drop = drop_start_child,
};
