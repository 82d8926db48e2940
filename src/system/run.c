/* SPDX-License-Identifier: MIT
 *
 * run.c - ward_run(): the whole main of a small program.
 *
 * A system with one actor at the top, and useful defaults: events on standard error, an ordered end
 * at a signal, a name for the actor.
 *
 * Threads: calls may run at the same time; one system of a process owns the signals.
 */
#include <errno.h>
#include <string.h>

#include <ward/ward.h>

#include "base/error.h"
#include "base/text.h"
#include "cell/system.h"
#include "common/name.h"
#include "common/uncancelled.h"
#include "outside/outside.h"
#include "send/ready_logs.h"
#include "system/late_end.h"

enum { NAME_BYTES = 256, SAID_BYTES = 1024 };

/* The text begins with whose it is. */
static void say_last_words(void *arg, const char *text)
{
	(void)arg;
	wardi_log_text(text);
}

/* Fills in the defaults. */
static void complete(ward_options *options)
{
	bool quiet = options->log_kinds == WARD_EVENT_NONE;

	if (options->log == NULL && !quiet)
		options->log = ward_log_stderr;
	if (options->fatal == NULL && !quiet)
		options->fatal = say_last_words;
	if (options->signals == WARD_SIGNALS_DEFAULT)
		options->signals =
			options->simulation != NULL ? WARD_SIGNALS_OFF : WARD_SIGNALS_END;
}

static void say_refused(const ward_options *options)
{
	const char *name = options->name != NULL ? options->name : program_invocation_short_name;
	char line[SAID_BYTES];

	if (options->log_kinds == WARD_EVENT_NONE)
		return;
	ward_text_format(line, sizeof line, "%.*s: not started: %s", WARD_TEXT_FIT(name, 100),
			 ward_err_detail());
	wardi_log_text(line);
}

/* Starts the actor and waits for its end, or for that or the one of the system to begin. */
static ward_err run_one(ward_system *system, const ward_props *props, ward_ref *ret_ref)
{
	char name[NAME_BYTES];
	ward_props named;

	if (props != NULL && props->name == NULL && props->behavior != NULL) {
		named = *props;
		wardi_name_from(props->behavior->name, name, sizeof name);
		named.name = name[0] != '\0' ? name : NULL;
		props = &named;
	}
	ward_err err = ward_system_spawn(system, props, ret_ref);
	if (err != WARD_OK)
		return err;
	return wardi_outside_await_end(system, *ret_ref, true, WARD_FOREVER);
}

static int64_t now_ns(ward_system *system)
{
	return wardi_clock_now(&system->clock);
}

/* What is left of options.deadline_ms. */
static int64_t limit_ms(ward_system *system, int64_t begin_ns)
{
	int64_t passed_ms = (now_ns(system) - begin_ns) / WARD_NS_PER_MS;

	if (system->deadline_ms == WARD_FOREVER)
		return WARD_FOREVER;
	return passed_ms < system->deadline_ms ? system->deadline_ms - passed_ms : 0;
}

/* Ends the system; *ret_gave_up says whether it gave up. A shutdown that has begun goes on. */
static ward_err end(ward_system *system, ward_ref top, bool started, bool *ret_gave_up)
{
	int64_t begin_ns = now_ns(system);
	ward_err err = started ? WARD_OK : WARD_EDEAD;

	if (started && ward_system_is_alive(system, top))
		err = wardi_outside_await_end(system, top, false, limit_ms(system, begin_ns));
	if (err == WARD_ETIMEDOUT)
		wardi_end_late(system);
	if (err != WARD_OK || !ward_system_is_alive(system, top))
		ward_system_shutdown(system, NULL);
	err = ward_system_wait(system, limit_ms(system, begin_ns));
	if (err == WARD_ETIMEDOUT)
		wardi_end_late(system);
	*ret_gave_up = atomic_load_explicit(&system->gave_up, memory_order_relaxed);
	return err == WARD_OK ? ward_system_destroy(system, WARD_FOREVER) : err;
}

int ward_run(const ward_props *props, const ward_options *options)
{
	WARDI_UNCANCELLED;
	ward_options own = options != NULL ? *options : (ward_options){0};
	char detail[SAID_BYTES];
	ward_ref top = ward_nobody();
	ward_system *system;
	bool gave_up;
	ward_err ended, err;

	complete(&own);
	err = ward_system_create(&own, &system);
	if (err != WARD_OK) {
		say_refused(&own);
		ward_given_drop_(props);
		return 2;
	}
	system->ends_with_top = true;
	err = run_one(system, props, &top);
	if (err != WARD_OK)
		say_refused(&own);
	wardi_text_copy(detail, sizeof detail, ward_err_detail());
	ended = end(system, top, err == WARD_OK, &gave_up);
	if (err != WARD_OK)
		(void)wardi_error(err, "%s", detail); /* the first detail */
	if (err != WARD_OK || ended != WARD_OK)
		return 2;
	return gave_up ? 1 : 0;
}
