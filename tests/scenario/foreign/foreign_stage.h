/* SPDX-License-Identifier: MIT
 *
 * foreign_stage.h - two nodes, an actor that calls, and what is seen of a call with a ref that is
 * not of this system.
 *
 * The ref is of a system that nobody knows, of an actor on the node right, or of that actor when
 * the connection is lost. `seen` is what the calling program notices: the code, dead letters, what
 * the caller gets, and what the actor on the node right gets ("there"). The loop is by bytes, so
 * that a later connection has another place.
 */
#ifndef SCENARIO_FOREIGN_STAGE_H
#define SCENARIO_FOREIGN_STAGE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/extend.h>
#include <ward/simulation.h>
#include <ward/testkit.h>
#include <ward/testkit/neighbours.h>
#include <ward/ward.h>

enum { SEEN = 512 };

WARD_SIGNAL(go);
WARD_SIGNAL(ping);
WARD_SIGNAL(pong);
WARD_SIGNAL(last);
struct parcel {
	uint32_t number;
};
WARD_MESSAGE_FIELDS(parcel, 1, WARD_FIELD(UINT, parcel, number));

enum where { UNKNOWN, CONNECTED, LOST, PLACES };

static struct stage {
	ward_kit *left, *right;
	ward_loop *loop;
	ward_ref caller, echo, target, who;
	ward_inbox *inbox;
	bool over;
	char seen[SEEN];
} stage;

static const struct row *current;

/* What a call makes of a ref; NULL: the other one is called. */
struct row {
	const char *name;
	ward_err (*call)(ward_self *self, ward_ref who);
	ward_err (*outside)(ward_system *system, ward_ref who);
	const char *seen[PLACES];
};

/* ---- what is seen ------------------------------------------------------------------------- */

static __attribute__((format(printf, 1, 2))) void see(const char *text, ...)
{
	size_t used = strlen(stage.seen);
	va_list args;

	va_start(args, text);
	if (used > 0 && used + 2 < SEEN)
		used += (size_t)snprintf(stage.seen + used, SEEN - used, "; ");
	(void)vsnprintf(stage.seen + used, SEEN - used, text, args);
	va_end(args);
}

static const char *reason_name(ward_reason reason)
{
	static const char *const names[] = {
		[WARD_REASON_NOBODY] = "nobody",       [WARD_REASON_DEAD] = "dead",
		[WARD_REASON_MISUSE] = "misuse",       [WARD_REASON_STALE] = "stale",
		[WARD_REASON_UNREACHED] = "unreached", [WARD_REASON_LOCAL] = "local",
	};

	return names[reason] == NULL ? "?" : names[reason];
}

static void see_code(ward_err err)
{
	if (err == WARD_OK)
		return;
	ward_assert(ward_err_detail()[0] != '\0');
	see("%s", err == WARD_EFOREIGN     ? "foreign"
		  : err == WARD_EUNREACHED ? "unreached"
		  : err == WARD_EDEAD      ? "gone"
		  : err == WARD_ENOENT     ? "no such"
		  : err == WARD_ELOCAL     ? "local"
		  : err == WARD_EINVAL     ? "invalid"
					   : ward_err_text(err));
}

static void see_dead_letters(void)
{
	size_t count = ward_kit_count(stage.left, WARD_EVENT_DEAD_LETTER, "*");

	for (size_t i = 0; i < count; i++) {
		const ward_event *event =
			ward_kit_event(stage.left, WARD_EVENT_DEAD_LETTER, "*", i);

		see("dead %s %s", event->message_type, reason_name(event->reason));
	}
}

/* ---- actors ------------------------------------------------------------------------------- */

static ward_result caller_receives(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct ward_exited *exited = ward_match(msg, ward_exited);
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct ward_identity *identity = ward_match(msg, ward_identity);

	(void)state;
	if (ward_match(msg, go))
		see_code(current->call(self, stage.who));
	else if (gone != NULL)
		see("terminated %s", gone->end == WARD_END_UNREACHED ? "unreached" : "?");
	else if (exited != NULL)
		see("exited %s", exited->reason.kind == WARD_EXIT_UNREACHED ? "unreached" : "?");
	else if (failed != NULL)
		see("failed %s", failed->why == WARD_EUNREACHED ? "unreached" : failed->text);
	else if (identity != NULL)
		see("%s", identity->found ? "found" : "not found");
	else
		see("%s", ward_msg_type(msg)->name);
	return WARD_DONE;
}

static ward_result caller_starts(ward_self *self, void *state)
{
	(void)state;
	ward_trap_exit(self, true);
	return WARD_DONE;
}
static const ward_behavior caller = {
	.name = "caller", .pre_start = caller_starts, .receive = caller_receives};

static ward_result target_receives(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	see("there %s", ward_msg_type(msg)->name);
	if (ward_match(msg, ping))
		ward_reply(self, msg, pong);
	return WARD_DONE;
}

static ward_result target_stops(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	if (!stage.over)
		see("there ends");
	return WARD_DONE;
}
static const ward_behavior target = {
	.name = "target", .receive = target_receives, .post_stop = target_stops};

static ward_result echo_receives(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_reply(self, msg, pong);
	return WARD_DONE;
}
static const ward_behavior echo = {.name = "echo", .receive = echo_receives};

/* ---- the stage ---------------------------------------------------------------------------- */

static void open_stage(void)
{
	memset(&stage, 0, sizeof stage);
	stage.left = ward_kit_start(&(ward_kit_options){.system.name = "left"});
	stage.right = ward_kit_start(&(ward_kit_options){.system.name = "right"});
	stage.loop = ward_loop_start(&(ward_loop_options){.form = WARD_LOOP_BY_BYTES});
	ward_loop_join(stage.loop, ward_kit_system(stage.left), "left");
	ward_loop_join(stage.loop, ward_kit_system(stage.right), "right");
	ward_loop_connect(stage.loop, "left", "right");
	ward_assert(ward_loop_await(stage.loop, "left", "right", WARD_MINUTE));
	stage.caller = ward_kit_spawn(stage.left, &caller);
	stage.echo = ward_kit_spawn(stage.left, &echo);
	stage.target = ward_kit_spawn(stage.right, &target, .name = "target");
	ward_assert_ok(ward_inbox_create(ward_kit_system(stage.left), NULL, &stage.inbox));
	ward_kit_run(stage.left);
}

static void close_stage(void)
{
	stage.over = true;
	ward_inbox_destroy(stage.inbox);
	ward_loop_finish(stage.loop);
	ward_kit_finish(stage.left);
	ward_kit_finish(stage.right);
}

static void set_who(enum where where)
{
	stage.who = ward_loop_ref(stage.loop, "left", "right", stage.target);
	ward_assert(!ward_ref_is_nobody(stage.who));
	if (where == UNKNOWN)
		stage.who = ward_ref_at(12345678, WARD_REF_ACTOR, ward_ref_number(stage.target));
	if (where != LOST)
		return;
	ward_loop_reset(stage.loop, "left", "right");
	ward_kit_run(stage.left);
	ward_assert(ward_loop_await(stage.loop, "left", "right", WARD_MINUTE));
}

static void play(const struct row *row, enum where where)
{
	static const char *const names[] = {"unknown", "connected", "lost"};
	char wanted[SEEN], seen[SEEN + 64];

	open_stage();
	set_who(where);
	current = row;
	ward_kit_forget_events(stage.left);
	if (row->outside != NULL)
		see_code(row->outside(ward_kit_system(stage.left), stage.who));
	else
		ward_kit_tell(stage.left, stage.caller, go);
	ward_kit_run(stage.left);
	ward_kit_advance(stage.left, 10);
	see_dead_letters();
	(void)snprintf(wanted, sizeof wanted, "%s, %s: %s", row->name, names[where],
		       row->seen[where]);
	(void)snprintf(seen, sizeof seen, "%s, %s: %s", row->name, names[where], stage.seen);
	ward_assert_str(seen, wanted);
	close_stage();
}

/* ---- cases -------------------------------------------------------------------------------- */

/* What the call makes of a ref that is unknown, connected, or lost. A case for each place: so with
 * --shortages the allocations of all calls add up, and do not multiply. */
#define CALL_OF_AN_ACTOR(name_, call_, ...) CASES_(call_, name_, call_, NULL, {__VA_ARGS__})
#define CALL_OF_A_THREAD(name_, call_, ...) CASES_(call_, name_, NULL, call_, {__VA_ARGS__})
#define CASES_(case_, ...)                                                                         \
	static const struct row row_##case_ = {__VA_ARGS__};                                       \
	WARD_TEST(case_##_unknown)                                                                 \
	{                                                                                          \
		play(&row_##case_, UNKNOWN);                                                       \
	}                                                                                          \
	WARD_TEST(case_##_connected)                                                               \
	{                                                                                          \
		play(&row_##case_, CONNECTED);                                                     \
	}                                                                                          \
	WARD_TEST(case_##_lost)                                                                    \
	{                                                                                          \
		play(&row_##case_, LOST);                                                          \
	}                                                                                          \
	_Static_assert(UNKNOWN == 0 && PLACES == 3, "a case for each")

#endif
