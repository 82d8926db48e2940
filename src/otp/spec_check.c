/* SPDX-License-Identifier: MIT
 *
 * spec_check.c - checks the tables of the supervisor of OTP before a start.
 *
 * Threads: reads constants only.
 */
#include "otp/spec_check.h"

#include <stdarg.h>
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

/* ---- where it is ------------------------------------------------------------------------- */

/* A table or a specification that is checked, in the one that contains it. */
struct place {
	const struct place *above; /* NULL: none, or unknown */
	const char *kind;
	const char *id; /* NULL: the table at the top has no name */
};

enum { PATH_SHOWN = 160 /* bytes; of a longer path the end */ };

/* Writes the ids from the top to the place, with a slash between. */
static void write_path(const struct place *place, char *path, size_t max)
{
	size_t length;

	path[0] = '\0';
	if (place->above != NULL)
		write_path(place->above, path, max);
	length = strlen(path);
	if (place->id != NULL)
		snprintf(path + length, max - length, "%s%.*s", length > 0 ? "/" : "",
			 WARD_TEXT_FIT(place->id, WARD_OTP_ID - 1));
}

/* Writes `child "pool/worker"`. */
static void write_place(const struct place *place, char *text, size_t max)
{
	char path[(WARD_OTP_DEPTH_MAX + 2) * WARD_OTP_ID];
	size_t length;

	write_path(place, path, sizeof path);
	length = strlen(path);
	if (length == 0)
		snprintf(text, max, "%s", place->kind);
	else if (length <= PATH_SHOWN)
		snprintf(text, max, "%s \"%s\"", place->kind, path);
	else
		snprintf(text, max, "%s \"...%s\"", place->kind, path + length - PATH_SHOWN);
}

static WARD_PRINTF(3, 4) ward_err
	wrong(ward_err err, const struct place *place, const char *format, ...)
{
	char where[PATH_SHOWN + 32], what[256];
	va_list args;

	va_start(args, format);
	ward_text_vformat(what, sizeof what, format, args);
	va_end(args);
	write_place(place, where, sizeof where);
	return ward_refused(err, "%s: %s", where, what);
}

static ward_err invalid(const struct place *place, const char *what)
{
	return wrong(WARD_EINVAL, place, "%s", what);
}

/* ---- one specification ------------------------------------------------------------------- */

static ward_err check_id(const struct place *place)
{
	if (strnlen(place->id, WARD_OTP_ID) == WARD_OTP_ID)
		return wrong(WARD_EINVAL, place, "an id has at most %d bytes", WARD_OTP_ID - 1);
	return WARD_OK;
}

/* Without them the start would be refused. */
static ward_err check_args(const struct place *place, const ward_props *props)
{
	char whom[PATH_SHOWN + 32];

	if (props->behavior == NULL)
		return WARD_OK;
	write_place(place, whom, sizeof whom);
	return wardi_arguments_check(props->behavior->args, &props->args, whom, ".props.args");
}

static ward_err check_start(const struct place *place, const ward_otp_child_spec *spec)
{
	if (spec->props.behavior == NULL && spec->supervisor == NULL)
		return invalid(place, "nothing to start: .props.behavior or .supervisor is needed");
	if (spec->props.behavior != NULL && spec->supervisor != NULL)
		return invalid(place, ".props.behavior and .supervisor exclude each other");
	if (wardi_arguments_given(&spec->props.args) && spec->supervisor != NULL)
		return invalid(place, ".props.args and .supervisor exclude each other");
	if (spec->props.args_given)
		return invalid(place, ".props.args_given: a specification is a template, whose "
				      "arguments are copied for each start: leave it out");
	if (spec->props.child_strategy != NULL && wardi_otp_behavior(spec) == &ward_otp_behavior)
		return invalid(place,
			       "a supervisor decides by its table: no .props.child_strategy");
	return check_args(place, &spec->props);
}

static ward_err check_numbers(const struct place *place, const ward_otp_child_spec *spec)
{
	if ((unsigned)spec->restart > WARD_OTP_TEMPORARY)
		return wrong(WARD_EINVAL, place,
			     ".restart is %d: it must be WARD_OTP_PERMANENT, WARD_OTP_TRANSIENT or "
			     "WARD_OTP_TEMPORARY",
			     (int)spec->restart);
	if ((unsigned)spec->type > WARD_OTP_SUPERVISOR)
		return wrong(WARD_EINVAL, place,
			     ".type is %d: it must be WARD_OTP_WORKER or WARD_OTP_SUPERVISOR",
			     (int)spec->type);
	if (spec->shutdown_ms < WARD_OTP_BRUTAL)
		return wrong(WARD_EINVAL, place,
			     ".shutdown_ms is %lld: it must not be negative, except "
			     "WARD_OTP_BRUTAL",
			     (long long)spec->shutdown_ms);
	if (spec->reserved[0] != 0 || spec->reserved[1] != 0)
		return invalid(place, "a reserved word is not zero");
	return WARD_OK;
}

static ward_err check_significant(const struct place *place, const ward_otp_supervisor *table,
				  const ward_otp_child_spec *spec)
{
	if (!spec->significant)
		return WARD_OK;
	if (spec->restart == WARD_OTP_PERMANENT)
		return invalid(
			place,
			"a permanent child cannot be significant: it does not end by itself");
	if (table->auto_shutdown == WARD_OTP_NEVER)
		return invalid(place, "no child can be significant when .auto_shutdown is never");
	if (table->strategy == WARD_OTP_SIMPLE_ONE_FOR_ONE)
		return invalid(place, "no child can be significant with simple_one_for_one");
	return WARD_OK;
}

/* A specification that has an id. */
static ward_err check_spec(const struct place *place, const ward_otp_supervisor *table,
			   const ward_otp_child_spec *spec)
{
	ward_err err = check_id(place);

	if (err == WARD_OK)
		err = check_start(place, spec);
	if (err == WARD_OK)
		err = check_numbers(place, spec);
	return err == WARD_OK ? check_significant(place, table, spec) : err;
}

static bool has_id(const ward_otp_child_spec *spec)
{
	return spec->id != NULL && spec->id[0] != '\0';
}

ward_err wardi_otp_check_spec(const ward_otp_supervisor *table, const ward_otp_child_spec *spec)
{
	const struct place place = {.kind = "child", .id = spec->id};

	if (!has_id(spec))
		return ward_refused(WARD_EINVAL, "a child without an id");
	return check_spec(&place, table, spec);
}

/* ---- a table ----------------------------------------------------------------------------- */

static ward_err check(const struct place *place, const ward_otp_supervisor *table, int depth);

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

static ward_err check_unique(const struct place *place, const ward_otp_supervisor *table,
			     const ward_otp_child_spec *spec)
{
	for (const ward_otp_child_spec *at = table->children; at < spec; at++) {
		if (strcmp(at->id, spec->id) == 0)
			return wrong(WARD_EEXIST, place, "two children have the id \"%.*s\"",
				     WARD_TEXT_FIT(spec->id, 64));
		if (strcmp(name_of(at), name_of(spec)) == 0)
			return wrong(WARD_EEXIST, place, "two children have the name \"%.*s\"",
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

static ward_err check_child(const struct place *place, const ward_otp_supervisor *table,
			    const ward_otp_child_spec *spec, int depth)
{
	const struct place child = {.above = place, .kind = "child", .id = spec->id};
	const struct place supervisor = {.above = place, .kind = "supervisor", .id = spec->id};
	ward_err err;

	if (!has_id(spec))
		return wrong(WARD_EINVAL, place, "child %d is without an id",
			     (int)(spec - table->children) + 1);
	err = check_spec(&child, table, spec);
	if (err == WARD_OK)
		err = check_unique(place, table, spec);
	if (err == WARD_OK && below(spec) != NULL)
		err = check(&supervisor, below(spec), depth + 1);
	return err;
}

static ward_err check_simple(const struct place *place, const ward_otp_supervisor *table)
{
	if (table->children == NULL || wardi_otp_is_end(&table->children[0]) ||
	    !wardi_otp_is_end(&table->children[1]))
		return invalid(place, "simple_one_for_one needs exactly one child specification");
	if (own_name_of(&table->children[0]) != NULL)
		return wrong(WARD_EINVAL, place,
			     "simple_one_for_one: its children cannot all have the name \"%.*s\"",
			     WARD_TEXT_FIT(own_name_of(&table->children[0]), 64));
	return WARD_OK;
}

static ward_err check_choices(const struct place *place, const ward_otp_supervisor *table)
{
	if ((unsigned)table->strategy > WARD_OTP_SIMPLE_ONE_FOR_ONE)
		return wrong(WARD_EINVAL, place,
			     ".strategy is %d: it must be one of ward_otp_strategy",
			     (int)table->strategy);
	if ((unsigned)table->auto_shutdown > WARD_OTP_ALL_SIGNIFICANT)
		return wrong(WARD_EINVAL, place,
			     ".auto_shutdown is %d: it must be one of ward_otp_auto_shutdown",
			     (int)table->auto_shutdown);
	if ((unsigned)table->restart_level > WARD_LEVEL_SEVERE ||
	    (unsigned)table->stop_level > WARD_LEVEL_SEVERE)
		return wrong(WARD_EINVAL, place,
			     ".restart_level is %d, .stop_level is %d: not both are levels",
			     (int)table->restart_level, (int)table->stop_level);
	if (table->reserved[0] != 0 || table->reserved[1] != 0)
		return invalid(place, "a reserved word of a supervisor is not zero");
	return WARD_OK;
}

static ward_err check_limit(const struct place *place, const ward_otp_supervisor *table)
{
	if (table->intensity < WARD_RESTARTS_NONE || table->intensity > WARD_RESTARTS_LOG_MAX)
		return wrong(WARD_EINVAL, place,
			     ".intensity is %d; it must be at least 0 and at most %d, or "
			     "WARD_RESTARTS_NONE",
			     table->intensity, WARD_RESTARTS_LOG_MAX);
	if (table->window_ms < 0 || table->window_ms > window_max_ms ||
	    table->window_ms % WARD_SECOND != 0)
		return wrong(WARD_EINVAL, place,
			     ".window_ms is %lld ms; it must be whole seconds "
			     "(5 * WARD_SECOND), at most %lld s",
			     (long long)table->window_ms, (long long)(window_max_ms / WARD_SECOND));
	return WARD_OK;
}

static ward_err check(const struct place *place, const ward_otp_supervisor *table, int depth)
{
	ward_err err;

	if (depth >= WARD_OTP_DEPTH_MAX)
		return wrong(WARD_EINVAL, place,
			     "supervisors are nested more than %d deep, or in a circle",
			     (int)WARD_OTP_DEPTH_MAX);
	err = check_choices(place, table);
	if (err == WARD_OK)
		err = check_limit(place, table);
	if (err == WARD_OK && table->strategy == WARD_OTP_SIMPLE_ONE_FOR_ONE)
		err = check_simple(place, table);
	if (err != WARD_OK || table->children == NULL)
		return err;
	for (const ward_otp_child_spec *at = table->children;
	     err == WARD_OK && !wardi_otp_is_end(at); at++)
		err = check_child(place, table, at, depth);
	return err;
}

ward_err wardi_otp_check_nested(const ward_otp_supervisor *table, const char *id)
{
	const struct place place = {.kind = "supervisor", .id = id};

	return check(&place, table, 0);
}

ward_err ward_otp_check(const ward_otp_supervisor *table)
{
	if (table == NULL)
		return ward_refused(WARD_EINVAL, "the table of a supervisor is NULL");
	return wardi_otp_check_nested(table, table->name);
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
