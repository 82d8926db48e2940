/* SPDX-License-Identifier: MIT
 *
 * component.c - checks and copies the components of a manager.
 *
 * Threads: all functions may run at the same time; a component is checked and copied before it is
 * shared.
 */
#include "akka_zero/object/component.h"

#include <stdlib.h>
#include <string.h>

#include <ward/text.h>

#include "akka_zero/object/active_object.h"
#include "common/arguments.h"
#include "common/refusal.h"

static bool all_zero(const uintptr_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != 0)
			return false;
	return true;
}

/* ---- the class --------------------------------------------------------------------------- */

static ward_err check_method(const ward_object_class *object_class, uint32_t number)
{
	const ward_method *method = &object_class->methods[number];

	if (method->name == NULL || method->call == NULL)
		return ward_refused(WARD_EINVAL, "class %s: method %u has no name, or no function",
				    object_class->name, number);
	if (method->args_size > WARD_METHOD_BYTES || method->answer_size > WARD_METHOD_BYTES)
		return ward_refused(WARD_EINVAL,
				    "class %s: method \"%s\" takes %u bytes and answers %u: %d at "
				    "most",
				    object_class->name, method->name, method->args_size,
				    method->answer_size, (int)WARD_METHOD_BYTES);
	if (ward_method_find(object_class, method->name) != number)
		return ward_refused(WARD_EINVAL, "class %s: two methods have the name \"%s\"",
				    object_class->name, method->name);
	return WARD_OK;
}

static ward_err check_class(const ward_object_class *object_class)
{
	ward_err err = WARD_OK;

	if (object_class->name == NULL)
		return ward_refused(WARD_EINVAL, "a class of objects has no name");
	if (object_class->methods == NULL || object_class->methods_count == 0)
		return ward_refused(WARD_EINVAL, "class %s has no methods", object_class->name);
	if (!all_zero(object_class->reserved,
		      sizeof object_class->reserved / sizeof object_class->reserved[0]))
		return ward_refused(WARD_EINVAL, "class %s: a reserved word is not zero",
				    object_class->name);
	/* Of two methods with one name the search finds the first, so the second is refused. */
	for (uint32_t i = 0; i < object_class->methods_count && err == WARD_OK; i++)
		err = check_method(object_class, i);
	return err;
}

/* ---- its hooks --------------------------------------------------------------------------- */

const ward_method *wardi_component_hook(const ward_component *component, const char *name)
{
	uint32_t number = ward_method_find(component->object_class, name);

	return number == WARD_METHOD_NONE ? NULL : &component->object_class->methods[number];
}

static ward_err check_hook(const ward_component *component, const char *which,
			   ward_object_hook by_pointer, const char *by_name)
{
	const char *class_name = component->object_class->name;
	const ward_method *method;

	if (by_name == NULL)
		return WARD_OK;
	if (by_pointer != NULL)
		return ward_refused(WARD_EINVAL,
				    "component %s: .%s and .%s_method exclude each other",
				    class_name, which, which);
	method = wardi_component_hook(component, by_name);
	if (method == NULL)
		return ward_refused(
			WARD_ENOENT,
			"component %s: .%s_method is \"%.*s\", but the class has no such method",
			class_name, which, WARD_TEXT_FIT(by_name, 64));
	if (method->args_size > 0 || method->answer_size > 0)
		return ward_refused(WARD_EINVAL,
				    "component %s: .%s_method is \"%s\": a callback takes no "
				    "arguments and has no answer",
				    class_name, which, by_name);
	return WARD_OK;
}

/* ---- its arguments ----------------------------------------------------------------------- */

static ward_err check_args(const ward_component *component)
{
	const ward_object_class *object_class = component->object_class;
	char whom[96];

	snprintf(whom, sizeof whom, "component %.*s", WARD_TEXT_FIT(object_class->name, 64));
	return wardi_arguments_check(object_class->args, &component->args, whom, ".args");
}

ward_err wardi_component_check(const ward_component *component)
{
	ward_err err = check_class(component->object_class);

	if (err == WARD_OK && component->timeout_ms < 0)
		err = ward_refused(WARD_EINVAL,
				   "component %s: .timeout_ms is %lld: it must not be negative",
				   component->object_class->name, (long long)component->timeout_ms);
	if (err == WARD_OK && !all_zero(component->reserved,
					sizeof component->reserved / sizeof component->reserved[0]))
		err = ward_refused(WARD_EINVAL, "component %s: a reserved word is not zero",
				   component->object_class->name);
	if (err == WARD_OK)
		err = check_hook(component, "pre_restart", component->pre_restart,
				 component->pre_restart_method);
	if (err == WARD_OK)
		err = check_hook(component, "post_restart", component->post_restart,
				 component->post_restart_method);
	return err == WARD_OK ? check_args(component) : err;
}

/* ---- the copy ---------------------------------------------------------------------------- */

static ward_err no_memory(void)
{
	return ward_refused(WARD_ENOMEM, "a manager of objects: no memory for a component");
}

static ward_err copy_text(const char **text)
{
	if (*text == NULL)
		return WARD_OK;
	*text = strdup(*text);
	return *text == NULL ? no_memory() : WARD_OK;
}

static void free_own(const void *own)
{
	free((void *)(uintptr_t)own);
}

void wardi_component_drop(struct wardi_component *component)
{
	const ward_component *with = &component->with;

	wardi_arguments_drop(&component->with.args);
	free_own(with->id);
	free_own(with->dispatcher);
	free_own(with->pre_restart_method);
	free_own(with->post_restart_method);
}

/* Each pointer is NULL until the copy owns its target, since copying may fail halfway. */
ward_err wardi_component_copy(struct wardi_component *to, const ward_component *from)
{
	ward_component *with = &to->with;
	const char *texts[] = {from->id != NULL ? from->id : from->object_class->name,
			       from->dispatcher, from->pre_restart_method,
			       from->post_restart_method};
	const char **places[] = {&with->id, &with->dispatcher, &with->pre_restart_method,
				 &with->post_restart_method};
	ward_err err = WARD_OK;

	*with = *from;
	with->args = (ward_body){NULL, NULL, 0};
	if (with->timeout_ms == 0)
		with->timeout_ms = 5 * WARD_SECOND;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		*places[i] = NULL;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0] && err == WARD_OK; i++) {
		err = copy_text(&texts[i]);
		if (err == WARD_OK)
			*places[i] = texts[i];
	}
	return err == WARD_OK
		       ? wardi_arguments_copy(with->object_class->args, &from->args, &with->args)
		       : err;
}
