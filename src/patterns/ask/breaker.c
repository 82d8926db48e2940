/* SPDX-License-Identifier: MIT
 *
 * breaker.c - a circuit breaker: refuses calls for a while after repeated failures.
 *
 *	allow -> let through: the call gets the round -> it ends -> in the same round: an event
 *	event -> the table names the next state -> round + 1, a new timer -> moved()
 *
 * Rounds begin above those of earlier incarnations, as the ids of deliveries do: a restart begins
 * with an all-zero breaker, and the result of an earlier call must not match its round.
 *
 * A timer with the breaker's address as its key makes the breaker half-open when due, and open
 * again if the trial call does not end. It serves only to call `moved` in time: each call checks
 * the clock, too. So a breaker without memory for its timer is only late.
 *
 * Threads: runs only in callbacks of its actor.
 */
#include <inttypes.h>

#include <ward/actor.h>
#include <ward/breaker.h>
#include <ward/extend.h>
#include <ward/timer.h>

#include "common/records.h"
#include "patterns/backoff/pauses.h"
#include "patterns/common/kept_body.h"

enum { FAILURES_MAX = 5, STATES = 3 };
#define FIRST_ROUND(incarnation) ((uint64_t)(incarnation) << 40)
#define CALL_TIMEOUT_MS (10 * WARD_SECOND)
#define RESET_MS WARD_MINUTE
#define RESET_FACTOR 2.0

/* The breaker may be due; the clock decides. */
struct tick {
	ward_breaker *breaker;
};
static const ward_type tick_type = {.name = "ward.breaker_due",
				    .size = sizeof(struct tick),
				    .flags = WARD_TYPE_NOT_INFLUENCING};

/* An open question. */
struct call {
	struct wardi_tag tag;
	ward_breaker_call call;
};

enum event {
	SUCCEEDED, /* a call of this round */
	FAILED,
	ONE_TOO_MANY, /* the last failure that was allowed */
	DUE,          /* until_ns has passed */
	EVENTS
};

enum { STAY, CLOSE, OPEN, HALF_OPEN }; /* the next state, plus 1 */
static const struct {
	const char *name;
	uint8_t to[EVENTS];
} rows[] = {
	[WARD_BREAKER_CLOSED] = {"closed", {[ONE_TOO_MANY] = OPEN}},
	[WARD_BREAKER_OPEN] = {"open", {[DUE] = HALF_OPEN}},
	[WARD_BREAKER_HALF_OPEN] =
		{"half-open",
		 {[SUCCEEDED] = CLOSE, [FAILED] = OPEN, [ONE_TOO_MANY] = OPEN, [DUE] = OPEN}},
};
_Static_assert(sizeof(rows) / sizeof(rows[0]) == STATES, "one row for each state");

/* ---- options ----------------------------------------------------------------------------- */

static int64_t or_else(int64_t value, int64_t otherwise)
{
	return value != 0 ? value : otherwise;
}

static int64_t call_timeout_ms(const ward_breaker *breaker)
{
	return or_else(breaker->options->call_timeout_ms, CALL_TIMEOUT_MS);
}

static int64_t next_reset_ms(const ward_breaker *breaker, uint64_t random)
{
	const ward_breaker_options *options = breaker->options;
	int64_t reset_ms = or_else(options->reset_ms, RESET_MS);

	return wardi_pause_ms(reset_ms, or_else(options->reset_max_ms, reset_ms),
			      options->reset_factor > 0 ? options->reset_factor : RESET_FACTOR,
			      breaker->resets, options->random_factor, random);
}

#define REFUSED(...) ward_refused(WARD_EINVAL, "a circuit breaker: " __VA_ARGS__)

static ward_err check(const ward_breaker_options *options)
{
	long long call_ms = options->call_timeout_ms, reset_ms = options->reset_ms;
	long long min_ms = or_else(reset_ms, RESET_MS), max_ms = options->reset_max_ms;

	if (call_ms < 0)
		return REFUSED(".call_timeout_ms is %lld: it must not be negative", call_ms);
	if (reset_ms < 0)
		return REFUSED(".reset_ms is %lld: it must not be negative", reset_ms);
	if (max_ms != 0 && max_ms < min_ms)
		return REFUSED(".reset_max_ms %lld is less than .reset_ms %lld", max_ms, min_ms);
	if (options->reset_factor != 0 && !(options->reset_factor >= 1))
		return REFUSED(".reset_factor is %g: it must be at least 1", options->reset_factor);
	if (!wardi_is_share(options->random_factor))
		return REFUSED(".random_factor is %g: it must be from 0 to 1",
			       options->random_factor);
	if (options->reserved[0] != 0 || options->reserved[1] != 0)
		return REFUSED("a reserved word is not zero");
	return WARD_OK;
}

static uint64_t key_of(const ward_breaker *breaker)
{
	return (uint64_t)(uintptr_t)breaker;
}

static uint64_t next_round(ward_self *self, const ward_breaker *breaker)
{
	uint64_t first = FIRST_ROUND(ward_incarnation(self));

	return breaker->round < first ? first : breaker->round + 1;
}

ward_result ward_breaker_init(ward_self *self, ward_breaker *breaker,
			      const ward_breaker_options *options)
{
	ward_err err = options == NULL ? REFUSED("its options are NULL: {0} is all defaults")
				       : check(options);

	if (err != WARD_OK)
		return ward_failed(self, &ward_misuse, "%s", ward_err_detail());
	ward_timer_cancel(self, key_of(breaker));
	/* Open calls belong to an earlier round; their records are freed as their questions end. */
	*breaker = (ward_breaker){
		.options = options, .calls = breaker->calls, .round = next_round(self, breaker)};
	return WARD_DONE;
}

/* ---- time -------------------------------------------------------------------------------- */

/* Without memory for the timer the next call sees that the breaker is due. */
static void set_timer(ward_self *self, ward_breaker *breaker, int64_t ms)
{
	struct tick tick = {breaker};

	breaker->until_ns = ward_deadline_in(self, ms).at_ns;
	(void)!ward_try_timer_start(self, &(ward_timer){.key = key_of(breaker), .after_ms = ms},
				    &tick_type, &tick, sizeof tick);
}

static bool is_due(const ward_self *self, const ward_breaker *breaker)
{
	return breaker->until_ns != 0 && ward_now_ns(self) >= breaker->until_ns;
}

/* ---- moving ------------------------------------------------------------------------------ */

/* The program's generator may fail: then the time without its random part applies. */
static void open_for_a_while(ward_self *self, ward_breaker *breaker)
{
	set_timer(self, breaker, next_reset_ms(breaker, 0));
	set_timer(self, breaker,
		  next_reset_ms(breaker, wardi_random(self, breaker->options->random)));
}

static void enter(ward_self *self, ward_breaker *breaker, uint32_t from)
{
	switch ((ward_breaker_state)breaker->state) {
	case WARD_BREAKER_CLOSED:
		breaker->resets = 0;
		break;
	case WARD_BREAKER_OPEN:
		breaker->resets += from == WARD_BREAKER_HALF_OPEN;
		breaker->counts.opened++;
		open_for_a_while(self, breaker);
		break;
	case WARD_BREAKER_HALF_OPEN:
		break;
	}
}

/* The only function that changes the state. */
static void happens(ward_self *self, ward_breaker *breaker, enum event event)
{
	uint32_t from = breaker->state, to = rows[from].to[event];

	if (to == STAY)
		return;
	breaker->state = to - 1;
	breaker->round++;
	breaker->failures = 0;
	breaker->trying = false;
	breaker->until_ns = 0;
	ward_timer_cancel(self, key_of(breaker));
	enter(self, breaker, from);
	if (breaker->options->moved != NULL)
		breaker->options->moved(self, ward_state(self), breaker, (ward_breaker_state)from);
}

static void note_failure(ward_self *self, ward_breaker *breaker)
{
	uint32_t most = breaker->options->failures_max;

	breaker->counts.failed++;
	breaker->failures++;
	happens(self, breaker,
		breaker->failures >= (most != 0 ? most : FAILURES_MAX) ? ONE_TOO_MANY : FAILED);
}

static void note_success(ward_self *self, ward_breaker *breaker)
{
	breaker->counts.succeeded++;
	breaker->failures = 0;
	happens(self, breaker, SUCCEEDED);
}

static void look_at_clock(ward_self *self, ward_breaker *breaker)
{
	if (!is_due(self, breaker))
		return;
	breaker->counts.failed += breaker->trying;
	happens(self, breaker, DUE);
}

/* ---- calls ------------------------------------------------------------------------------- */

static ward_err may(ward_self *self, ward_breaker *breaker)
{
	if (breaker->options == NULL)
		return ward_refused(
			WARD_EINVAL,
			"the circuit breaker is not initialized: call ward_breaker_init() in init");
	look_at_clock(self, breaker);
	if (breaker->state == WARD_BREAKER_CLOSED ||
	    (breaker->state == WARD_BREAKER_HALF_OPEN && !breaker->trying))
		return WARD_OK;
	breaker->counts.refused++;
	if (breaker->state == WARD_BREAKER_HALF_OPEN)
		return ward_refused(WARD_EOPEN,
				    "the circuit breaker is half-open, and its trial call is open");
	return ward_refused(WARD_EOPEN, "the circuit breaker is open for another %" PRId64 " ms",
			    ward_breaker_left_ms(self, breaker));
}

static ward_breaker_call let_through(ward_self *self, ward_breaker *breaker)
{
	int64_t ms = call_timeout_ms(breaker);

	breaker->counts.allowed++;
	if (breaker->state == WARD_BREAKER_HALF_OPEN) {
		breaker->trying = true;
		set_timer(self, breaker, ms);
	}
	return (ward_breaker_call){.round = breaker->round,
				   .until_ns = ward_deadline_in(self, ms).at_ns};
}

ward_err ward_breaker_allow(ward_self *self, ward_breaker *breaker, ward_breaker_call *ret_call)
{
	ward_err err = may(self, breaker);

	if (err == WARD_OK)
		*ret_call = let_through(self, breaker);
	return err;
}

/* Whether the call belongs to another round; a call that was never started has none. */
static bool is_over(ward_self *self, ward_breaker *breaker, ward_breaker_call call)
{
	if (breaker->options == NULL)
		return true;
	look_at_clock(self, breaker);
	return call.round != breaker->round;
}

void ward_breaker_success(ward_self *self, ward_breaker *breaker, ward_breaker_call call)
{
	if (is_over(self, breaker, call))
		return;
	if (ward_now_ns(self) >= call.until_ns)
		note_failure(self, breaker);
	else
		note_success(self, breaker);
}

void ward_breaker_failure(ward_self *self, ward_breaker *breaker, ward_breaker_call call)
{
	if (!is_over(self, breaker, call))
		note_failure(self, breaker);
}

/* ---- questions --------------------------------------------------------------------------- */

static struct call *take(ward_breaker *breaker, uint64_t tag)
{
	return (struct call *)wardi_tags_remove(breaker->calls, tag);
}

/* Keeps the call, in memory that is reserved. A record with this tag may be left if the question
 * was cancelled without the breaker. */
static void keep(ward_self *self, ward_breaker *breaker, struct call *call, uint64_t tag)
{
	ward_discard(self, take(breaker, tag));
	call->call = let_through(self, breaker);
	wardi_tags_insert(breaker->calls, &call->tag, tag);
}

static ward_err ask(ward_self *self, ward_breaker *breaker, const ward_question *question,
		    const ward_type *type, const void *body, size_t size)
{
	ward_question timed = *question;
	int64_t most_ms = call_timeout_ms(breaker);
	struct call *call = NULL;
	ward_err err;

	if (timed.timeout_ms == 0 || timed.timeout_ms > most_ms)
		timed.timeout_ms = most_ms;
	if (wardi_tags_reserve(self, &breaker->calls))
		call = wardi_record_make(self, sizeof *call);
	if (call == NULL) {
		wardi_drop_unsent(type, body, size);
		return ward_refused(WARD_ENOMEM, "no memory for a question through a breaker");
	}
	err = ward_try_ask_send(self, &timed, type, body, size);
	if (err == WARD_OK)
		keep(self, breaker, call, question->tag);
	else
		ward_discard(self, call);
	return err;
}

ward_err ward_breaker_ask_send(ward_self *self, ward_breaker *breaker,
			       const ward_question *question, const ward_type *type,
			       const void *body, size_t size)
{
	ward_err err = WARD_OK;

	if (question == NULL)
		err = ward_refused(WARD_EINVAL, "ward_breaker_ask: the question is NULL");
	else if (!ward_ref_is_nobody(question->answer_to))
		err = ward_refused(WARD_EINVAL, "ward_breaker_ask: .answer_to is set, and the "
						"breaker would not see the answer");
	else if (question->timeout_ms < 0)
		err = ward_refused(WARD_EINVAL,
				   "ward_breaker_ask: the timeout is %" PRId64
				   " ms: it must not be negative; 0 means .call_timeout_ms",
				   question->timeout_ms);
	else
		err = may(self, breaker);
	if (err == WARD_OK)
		return ask(self, breaker, question, type, body, size);
	wardi_drop_unsent(type, body, size);
	return err;
}

void ward_breaker_cancel(ward_self *self, ward_breaker *breaker, uint64_t tag)
{
	struct call *call = take(breaker, tag);

	if (call == NULL)
		return;
	ward_ask_cancel(self, tag);
	if (call->call.round == breaker->round && breaker->trying) {
		breaker->trying = false;
		breaker->until_ns = 0;
		ward_timer_cancel(self, key_of(breaker));
	}
	ward_discard(self, call);
}

static bool has_failed(const ward_breaker *breaker, const ward_msg *msg)
{
	if (breaker->options->failed != NULL)
		return breaker->options->failed(msg);
	return ward_match(msg, ward_ask_failed) != NULL;
}

static void end(ward_self *self, ward_breaker *breaker, struct call *call, const ward_msg *msg)
{
	ward_breaker_call ended = call->call;

	ward_discard(self, call);
	if (ended.round != breaker->round)
		return;
	if (has_failed(breaker, msg))
		note_failure(self, breaker);
	else
		note_success(self, breaker);
}

ward_result ward_breaker_receive(ward_self *self, ward_breaker *breaker, const ward_msg *msg)
{
	const struct tick *tick = ward_msg_body(msg, &tick_type);
	struct call *call;

	if (tick != NULL) {
		if (tick->breaker != breaker)
			return WARD_UNHANDLED;
		look_at_clock(self, breaker);
		return WARD_DONE;
	}
	call = take(breaker, ward_ask_tag(self));
	if (call != NULL)
		end(self, breaker, call, msg);
	return WARD_UNHANDLED;
}

/* ---- looking ----------------------------------------------------------------------------- */

ward_breaker_state ward_breaker_at(const ward_breaker *breaker)
{
	return (ward_breaker_state)breaker->state;
}

const char *ward_breaker_state_text(ward_breaker_state state)
{
	return (unsigned)state < STATES ? rows[state].name : "?";
}

int64_t ward_breaker_left_ms(const ward_self *self, const ward_breaker *breaker)
{
	if (breaker->state != WARD_BREAKER_OPEN)
		return 0;
	return ward_deadline_left_ms(self, (ward_deadline){breaker->until_ns});
}

ward_breaker_counts ward_breaker_counted(const ward_breaker *breaker)
{
	return breaker->counts;
}
