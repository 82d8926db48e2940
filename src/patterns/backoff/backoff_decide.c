/* SPDX-License-Identifier: MIT
 *
 * backoff_decide.c - the decisions of a back-off supervisor about its child.
 *
 *	            restart                                     resume, stop, escalate
 *	on stop     at once, as long as the limit allows it;    as they are
 *	            then stop
 *	on failure  stop; its end starts the delay; past the    as they are
 *	            limit just stop
 *
 * Threads: between two messages of the supervisor.
 */
#include "patterns/backoff/backoff_decide.h"

#include <inttypes.h>
#include <stdio.h>

#include <ward/event.h>
#include <ward/extend.h>
#include <ward/failure.h>

#include "common/backoff_delay.h"
#include "patterns/backoff/backoff_args.h"
#include "patterns/backoff/backoff_supervisor.h"

/* Asks the strategy of the options. If that does not decide now, the default decider does (S95). */
static ward_directive opinion(const struct ward_backoff *args, ward_self *self, ward_ref child,
			      const ward_failure *failure)
{
	const ward_strategy *strategy =
		args->default_stopping_strategy ? &ward_stopping_strategy : args->strategy;
	ward_directive directive = ward_strategy_decide(self, strategy, child, failure);

	if (directive == WARD_UNDECIDED || directive == WARD_LATER)
		return ward_default_decide(self, child, failure);
	return directive;
}

bool wardi_backoff_may_retry(const struct wardi_backoff *me)
{
	uint32_t max;

	return !wardi_backoff_max(me->args, &max) || me->count < max;
}

void wardi_backoff_give_up(const struct wardi_backoff *me, ward_self *self, const char *what)
{
	uint32_t max = 0;

	(void)wardi_backoff_max(me->args, &max);
	ward_note(self, WARD_LEVEL_SEVERE,
		  "gives up: its child %s after %u of %u restarts in a row", what, max, max);
}

/* ---- the text of the event --------------------------------------------------------------- */

/* Formats a delay: "0.115 s" exactly; from one second on rounded up: "3.0 s", "3 min 20 s". */
static void delay_text(char *text, size_t max, int64_t ms)
{
	int64_t tenths = ms / 100 + (ms % 100 != 0), seconds = ms / 1000 + (ms % 1000 != 0);
	int digits = 3;

	if (ms < WARD_SECOND) {
		for (; digits > 1 && ms % 10 == 0; digits--)
			ms /= 10;
		snprintf(text, max, "0.%0*" PRId64 " s", digits, ms);
	} else if (ms < WARD_MINUTE)
		snprintf(text, max, "%" PRId64 ".%d s", tenths / 10, (int)(tenths % 10));
	else
		snprintf(text, max, "%" PRId64 " min %d s", seconds / 60, (int)(seconds % 60));
}

/* For a stop that no start follows. */
static const char both_stop[] = "stop, and its supervisor with it";

static bool is_quiet(const struct ward_backoff *args)
{
	return args->strategy != NULL && args->strategy->quiet;
}

/* Returns the level that the options' strategy wants, since this decider replaces it. */
static ward_level level_for(const struct ward_backoff *args, ward_directive directive,
			    ward_level otherwise)
{
	const ward_strategy *strategy = args->default_stopping_strategy ? NULL : args->strategy;
	ward_level level = WARD_LEVEL_DEFAULT;

	if (is_quiet(args))
		return WARD_LEVEL_NONE;
	if (strategy != NULL)
		level = directive == WARD_RESUME || directive == WARD_RESTART
				? strategy->restart_level
				: strategy->stop_level;
	return level != WARD_LEVEL_DEFAULT ? level : otherwise;
}

/* Notes that the child will be restarted, as a warning like any restart. Does not call the
 * program's random generator, which may fail: its share of the delay is unknown yet. */
static void say_what_follows(struct wardi_backoff *me, ward_self *self)
{
	const struct ward_backoff *args = me->args;
	bool own_random = args->random != NULL && args->random_factor > 0;
	uint32_t time = me->count < UINT32_MAX ? me->count + 1 : me->count;
	char delay[40], of[24] = "";
	uint32_t max;

	if (wardi_backoff_max(args, &max))
		snprintf(of, sizeof of, " of %u", max);
	if (!own_random && !me->drawn) {
		me->random = args->random == NULL ? ward_random(self) : 0;
		me->drawn = args->random == NULL;
	}
	delay_text(delay, sizeof delay,
		   wardi_backoff_delay_ms(me->count, args->min_backoff_ms, args->max_backoff_ms,
					  args->random_factor, own_random ? 0 : me->random));
	ward_decision_note(self, level_for(args, WARD_RESTART, WARD_LEVEL_WARNING),
			   "starting a new one in %s%s, %u%s time%s", own_random ? "at least " : "",
			   delay, time, wardi_backoff_ending_of(time), of);
}

/* ---- on stop ----------------------------------------------------------------------------- */

/* Charges an immediate restart, as a strategy with these limits would (S71). */
static bool may_restart(struct wardi_backoff *me, int64_t now_ns)
{
	int64_t window_ms = wardi_backoff_window_ms(me->args);
	uint32_t max;

	if (!wardi_backoff_max(me->args, &max))
		return true;
	if (me->at_once == 0)
		me->window_start_ns = now_ns;
	if (window_ms > 0 && (now_ns - me->window_start_ns - 1) / WARD_NS_PER_MS >= window_ms) {
		me->window_start_ns = now_ns;
		me->at_once = 0;
	}
	if (me->at_once >= max)
		return false;
	me->at_once++;
	return true;
}

static ward_directive decide_on_stop(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct wardi_backoff *me = ward_state(self);
	ward_directive directive = opinion(me->args, self, child, failure);

	if (directive == WARD_RESTART && !may_restart(me, ward_now_ns(self)))
		directive = WARD_STOP;
	ward_decision_note(self, level_for(me->args, directive, WARD_LEVEL_DEFAULT), "%s", "");
	if (directive != WARD_STOP || !ward_ref_equal(child, me->child))
		return directive;
	if (!me->final && wardi_backoff_may_retry(me))
		say_what_follows(me, self);
	else
		ward_decision_note(self, level_for(me->args, directive, WARD_LEVEL_DEFAULT), "%s",
				   both_stop);
	return directive;
}

/* ---- on failure -------------------------------------------------------------------------- */

static void open_window(const struct wardi_backoff *me, ward_self *self)
{
	int64_t window_ms = wardi_backoff_window_ms(me->args);

	if (window_ms == 0 || me->count != 0)
		return;
	if (wardi_backoff_reset_later(self, WARDI_BACKOFF_WINDOW, window_ms, me->count + 1))
		ward_fail(self, &ward_out_of_memory, "no timer for the window: %s",
			  ward_err_detail());
}

static ward_directive decide_on_failure(ward_self *self, ward_ref child,
					const ward_failure *failure)
{
	struct wardi_backoff *me = ward_state(self);
	ward_directive directive = opinion(me->args, self, child, failure);
	bool both = directive == WARD_STOP && ward_ref_equal(child, me->child);

	if (directive != WARD_RESTART) {
		ward_decision_note(self, level_for(me->args, directive, WARD_LEVEL_DEFAULT), "%s",
				   both ? both_stop : "");
		return directive;
	}
	if (is_quiet(me->args))
		ward_decision_note(self, WARD_LEVEL_NONE, "%s", "");
	/* A child that could not be watched is stopping, and does not count as a failure in the
	 * row. */
	if (!ward_ref_equal(child, me->child))
		return WARD_STOP;
	if (wardi_backoff_may_retry(me)) {
		open_window(me, self);
		me->failed = true;
		say_what_follows(me, self);
	} else {
		me->gives_up = true;
		ward_decision_note(self, is_quiet(me->args) ? WARD_LEVEL_NONE : WARD_LEVEL_DEFAULT,
				   "%s", both_stop);
	}
	return WARD_STOP; /* past the limit, the end of the child ends the supervisor */
}

const ward_strategy wardi_backoff_stop_strategy = {.decide = decide_on_stop};
const ward_strategy wardi_backoff_failure_strategy = {.decide = decide_on_failure};
