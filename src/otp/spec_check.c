/* SPDX-License-Identifier: MIT
 *
 * spec_check.c - checks the tables of the supervisor of OTP before a start.
 *
 * Threads: reads constants only.
 */
#include "otp/spec_check.h"

#include <stdio.h>
#include <string.h>

#include <ward/text.h>

#include "common/arguments.h"
#include "otp/otp_supervisor.h"

/* One hour: a larger number is mostly one of milliseconds. */
static const int64_t window_max_ms = 3600 * WARD_SECOND;

bool wardi_otp_is_end(const ward_otp_child_spec *spec)
{
	return spec->props.behavior == NULL && spec->supervisor == NULL && spec->id == NULL;
}

const ward_behavior *wardi_otp_behavior(const ward_otp_child_spec *spec)
{
	return spec->supervisor != NULL ? &ward_otp_behavior : spec->props.behavior;
}

/* ---- one specification ------------------------------------------------------------------- */

static ward_err wrong(const ward_otp_child_spec *spec, const char *what)
{
	return ward_refused(WARD_EINVAL, "child \"%.*s\": %s", WARD_TEXT_FIT(spec->id, 64), what);
}

static ward_err check_id(const ward_otp_child_spec *spec)
{
	if (spec->id == NULL || spec->id[0] == '\0')
		return ward_refused(WARD_EINVAL, "a child without an id");
	if (strnlen(spec->id, WARD_OTP_ID) == WARD_OTP_ID)
		return ward_refused(WARD_EINVAL, "child \"%.*s...\": an id has at most %d bytes",
				    WARD_TEXT_FIT(spec->id, 40), WARD_OTP_ID - 1);
	return WARD_OK;
}

/* The tables of a nested supervisor are checked before they are copied. */
static ward_err check_args(const ward_otp_child_spec *spec)
{
	char whom[WARD_OTP_ID + 16];

	if (spec->props.behavior != &ward_otp_behavior)
		return WARD_OK;
	snprintf(whom, sizeof whom, "child \"%s\"", spec->id);
	return wardi_arguments_check(ward_otp_behavior.args, &spec->props.args, whom);
}

static ward_err check_start(const ward_otp_child_spec *spec)
{
	if (spec->props.behavior == NULL && spec->supervisor == NULL)
		return wrong(spec, "nothing to start: .props.behavior or .supervisor is needed");
	if (spec->props.behavior != NULL && spec->supervisor != NULL)
		return wrong(spec, ".props.behavior and .supervisor exclude each other");
	if (wardi_arguments_given(&spec->props.args) && spec->supervisor != NULL)
		return wrong(spec, ".props.args and .supervisor exclude each other");
	if (spec->props.child_strategy != NULL && wardi_otp_behavior(spec) == &ward_otp_behavior)
		return wrong(spec, "a supervisor decides by its table: no .props.child_strategy");
	return check_args(spec);
}

static ward_err check_numbers(const ward_otp_child_spec *spec)
{
	if ((unsigned)spec->restart > WARD_OTP_TEMPORARY)
		return wrong(spec, ".restart is neither permanent, transient nor temporary");
	if ((unsigned)spec->type > WARD_OTP_SUPERVISOR)
		return wrong(spec, ".type is neither worker nor supervisor");
	if (spec->shutdown_ms < WARD_OTP_BRUTAL)
		return wrong(spec, ".shutdown_ms is less than WARD_OTP_BRUTAL");
	if (spec->reserved[0] != 0 || spec->reserved[1] != 0)
		return wrong(spec, "a reserved word is not zero");
	return WARD_OK;
}

static ward_err check_significant(const ward_otp_supervisor *table, const ward_otp_child_spec *spec)
{
	if (!spec->significant)
		return WARD_OK;
	if (spec->restart == WARD_OTP_PERMANENT)
		return wrong(spec,
			     "a permanent child cannot be significant: it does not end by itself");
	if (table->auto_shutdown == WARD_OTP_NEVER)
		return wrong(spec, "no child can be significant when .auto_shutdown is never");
	if (table->strategy == WARD_OTP_SIMPLE_ONE_FOR_ONE)
		return wrong(spec, "no child can be significant with simple_one_for_one");
	return WARD_OK;
}

ward_err wardi_otp_check_spec(const ward_otp_supervisor *table, const ward_otp_child_spec *spec)
{
	ward_err err = check_id(spec);

	if (err == WARD_OK)
		err = check_start(spec);
	if (err == WARD_OK)
		err = check_numbers(spec);
	return err == WARD_OK ? check_significant(table, spec) : err;
}

/* ---- a table ----------------------------------------------------------------------------- */

static ward_err check(const ward_otp_supervisor *table, int depth);

/* Returns the name that was given, or NULL: the id is used. */
static const char *own_name_of(const ward_otp_child_spec *spec)
{
	if (spec->props.name != NULL || spec->supervisor == NULL)
		return spec->props.name;
	return spec->supervisor->name;
}

static const char *name_of(const ward_otp_child_spec *spec)
{
	const char *name = own_name_of(spec);

	return name != NULL ? name : spec->id;
}

static ward_err check_unique(const ward_otp_supervisor *table, const ward_otp_child_spec *spec)
{
	for (const ward_otp_child_spec *at = table->children; at < spec; at++) {
		if (strcmp(at->id, spec->id) == 0)
			return ward_refused(WARD_EEXIST, "two children have the id \"%.*s\"",
					    WARD_TEXT_FIT(spec->id, 64));
		if (strcmp(name_of(at), name_of(spec)) == 0)
			return ward_refused(WARD_EEXIST, "two children have the name \"%.*s\"",
					    WARD_TEXT_FIT(name_of(spec), 64));
	}
	return WARD_OK;
}

/* A nested supervisor has its table in .supervisor, or as the arguments of its props. */
static const ward_otp_supervisor *below(const ward_otp_child_spec *spec)
{
	if (spec->supervisor != NULL)
		return spec->supervisor;
	return spec->props.behavior == &ward_otp_behavior ? spec->props.args.bytes : NULL;
}

static ward_err check_children(const ward_otp_supervisor *table, int depth)
{
	ward_err err = WARD_OK;

	for (const ward_otp_child_spec *at = table->children; !wardi_otp_is_end(at); at++) {
		err = wardi_otp_check_spec(table, at);
		if (err == WARD_OK)
			err = check_unique(table, at);
		if (err == WARD_OK && below(at) != NULL)
			err = check(below(at), depth + 1);
		if (err != WARD_OK)
			break;
	}
	return err;
}

static ward_err check_simple(const ward_otp_supervisor *table)
{
	if (table->children == NULL || wardi_otp_is_end(&table->children[0]) ||
	    !wardi_otp_is_end(&table->children[1]))
		return ward_refused(WARD_EINVAL, "simple_one_for_one needs exactly one child "
						 "specification");
	if (own_name_of(&table->children[0]) != NULL)
		return ward_refused(WARD_EINVAL,
				    "simple_one_for_one: its children cannot all have "
				    "the name \"%.*s\"",
				    WARD_TEXT_FIT(own_name_of(&table->children[0]), 64));
	return WARD_OK;
}

static ward_err check_own(const ward_otp_supervisor *table)
{
	if ((unsigned)table->strategy > WARD_OTP_SIMPLE_ONE_FOR_ONE)
		return ward_refused(WARD_EINVAL, ".strategy is %d, not one of the four",
				    (int)table->strategy);
	if ((unsigned)table->auto_shutdown > WARD_OTP_ALL_SIGNIFICANT)
		return ward_refused(WARD_EINVAL, ".auto_shutdown is %d, not one of the three",
				    (int)table->auto_shutdown);
	if ((unsigned)table->restart_level > WARD_LEVEL_SEVERE ||
	    (unsigned)table->stop_level > WARD_LEVEL_SEVERE)
		return ward_refused(WARD_EINVAL,
				    ".restart_level is %d, .stop_level is %d: not both are levels",
				    (int)table->restart_level, (int)table->stop_level);
	if (table->intensity < WARD_RESTARTS_NONE || table->intensity > WARD_RESTARTS_LOG_MAX)
		return ward_refused(WARD_EINVAL,
				    ".intensity is %d: at most %d, or "
				    "WARD_RESTARTS_NONE",
				    table->intensity, WARD_RESTARTS_LOG_MAX);
	if (table->window_ms < 0 || table->window_ms > window_max_ms ||
	    table->window_ms % WARD_SECOND != 0)
		return ward_refused(WARD_EINVAL,
				    ".window_ms is %lld: whole seconds in milliseconds, as OTP "
				    "counts, at most %lld",
				    (long long)table->window_ms, (long long)window_max_ms);
	if (table->reserved[0] != 0 || table->reserved[1] != 0)
		return ward_refused(WARD_EINVAL, "a reserved word of a supervisor is not zero");
	return WARD_OK;
}

static ward_err check(const ward_otp_supervisor *table, int depth)
{
	ward_err err;

	if (table == NULL)
		return ward_refused(WARD_EINVAL, "the table of a supervisor is NULL");
	if (depth >= WARD_OTP_DEPTH_MAX)
		return ward_refused(WARD_EINVAL,
				    "supervisors are nested more than %d deep, or in a circle",
				    (int)WARD_OTP_DEPTH_MAX);
	err = check_own(table);
	if (err == WARD_OK && table->strategy == WARD_OTP_SIMPLE_ONE_FOR_ONE)
		err = check_simple(table);
	if (err == WARD_OK && table->children != NULL)
		err = check_children(table, depth);
	return err;
}

ward_err ward_otp_check(const ward_otp_supervisor *table)
{
	return check(table, 0);
}

int64_t wardi_otp_shutdown_ms(const ward_otp_child_spec *spec)
{
	if (spec->shutdown_ms != 0)
		return spec->shutdown_ms;
	return wardi_otp_is_supervisor(spec) ? WARD_OTP_INFINITY : 5 * WARD_SECOND;
}

bool wardi_otp_is_supervisor(const ward_otp_child_spec *spec)
{
	return wardi_otp_behavior(spec) == &ward_otp_behavior || spec->type == WARD_OTP_SUPERVISOR;
}
