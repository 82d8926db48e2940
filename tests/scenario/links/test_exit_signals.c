/* SPDX-License-Identifier: MIT
 *
 * test_exit_signals.c - exit signals that one actor sends another: what is trapped, what ends whom,
 * in which order (S117).
 *
 * Method: b sends a the signal; c is linked with a, and traps, so that it hears with which reason a
 * has ended.
 */
#include <stdio.h>
#include <string.h>

#include "support/elsewhere.h"
#include "support/linked_family.h"
#include "support/raw_bytes.h"

struct signal {
	struct script *to;
	const ward_exit_reason *reason;
};

static ward_result send_signal(ward_self *self, void *arg)
{
	const struct signal *signal = arg;
	ward_assert_ok(ward_exit(self, signal->to->ref, signal->reason));
	return WARD_DONE;
}

static void start(struct family *f)
{
	family_start(f);
	let_trap(f, &f->c);
	do_and_run(f, &f->c, link_arg, &f->a);
}

static void signal_and_run(struct family *f, const struct script *from, struct script *to,
			   const ward_exit_reason *reason)
{
	struct signal signal = {to, reason};
	do_and_run(f, from, send_signal, &signal);
}

/* ---- what becomes of it ------------------------------------------------------------------ */

static const struct {
	ward_exit_reason reason;
	const char *trapped; /* "": it ends */
	const char *ends;    /* "": it does not, if it does not trap */
	const char *own;     /* the same, if it sends it to itself */
} rows[] = {
	{{WARD_EXIT_NORMAL, "", ""}, "normal", "", "normal"},
	{{WARD_EXIT_SHUTDOWN, "", ""}, "shutdown", "shutdown", "shutdown"},
	{{WARD_EXIT_SHUTDOWN, "", "why"}, "shutdown: why", "shutdown: why", "shutdown: why"},
	{{WARD_EXIT_KILL, "", ""}, "", "killed", "killed"},
	{{WARD_EXIT_KILLED, "", ""}, "killed", "killed", "killed"},
	{{WARD_EXIT_NOPROC, "", ""}, "noproc", "noproc", "noproc"},
	{{WARD_EXIT_FAILURE, "bad", "luck"}, "bad: luck", "bad: luck", "bad: luck"},
	{{WARD_EXIT_OTHER, "mine", ""}, "mine", "mine", "mine"},
	{{WARD_EXIT_UNREACHED, "", ""}, "noconnection", "noconnection", "noconnection"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void check_ended(struct family *f, const char *reason)
{
	char wanted[64] = "";
	if (reason[0] != '\0')
		snprintf(wanted, sizeof wanted, "exited a: %s", reason);
	ward_assert_eq(lives(f, &f->a), reason[0] == '\0');
	assert_journal_of("a", reason[0] == '\0' ? "" : "post_stop");
	assert_journal_of("c", wanted);
}

WARD_TEST(signal_that_is_not_trapped_ends_unless_it_is_normal, "S117")
{
	for (int i = 0; i < ROWS; i++) {
		struct family f = FAMILY;
		start(&f);
		signal_and_run(&f, &f.b, &f.a, &rows[i].reason);
		check_ended(&f, rows[i].ends);
		script_finish(f.kit);
	}
}

WARD_TEST(signal_to_oneself_ends_also_if_it_is_normal, "S117")
{
	for (int i = 0; i < ROWS; i++) {
		struct family f = FAMILY;
		start(&f);
		signal_and_run(&f, &f.a, &f.a, &rows[i].reason);
		check_ended(&f, rows[i].own);
		ward_assert_part(ward_kit_event(f.kit, WARD_EVENT_NOTE, "sim/user/g/p/a", 0)->text,
				 "exits: ");
		script_finish(f.kit);
	}
}

WARD_TEST(signal_that_is_trapped_is_a_message_unless_it_kills, "S117")
{
	for (int i = 0; i < ROWS; i++) {
		for (int own = 0; own < 2; own++) {
			struct family f = FAMILY;
			char wanted[64];
			start(&f);
			let_trap(&f, &f.a);
			signal_and_run(&f, own ? &f.a : &f.b, &f.a, &rows[i].reason);
			snprintf(wanted, sizeof wanted, "exited %s: %s", own ? "a" : "b",
				 rows[i].trapped);
			if (rows[i].trapped[0] == '\0') {
				check_ended(&f, "killed");
			} else {
				assert_journal_of("a", wanted);
				check_well(f.kit, &f.a);
			}
			script_finish(f.kit);
		}
	}
}

static ward_result exit_itself(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_exit_self(self, arg));
	return WARD_DONE;
}

WARD_TEST(who_ends_itself_ends_trapping_or_not, "S117")
{
	for (int i = 0; i < ROWS; i++) {
		for (int trapping = 0; trapping < 2; trapping++) {
			struct family f = FAMILY;
			start(&f);
			if (trapping)
				let_trap(&f, &f.a);
			do_and_run(&f, &f.a, exit_itself, (void *)(uintptr_t)&rows[i].reason);
			check_ended(&f, rows[i].own);
			script_finish(f.kit);
		}
	}
}

/* One that is linked with b, and one that gets the signal straight from it. */
static void check_level(const ward_exit_reason *reason, ward_level linked, ward_level told)
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, link_arg, &f.b);
	signal_and_run(&f, &f.c, &f.b, reason);
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_NOTE, "sim/user/g/p/a", 0)->level, linked);
	ward_assert_eq(ward_kit_event(f.kit, WARD_EVENT_NOTE, "sim/user/g/p/b", 0)->level, told);
	script_finish(f.kit);
}

WARD_TEST(who_goes_down_with_another_one_is_a_warning, "S117", "S85")
{
	check_level(&rows[1].reason, WARD_LEVEL_DEBUG, WARD_LEVEL_DEBUG);
	check_level(&rows[3].reason, WARD_LEVEL_WARNING,
		    WARD_LEVEL_DEBUG); /* kill; killed to who is linked */
	check_level(&rows[6].reason, WARD_LEVEL_WARNING, WARD_LEVEL_WARNING);
	check_level(&rows[7].reason, WARD_LEVEL_WARNING, WARD_LEVEL_WARNING);
}

/* ---- who gets it ------------------------------------------------------------------------- */

static const ward_exit_reason enough = {.kind = WARD_EXIT_OTHER, .name = "enough"};

WARD_TEST(signal_to_the_dead_is_nothing, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	stop_and_run(&f, &f.a);
	uint64_t blocks = ward_kit_blocks(f.kit);
	signal_and_run(&f, &f.b, &f.a, &enough);
	ward_assert_eq(ward_kit_blocks(f.kit), blocks);
	script_finish(f.kit);
}

WARD_TEST(race_of_signal_and_death_loses_nothing, "S117")
{
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		start(&f);
		struct signal signal = {&f.a, &enough};
		script_do(f.kit, f.b.ref, send_signal, &signal);
		script_do(f.kit, f.b.ref, send_signal, &signal);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		ward_kit_run(f.kit);
		ward_assert(!lives(&f, &f.a));
		if (strcmp(journal_of("c"), "exited a: shutdown") != 0)
			assert_journal_of("c", "exited a: enough");
		script_finish(f.kit);
	}
}

static ward_result wrong_signals(ward_self *self, void *arg)
{
	ward_ref who = ((struct script *)arg)->ref, foreign = ref_elsewhere(who);
	ward_exit_reason endless = {.kind = WARD_EXIT_OTHER};
	memset(endless.name, 'x', sizeof endless.name);
	ward_assert_err(ward_exit(self, ward_nobody(), &enough), WARD_EINVAL);
	ward_assert_err(ward_exit(self, foreign, &enough), WARD_EFOREIGN);
	ward_assert_err(ward_exit(self, who, NULL), WARD_EINVAL);
	ward_assert_err(ward_exit(self, who, &(ward_exit_reason){.kind = 8}), WARD_EINVAL);
	ward_assert_err(ward_exit(self, who, &(ward_exit_reason){.kind = WARD_EXIT_OTHER}),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "name");
	ward_assert_err(ward_exit(self, who, &(ward_exit_reason){.kind = WARD_EXIT_FAILURE}),
			WARD_EINVAL);
	ward_assert_err(ward_exit(self, who, &endless), WARD_EINVAL);
	ward_assert_err(ward_try_exit_self(self, &endless), WARD_EINVAL);
	ward_assert_err(ward_try_exit_self(self, NULL), WARD_EINVAL);
	return WARD_DONE;
}

WARD_TEST(signal_that_is_none_is_refused, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.b, wrong_signals, &f.a);
	check_well(f.kit, &f.a);
	check_well(f.kit, &f.b);
	script_finish(f.kit);
}

/* ---- order ------------------------------------------------------------------------------- */

static ward_result tell_and_signal(ward_self *self, void *arg)
{
	script_tell(self, ((struct script *)arg)->ref, "first");
	script_tell(self, ((struct script *)arg)->ref, "second");
	ward_assert_ok(ward_exit(self, ((struct script *)arg)->ref, &enough));
	script_tell(self, ((struct script *)arg)->ref, "third");
	return WARD_DONE;
}

/* What comes later than the signal may come before its message, as in Erlang it may not: the signal
 * is handled at once, but only when the actor has a turn. */
WARD_TEST(trapped_signal_comes_after_what_was_sent_before, "S117")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		let_trap(&f, &f.a);
		do_and_run(&f, &f.b, tell_and_signal, &f.a);
		ward_assert(noted_before("a:second", "a:exited b: enough"));
		script_finish(f.kit);
	}
}

WARD_TEST(signal_that_ends_does_so_in_order, "S117")
{
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	f.a.children[0] = &d;
	start(&f);
	signal_and_run(&f, &f.b, &f.a, &enough);
	assert_journal("d:post_stop;a:post_stop;c:exited a: enough");
	script_finish(f.kit);
}

/* The children of one that ends are told to, whatever it ends of. */
WARD_TEST(children_of_one_that_ends_are_shut_down, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	let_trap(&f, &f.g);
	do_and_run(&f, &f.g, link_arg, &f.a);
	signal_and_run(&f, &f.g, &f.p, &enough);
	assert_journal_of("g", "exited a: shutdown");
	ward_assert(!lives(&f, &f.p));
	script_finish(f.kit);
}

/* The first word counts. */
WARD_TEST(signal_to_one_that_is_stopping_changes_nothing, "S117")
{
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	f.a.children[0] = &d;
	start(&f);
	struct signal signal = {&f.a, &(ward_exit_reason){.kind = WARD_EXIT_KILL}};
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_STOPPING);
	do_and_run(&f, &f.b, send_signal, &signal);
	assert_journal_of("c", "exited a: shutdown");
	script_finish(f.kit);
}

WARD_TEST(signal_ends_one_that_waits_for_a_decision, "S117")
{
	struct family f = FAMILY;
	f.p.decides = WARD_LATER;
	start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	signal_and_run(&f, &f.b, &f.a, &enough);
	assert_journal_of("a", "break;post_stop");
	assert_journal_of("c", "exited a: enough");
	script_finish(f.kit);
}

WARD_TEST(text_of_a_reason_is_cut_like_that_of_snprintf, "S117")
{
	ward_exit_reason reason = {WARD_EXIT_SHUTDOWN, "", "no work left"};
	char text[12];
	ward_assert_eq(ward_exit_format(&reason, text, sizeof text),
		       strlen("shutdown: no work left"));
	ward_assert_str(text, "shutdown: n");
	ward_assert_eq(ward_exit_format(&reason, NULL, 0), strlen("shutdown: no work left"));
}

/* ---- at the top -------------------------------------------------------------------------- */

struct ending {
	ward_exit_reason reason;
};
RAW_MESSAGE(ending);

static ward_result leave(ward_self *self, void *state)
{
	const struct ending *ending = ward_args(self);

	(void)state;
	ward_assert_ok(ward_try_exit_self(self, &ending->reason));
	return WARD_DONE;
}

static ward_result wait(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior leaving = {
	.name = "leaving", .args = &ward_type_ending, .pre_start = leave, .receive = wait};

static ward_result spawn_leaving(ward_self *self, void *arg)
{
	ward_assert_ok(
		ward_try_spawn(self, WARD_PROPS(&leaving, .args = {WARD_COPY(ending, arg)}), NULL));
	return WARD_DONE;
}

WARD_TEST(who_ends_itself_at_the_top_for_a_reason_of_its_own_has_given_up, "S76", "S117")
{
	for (int i = 0; i < ROWS; i++) {
		struct ending ending = {rows[i].reason};
		bool in_order =
			strcmp(rows[i].own, "normal") == 0 || strcmp(rows[i].own, "shutdown") == 0;
		int status = ward_run(WARD_PROPS(&leaving, .args = {WARD_COPY(ending, &ending)}),
				      &(ward_options){.workers = 1});

		ward_assert_eq(status, in_order ? 0 : 1);
	}
}

WARD_TEST(who_is_ended_by_another_or_is_not_at_the_top_has_not_given_up, "S76", "S117")
{
	struct family f = FAMILY;
	struct ending ending = {{WARD_EXIT_OTHER, "mine", ""}};
	struct signal signal = {&f.g, &ending.reason};

	start(&f);
	do_and_run(&f, &f.a, spawn_leaving, &ending);
	do_and_run(&f, &f.b, send_signal, &signal);
	ward_assert(!ward_kit_is_alive(f.kit, f.g.ref));
	ward_assert(!ward_kit_stats(f.kit).gave_up);
	script_finish(f.kit);
}

WARD_TEST_MAIN
