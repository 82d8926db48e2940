/* SPDX-License-Identifier: MIT
 *
 * objects.c - a manager of active objects, as the program uses it.
 *
 *	configure -> the components, copied -> supervise, or spawn -> get
 *
 * The program and the props of the supervisor share it: the program releases its share, the props
 * drop theirs at their end. Strategy and components stay valid until both are gone.
 *
 * Threads: all calls may run at the same time. The supervisor publishes a uid with release, after
 * all that belongs to it.
 */
#include "akka_zero/object/objects.h"

#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/text.h>

#include "akka_zero/object/active_object.h"
#include "akka_zero/object/component.h"
#include "akka_zero/object/object_manager.h"
#include "common/outside_start.h"

#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire

/* ---- shares ------------------------------------------------------------------------------ */

static void share(struct ward_objects *objects)
{
	atomic_fetch_add_explicit(&objects->shares, 1, memory_order_relaxed);
}

void ward_objects_release(ward_objects *objects)
{
	/* Release: the reads of this share; acquire: before the last share frees it. */
	if (objects == NULL ||
	    atomic_fetch_sub_explicit(&objects->shares, 1, memory_order_acq_rel) != 1)
		return;
	for (uint32_t i = 0; i < objects->count; i++)
		wardi_component_drop(&objects->at[i]);
	free(objects);
}

void wardi_objects_hide(struct ward_objects *objects)
{
	for (uint32_t i = 0; i < objects->count; i++)
		atomic_store_explicit(&objects->at[i].uid, 0, RELEASE);
}

static ward_err clone_args(void *to, const void *from)
{
	const struct ward_supervised *given = from;

	if (given->objects == NULL)
		return ward_refused(WARD_EINVAL, "a supervisor of objects has no objects");
	if ((given->reserved[0] | given->reserved[1]) != 0)
		return ward_refused(WARD_EINVAL,
				    "a supervisor of objects: a reserved word is not zero");
	memcpy(to, given, sizeof *given);
	share(given->objects);
	return WARD_OK;
}

void wardi_objects_disown(struct ward_supervised *args)
{
	struct ward_objects *objects = args->objects;
	uint64_t uid = args->reserved[WARDI_OBJECTS_OWNS];

	if (uid == 0)
		return;
	args->reserved[WARDI_OBJECTS_OWNS] = 0;
	wardi_objects_hide(objects);
	/* `owner` last: a thread that sees there that they have none may supervise them at once. By
	 * then it may be the next supervisor. */
	atomic_store_explicit(&objects->claimed, false, RELEASE);
	atomic_compare_exchange_strong_explicit(&objects->owner, &uid, 0, RELEASE,
						memory_order_relaxed);
}

/* The arguments of a supervisor are dropped after its life: its objects are gone. One whose init
 * has failed has run no post_stop. */
static void drop_args(void *body)
{
	struct ward_supervised *args = body;

	wardi_objects_disown(args);
	ward_objects_release(args->objects);
}

const ward_type wardi_objects_args_type = {.name = "ward_supervised",
					   .size = sizeof(struct ward_supervised),
					   .drop = drop_args,
					   .clone = clone_args};

/* ---- configure --------------------------------------------------------------------------- */

static const char *id_of(const ward_component *component)
{
	return component->id != NULL ? component->id : component->object_class->name;
}

static ward_err check_id(const ward_component *components, uint32_t number)
{
	const char *id = id_of(&components[number]);

	for (uint32_t i = 0; i < number; i++)
		if (strcmp(id_of(&components[i]), id) == 0)
			return ward_refused(
				WARD_EEXIST,
				"two components have the id \"%.*s\"; set .id of one of them",
				WARD_TEXT_FIT(id, 64));
	return WARD_OK;
}

static ward_err check(const ward_strategy *strategy, const ward_component *components,
		      ward_objects **ret_objects, uint32_t *ret_count)
{
	uint32_t count = 0;
	ward_err err = ward_strategy_check(strategy);

	if (err != WARD_OK)
		return err;
	if (ret_objects == NULL || components == NULL || components[0].object_class == NULL)
		return ward_refused(WARD_EINVAL, "a manager of objects has no components");
	for (; components[count].object_class != NULL && err == WARD_OK; count++) {
		err = wardi_component_check(&components[count]);
		if (err == WARD_OK)
			err = check_id(components, count);
	}
	*ret_count = count;
	return err;
}

static void set_up(struct ward_objects *objects, const ward_strategy *strategy)
{
	objects->asked = strategy != NULL ? strategy : &ward_default_strategy;
	/* Failures that no rule covers are for the parent, as in Akka 0.x, with or without a
	 * decide. */
	if (objects->asked->rules[0].failure_class != NULL &&
	    objects->asked->otherwise == WARD_UNDECIDED) {
		objects->trapping = *objects->asked;
		objects->trapping.otherwise = WARD_ESCALATE;
		objects->asked = &objects->trapping;
	}
	objects->strategy = (ward_strategy){.scope = objects->asked->scope,
					    .decide = wardi_objects_decide,
					    .limit = objects->asked->limit,
					    .restarts_max = objects->asked->restarts_max,
					    .window_ms = objects->asked->window_ms,
					    .quiet = objects->asked->quiet,
					    .restart_level = objects->asked->restart_level,
					    .stop_level = objects->asked->stop_level};
	atomic_store_explicit(&objects->shares, 1, memory_order_relaxed);
}

ward_err ward_objects_configure(const ward_strategy *strategy, const ward_component *components,
				ward_objects **ret_objects)
{
	struct ward_objects *objects;
	uint32_t count = 0;
	ward_err err = check(strategy, components, ret_objects, &count);

	if (err != WARD_OK)
		return err;
	objects = calloc(1, sizeof *objects + count * sizeof objects->at[0]);
	if (objects == NULL)
		return ward_refused(WARD_ENOMEM, "a manager of objects: no memory");
	set_up(objects, strategy);
	while (objects->count < count && err == WARD_OK) {
		err = wardi_component_copy(&objects->at[objects->count],
					   &components[objects->count]);
		objects->count++;
	}
	if (err == WARD_OK)
		*ret_objects = objects;
	else
		ward_objects_release(objects);
	return err;
}

/* ---- supervise --------------------------------------------------------------------------- */

ward_err ward_objects_supervise(ward_objects *objects, ward_system *system, int64_t timeout_ms)
{
	struct wardi_objects_started started;
	const struct wardi_outside_start start = {
		.props = WARD_PROPS(&wardi_objects_awaited,
				    .args = WARD_ARGS(ward_supervised, .objects = objects)),
		.ready = &wardi_type_objects_start,
		.started = &wardi_type_objects_started,
		.answer = &started,
		.err = &started.err,
		.text = started.text,
		.late = "not all objects have started in time",
	};
	ward_ref supervisor;
	ward_err err;

	if (objects == NULL || timeout_ms <= 0)
		return ward_refused(
			WARD_EINVAL,
			"ward_objects_supervise: objects is NULL, or timeout_ms is not positive");
	if (!ward_ref_is_nobody(ward_objects_ref(objects)))
		return ward_refused(WARD_EEXIST, "these objects already have a supervisor");
	err = wardi_outside_start(system, &start, timeout_ms, &supervisor);
	/* The supervisor has recorded why it ended, unless another supervisor has the objects
	 * now. */
	if (err == WARD_EDEAD && !ward_ref_is_nobody(supervisor) &&
	    ward_system_wait_for(system, supervisor, WARD_FOREVER) == WARD_OK &&
	    ward_ref_is_nobody(ward_objects_ref(objects)))
		return ward_refused(objects->why.err, "%s", objects->why.text);
	return err;
}

/* ---- get --------------------------------------------------------------------------------- */

static ward_ref ref_of(const ward_objects *objects, const _Atomic uint64_t *uid_at)
{
	uint64_t uid = atomic_load_explicit(uid_at, ACQUIRE);

	if (uid == 0)
		return ward_nobody();
	return ward_ref_at(atomic_load_explicit(&objects->place, memory_order_relaxed),
			   WARD_REF_ACTOR, uid);
}

ward_ref ward_objects_ref(const ward_objects *objects)
{
	return objects == NULL ? ward_nobody() : ref_of(objects, &objects->owner);
}

static ward_err no_component(const ward_object_class *object_class, const char *id)
{
	return ward_refused(WARD_ENOENT, "no component is %s%.*s%s%.*s", id == NULL ? "" : "\"",
			    WARD_TEXT_FIT(id == NULL ? "of class " : id, 64),
			    id == NULL ? "" : "\", of class ",
			    WARD_TEXT_FIT(object_class == NULL ? "any" : object_class->name, 64));
}

/* Finds the component of this id, of any class if that is NULL; without an id, the only one of the
 * class. */
static ward_err find(const ward_objects *objects, const ward_object_class *object_class,
		     const char *id, const struct wardi_component **ret_found)
{
	const struct wardi_component *found = NULL;

	for (uint32_t i = 0; i < objects->count; i++) {
		const ward_component *with = &objects->at[i].with;

		if (id != NULL ? strcmp(with->id, id) != 0 : with->object_class != object_class)
			continue;
		if (found != NULL)
			return ward_refused(
				WARD_EINVAL,
				"\"%.*s\" and \"%.*s\" are both of class %s: name one by its id",
				WARD_TEXT_FIT(found->with.id, 64), WARD_TEXT_FIT(with->id, 64),
				object_class->name);
		found = &objects->at[i];
	}
	if (found == NULL)
		return no_component(object_class, id);
	if (object_class != NULL && found->with.object_class != object_class)
		return ward_refused(WARD_ETYPE, "\"%.*s\" is of class %s, not %s",
				    WARD_TEXT_FIT(id, 64), found->with.object_class->name,
				    object_class->name);
	*ret_found = found;
	return WARD_OK;
}

ward_err ward_objects_get(const ward_objects *objects, const ward_object_class *object_class,
			  const char *id, ward_object *ret_object)
{
	const struct wardi_component *found = NULL;
	ward_ref ref;
	ward_err err;

	if (objects == NULL || ret_object == NULL || (object_class == NULL && id == NULL))
		return ward_refused(
			WARD_EINVAL,
			"ward_objects_get: objects, ret_object and a class or an id are needed");
	err = find(objects, object_class, id, &found);
	if (err != WARD_OK)
		return err;
	ref = ref_of(objects, &found->uid);
	if (ward_ref_is_nobody(ref))
		return ward_refused(WARD_EDEAD, "\"%.*s\" has not started yet, or has ended",
				    WARD_TEXT_FIT(found->with.id, 64));
	*ret_object =
		(ward_object){ref, atomic_load_explicit(&objects->system, memory_order_relaxed),
			      found->with.object_class, found->with.timeout_ms};
	return WARD_OK;
}
