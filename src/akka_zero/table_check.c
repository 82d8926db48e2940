/* SPDX-License-Identifier: MIT
 *
 * table_check.c - checks the tables of the Akka 0.x profile before a start.
 *
 * Threads: reads constants only.
 */
#include "akka_zero/table_check.h"

#include <string.h>

#include <ward/extend.h>
#include <ward/supervise.h>
#include <ward/text.h>
#include <ward/types.h>
#include <ward/zero.h>
#include <ward/zero_factory.h>

bool wardi_zero_is_end(const ward_zero_component *component)
{
	return component->props.behavior == NULL && component->nested == NULL;
}

static const char *name_of(const ward_zero_component *component)
{
	return component->nested != NULL ? component->nested->name : component->props.name;
}

static const char *kind_of(const ward_zero_component *component)
{
	return component->nested != NULL ? "a supervisor" : component->props.behavior->name;
}

ward_props wardi_zero_props(const ward_zero_component *component)
{
	const ward_zero_factory *below = component->nested;

	if (below == NULL)
		return component->props;
	return *WARD_PROPS(&ward_zero_supervisor, .name = below->name,
			   .args = {WARD_COPY(ward_zero_factory, below)});
}

/* ---- checks ------------------------------------------------------------------------------ */

static ward_err check(const ward_zero_factory *factory, int depth);

static ward_err check_one(const ward_zero_component *component, int depth)
{
	const char *name;

	if (wardi_zero_is_end(component))
		return ward_refused(WARD_EINVAL, "a component without a behavior: .props.behavior "
						 "or .nested is needed");
	name = name_of(component) != NULL ? name_of(component) : kind_of(component);
	if (component->nested != NULL && component->props.behavior != NULL)
		return ward_refused(WARD_EINVAL,
				    "component \"%.*s\": .props and .nested exclude "
				    "each other",
				    WARD_TEXT_FIT(name, 64));
	if (component->life != WARD_ZERO_PERMANENT && component->life != WARD_ZERO_TEMPORARY)
		return ward_refused(WARD_EINVAL,
				    "component \"%.*s\": .life is %d, not one of the "
				    "two life-cycles",
				    WARD_TEXT_FIT(name, 64), (int)component->life);
	if ((component->reserved[0] | component->reserved[1]) != 0)
		return ward_refused(WARD_EINVAL,
				    "component \"%.*s\": a reserved word is not "
				    "zero",
				    WARD_TEXT_FIT(name, 64));
	if (component->props.args_given)
		return ward_refused(WARD_EINVAL,
				    "component \"%.*s\": .props.args_given in a component, which "
				    "is a template: leave it out",
				    WARD_TEXT_FIT(name, 64));
	if (component->remote.host != NULL || component->remote.port != 0)
		return ward_refused(
			WARD_ENOENT,
			"component \"%.*s\": the remote address "
			"%.*s:%u is not available: there is no "
			"clustering yet",
			WARD_TEXT_FIT(name, 64),
			WARD_TEXT_FIT(component->remote.host != NULL ? component->remote.host : "",
				      64),
			component->remote.port);
	return component->nested != NULL ? check(component->nested, depth + 1) : WARD_OK;
}

static ward_err check_traps(const ward_failure_class *const *trap_exit)
{
	for (int i = 0; i < WARD_ZERO_TRAPS_MAX && trap_exit[i] != NULL; i++)
		if (ward_failure_class_check(trap_exit[i]) != WARD_OK)
			return ward_refused(WARD_EINVAL, "trap_exit[%d]: %s", i, ward_err_detail());
	return WARD_OK;
}

ward_err wardi_zero_check_strategy(const ward_zero_strategy *strategy)
{
	ward_err err;

	if (strategy == NULL)
		return WARD_OK;
	if (strategy->trap_exit[0] != NULL && strategy->fault_handler.decide != ward_zero_decide)
		return ward_refused(WARD_EINVAL, "a trap list without a fault handler: make the "
						 "strategy by WARD_ZERO_STRATEGY()");
	err = check_traps(strategy->trap_exit);
	return err == WARD_OK ? ward_strategy_check(&strategy->fault_handler) : err;
}

static ward_err check_names(const ward_zero_component *components,
			    const ward_zero_component *component)
{
	const char *name = name_of(component);

	for (const ward_zero_component *at = components; name != NULL && at < component; at++)
		if (name_of(at) != NULL && strcmp(name_of(at), name) == 0)
			return ward_refused(WARD_EEXIST, "two components have the name \"%.*s\"",
					    WARD_TEXT_FIT(name, 64));
	return WARD_OK;
}

static ward_err check(const ward_zero_factory *factory, int depth)
{
	const ward_zero_component *at;
	ward_err err;

	if (factory == NULL || factory->components == NULL ||
	    wardi_zero_is_end(factory->components))
		return ward_refused(WARD_EINVAL, "a supervisor without components");
	if ((factory->reserved[0] | factory->reserved[1]) != 0)
		return ward_refused(WARD_EINVAL, "a supervisor: a reserved word is not zero");
	if (depth >= WARD_ZERO_DEPTH_MAX)
		return ward_refused(WARD_EINVAL,
				    "supervisors are nested more than %d deep, or in "
				    "a circle",
				    (int)WARD_ZERO_DEPTH_MAX);
	err = wardi_zero_check_strategy(factory->strategy);
	for (at = factory->components; err == WARD_OK && !wardi_zero_is_end(at); at++) {
		err = check_names(factory->components, at);
		if (err == WARD_OK)
			err = check_one(at, depth);
	}
	return err;
}

ward_err ward_zero_check(const ward_zero_factory *factory)
{
	return check(factory, 0);
}

ward_err wardi_zero_check_component(const ward_zero_component *component)
{
	return check_one(component, 0);
}

/* ---- looking for a behaviour ------------------------------------------------------------- */

bool wardi_zero_has(const ward_zero_factory *factory, const ward_behavior *behavior)
{
	for (const ward_zero_component *at = factory->components; !wardi_zero_is_end(at); at++)
		if (at->nested != NULL ? wardi_zero_has(at->nested, behavior)
				       : at->props.behavior == behavior)
			return true;
	return false;
}
