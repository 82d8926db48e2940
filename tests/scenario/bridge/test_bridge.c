/* SPDX-License-Identifier: MIT
 *
 * test_bridge.c - a foreign subsystem behind a bridge: started, heard when it dies, and stopped
 * once; reports that come too early, too late or twice (S117).
 *
 * Method: the test reports the death of an engine whenever it suits the story, on a thread of its
 * own where that matters.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

#include <ward/otp.h>

#include "foreign_subsystem.h"

/* ---- life -------------------------------------------------------------------------------- */

WARD_TEST(subsystem_starts_with_its_bridge_and_stops_with_it, "S117")
{
	hall_begin(WARD_RESTART);
	script_say(hall.f.kit, hall.ref, "go");
	ward_kit_run(hall.f.kit);
	assert_journal("e:1 got go");
	stop_engine();
	assert_journal("e:1 got go;e:stop 1, shutdown;a:exited e: shutdown");
	hall_end();
	ward_assert_eq(hall.started, 1);
}

static struct rlimit before;

static void give_descriptors_back(void *arg)
{
	(void)arg;
	ward_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}

WARD_TEST(bridge_without_a_descriptor_says_what_the_system_said)
{
	ward_kit *kit = ward_kit_start(NULL);
	struct ward_bridged args = {.subsystem = &engine};
	struct rlimit none;

	ward_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	ward_kit_on_cut(kit, give_descriptors_back, NULL);
	ward_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ward_kit_spawn(kit, &ward_bridge_behavior, .name = "b",
		       .args = {WARD_COPY(ward_bridged, &args)});
	ward_kit_run(kit);
	give_descriptors_back(NULL);
	ward_assert_part(ward_kit_event(kit, WARD_EVENT_FAILURE, "sim/user/b", 0)->text,
			 "a bridge has no descriptor: Too many open files (EMFILE)");
	ward_kit_finish(kit);
}

WARD_TEST(death_of_a_subsystem_is_decided_by_the_parent, "S117")
{
	hall_begin(WARD_RESTART);
	engine_dies();
	assert_journal("p:decide e;e:stop 1, seized: at 6000 rpm, dead;e:start 2");
	engine_dies();
	ward_assert_eq(hall.started, 3);
	hall_end();
}

static ward_directive check_failure(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	ward_assert(ward_ref_equal(child, hall.ref));
	ward_assert(ward_failure_class_of(failure) == &seized);
	ward_assert_str(ward_failure_text(failure), "at 6000 rpm");
	return WARD_STOP;
}

WARD_TEST(dead_subsystem_that_is_not_restarted_ends_its_bridge_with_that_reason, "S117")
{
	hall_begin(WARD_STOP);
	hall.f.p.decide = check_failure;
	engine_dies();
	assert_journal("p:decide e;e:stop 1, seized: at 6000 rpm, dead;"
		       "a:exited e: seized: at 6000 rpm");
	ward_assert(!ward_kit_is_alive(hall.f.kit, hall.ref));
	hall_end();
}

WARD_TEST(subsystem_that_has_ended_ends_its_bridge_and_nobody_decides, "S117")
{
	static const struct {
		ward_exit_reason reason;
		const char *text;
	} ends[] = {
		{{WARD_EXIT_NORMAL, "", ""}, "normal"},
		{{WARD_EXIT_SHUTDOWN, "", "all done"}, "shutdown: all done"},
		{{WARD_EXIT_OTHER, "license", "has run out"}, "license: has run out"},
		{{WARD_EXIT_FAILURE, "seized", ""}, "seized"},
	};
	char wanted[128];

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		hall_begin(WARD_RESTART);
		ward_assert_ok(ward_bridge_ended(hall.bridge, i == 0 ? NULL : &ends[i].reason));
		ward_kit_run(hall.f.kit);
		snprintf(wanted, sizeof wanted, "e:stop 1, %s, dead;a:exited e: %s", ends[i].text,
			 ends[i].text);
		assert_journal(wanted);
		hall_end();
	}
}

/* Without memory to say why, it ends all the same. */
WARD_TEST(subsystem_that_has_ended_needs_no_memory_for_that, "S117")
{
	static const ward_exit_reason why = {WARD_EXIT_OTHER, "license", ""};

	hall_begin(WARD_RESTART);
	ward_assert_ok(ward_bridge_ended(hall.bridge, &why));
	ward_kit_fail_all_allocations(hall.f.kit, true);
	ward_kit_run(hall.f.kit);
	ward_kit_fail_all_allocations(hall.f.kit, false);
	ward_kit_run(hall.f.kit);
	assert_journal_of("e", "stop 1, license, dead");
	hall_end();
}

/* ---- restarts that are not for a death --------------------------------------------------- */

WARD_TEST(subsystem_stops_and_starts_with_a_sibling_that_failed, "S117")
{
	hall_begin_empty(&script_all, WARD_RESTART);
	add_engine();
	journal_clear();
	script_break(hall.f.kit, hall.f.b.ref, &bad_luck);
	ward_kit_run(hall.f.kit);
	assert_journal_of("e", "stop 1, shutdown;start 2");
	hall_end();
}

WARD_TEST(subsystem_stops_and_starts_when_its_receive_fails, "S117")
{
	hall_begin(WARD_RESTART);
	script_break(hall.f.kit, hall.ref, &bad_luck);
	ward_kit_run(hall.f.kit);
	assert_journal_of("e", "1 got break;stop 1, bad_luck: bent;start 2");
	hall_end();
}

/* It is as dead as before, whatever its parent thinks. */
WARD_TEST(resumed_bridge_of_a_dead_subsystem_fails_again, "S117")
{
	hall_begin(WARD_RESUME);
	engine_dies();
	assert_journal("p:decide e");
	script_say(hall.f.kit, hall.ref, "go");
	ward_kit_run(hall.f.kit);
	assert_journal("p:decide e;p:decide e");
	hall.f.p.decides = WARD_RESTART;
	script_say(hall.f.kit, hall.ref, "on");
	ward_kit_run(hall.f.kit);
	assert_journal_of("e", "stop 1, seized: at 6000 rpm, dead;start 2;2 got go;2 got on");
	hall_end();
}

/* ---- exit signals ------------------------------------------------------------------------ */

static ward_result exit_engine(ward_self *self, void *arg)
{
	if (ward_exit(self, hall.ref, arg) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	return WARD_DONE;
}

WARD_TEST(bridge_ends_by_an_exit_signal_and_tells_why, "S117")
{
	static struct {
		ward_exit_reason reason;
		const char *journal;
	} signals[] = {
		{{WARD_EXIT_NORMAL, "", ""}, ""},
		{{WARD_EXIT_SHUTDOWN, "", ""}, "stop 1, shutdown"},
		{{WARD_EXIT_OTHER, "fire", "run"}, "stop 1, fire: run"},
		{{WARD_EXIT_KILL, "", ""}, "stop 1, shutdown"},
	};

	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		hall_begin(WARD_RESTART);
		do_and_run(&hall.f, &hall.f.p, exit_engine, &signals[i].reason);
		assert_journal_of("e", signals[i].journal);
		hall_end();
	}
}

/* ---- reports ----------------------------------------------------------------------------- */

static void *report_main(void *arg)
{
	*(ward_err *)arg = ward_bridge_died(hall.bridge, &seized, "elsewhere");
	return NULL;
}

/* The thread of the simulation is another one, which a message could not come from. */
WARD_TEST(death_is_told_by_any_thread, "S117")
{
	pthread_t thread;
	ward_err err = WARD_EINVAL;

	hall_begin(WARD_RESTART);
	ward_assert_eq(pthread_create(&thread, NULL, report_main, &err), 0);
	pthread_join(thread, NULL);
	ward_assert_ok(err);
	ward_kit_run(hall.f.kit);
	assert_journal_of("e", "stop 1, seized: elsewhere, dead;start 2");
	hall_end();
}

WARD_TEST(first_report_counts, "S117")
{
	hall_begin(WARD_RESTART);
	ward_assert_ok(ward_bridge_ended(hall.bridge, NULL));
	ward_assert_err(ward_bridge_died(hall.bridge, &seized, "%d", 2), WARD_EEXIST);
	ward_assert_err(ward_bridge_ended(hall.bridge, NULL), WARD_EEXIST);
	ward_kit_run(hall.f.kit);
	assert_journal_of("e", "stop 1, normal, dead");
	hall_end();
}

WARD_TEST(report_of_the_last_incarnation_does_not_end_this_one, "S117")
{
	ward_bridge *old;

	hall_begin(WARD_RESTART);
	old = ward_bridge_ref(hall.bridge);
	engine_dies();
	ward_assert_err(ward_bridge_died(old, &seized, "%s", "late"), WARD_EDEAD);
	ward_assert_err(ward_bridge_ended(old, NULL), WARD_EDEAD);
	ward_bridge_unref(old);
	journal_clear();
	script_say(hall.f.kit, hall.ref, "go");
	ward_kit_run(hall.f.kit);
	assert_journal("e:2 got go");
	hall_end();
}

static ward_result report_late(ward_self *self, ward_bridge *bridge)
{
	(void)self;
	journal_note("e:late %s", ward_err_text(ward_bridge_died(bridge, &seized, "late")));
	return WARD_DONE;
}

WARD_TEST(report_while_the_subsystem_is_stopped_is_no_news, "S117")
{
	char wanted[128];

	hall_begin(WARD_RESTART);
	hall.terminate = report_late;
	stop_engine();
	snprintf(wanted, sizeof wanted, "stop 1, shutdown;late %s", ward_err_text(WARD_EDEAD));
	assert_journal_of("e", wanted);
	hall_end();
}

/* Told, but not yet heard. */
WARD_TEST(stop_comes_before_a_report_that_waits, "S117")
{
	hall_begin(WARD_RESTART);
	ward_assert_ok(ward_bridge_died(hall.bridge, &seized, "%d", 1));
	stop_engine();
	assert_journal("e:stop 1, shutdown, dead;a:exited e: shutdown");
	hall_end();
}

WARD_TEST(handle_outlives_bridge_and_system, "S117")
{
	hall_begin(WARD_RESTART);
	stop_engine();
	ward_assert_err(ward_bridge_ended(hall.bridge, NULL), WARD_EDEAD);
	script_finish(hall.f.kit);
	ward_assert_err(ward_bridge_died(hall.bridge, &seized, "%d", 1), WARD_EDEAD);
	ward_bridge_unref(hall.bridge);
	ward_bridge_unref(NULL);
	ward_assert(ward_bridge_ref(NULL) == NULL);
}

WARD_TEST(report_that_is_none_is_refused, "S117")
{
	ward_exit_reason reason = {.kind = 99, .name = "ninety-nine"};

	hall_begin(WARD_RESTART);
	ward_assert_err(ward_bridge_died(NULL, &seized, "%d", 1), WARD_EINVAL);
	ward_assert_err(ward_bridge_died(hall.bridge, NULL, "%d", 1), WARD_EINVAL);
	ward_assert_err(ward_bridge_ended(NULL, NULL), WARD_EINVAL);
	ward_assert_err(ward_bridge_ended(hall.bridge, &reason), WARD_EINVAL);
	reason = (ward_exit_reason){.kind = WARD_EXIT_OTHER};
	ward_assert_err(ward_bridge_ended(hall.bridge, &reason), WARD_EINVAL);
	memset(reason.name, 'x', sizeof reason.name);
	ward_assert_err(ward_bridge_ended(hall.bridge, &reason), WARD_EINVAL);
	ward_kit_run(hall.f.kit);
	assert_journal("");
	hall_end();
}

/* ---- mail -------------------------------------------------------------------------------- */

/* Whichever is seen first, the notice or the mail. */
WARD_TEST(mail_for_a_dead_subsystem_is_for_the_next_one, "S117")
{
	WARD_TEST_SEEDS(10)
	{
		hall_begin(WARD_RESTART);
		ward_assert_ok(ward_bridge_died(hall.bridge, &seized, "%d", 1));
		script_say(hall.f.kit, hall.ref, "a");
		script_say(hall.f.kit, hall.ref, "b");
		ward_kit_run(hall.f.kit);
		assert_journal_of("e", "stop 1, seized: 1, dead;start 2;2 got a;2 got b");
		hall_end();
	}
}

static ward_result start_deaf(ward_self *self, void *state, const void *args, ward_bridge *bridge)
{
	(void)self, (void)state, (void)args, (void)bridge;
	return WARD_DONE;
}

static const ward_subsystem deaf = {.name = "deaf", .init = start_deaf};

WARD_TEST(subsystem_without_a_receive_handles_nothing, "S117")
{
	hall_begin_empty(&script_one, WARD_RESTART);
	bridged.subsystem = &deaf;
	add_engine();
	script_say(hall.f.kit, hall.ref, "go");
	ward_kit_run(hall.f.kit);
	ward_assert_eq(ward_kit_stats(hall.f.kit).unhandled, 1);
	stop_engine(); /* and it has no terminate */
	assert_journal("a:exited e: shutdown");
	hall_end();
}

/* ---- starts ------------------------------------------------------------------------------ */

static ward_result die_at_once(ward_self *self, ward_bridge *bridge)
{
	(void)self;
	if (hall.started > 1)
		return WARD_DONE;
	if (ward_bridge_died(bridge, &seized, "at once") != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	journal_note("e:goes on");
	return WARD_DONE;
}

WARD_TEST(death_within_init_is_heard_after_it, "S117")
{
	hall_begin_empty(&script_one, WARD_RESTART);
	hall.init = die_at_once;
	do_and_run(&hall.f, &hall.f.p, spawn_engine, NULL);
	assert_journal("e:start 1;e:goes on;p:decide e;e:stop 1, seized: at once, dead;e:start 2");
	hall_end();
}

static ward_result fail_start(ward_self *self, ward_bridge *bridge)
{
	(void)bridge;
	return ward_failed(self, &seized, "no oil");
}

static ward_result jump_from_start(ward_self *self, ward_bridge *bridge)
{
	(void)bridge;
	ward_fail(self, &seized, "no oil");
}

WARD_TEST(start_that_fails_is_not_terminated, "S117")
{
	for (int i = 0; i < 2; i++) {
		hall_begin_empty(&script_one, WARD_STOP);
		hall.init = i == 0 ? fail_start : jump_from_start;
		do_and_run(&hall.f, &hall.f.p, spawn_engine, NULL);
		assert_journal("e:start 1;p:decide e");
		ward_assert_err(ward_bridge_ended(hall.bridge, NULL), WARD_EDEAD);
		hall_end();
	}
}

static ward_result fail_second_start(ward_self *self, ward_bridge *bridge)
{
	return hall.started == 2 ? fail_start(self, bridge) : WARD_DONE;
}

WARD_TEST(restart_that_fails_is_not_terminated, "S117")
{
	hall_begin(WARD_RESTART);
	hall.init = fail_second_start;
	engine_dies();
	assert_journal_of("e", "stop 1, seized: at 6000 rpm, dead;start 2;start 3");
	hall_end();
}

static ward_result fail_to_stop(ward_self *self, ward_bridge *bridge)
{
	(void)bridge;
	return ward_failed(self, &bad_luck, "it hangs");
}

WARD_TEST(terminate_that_fails_is_not_called_again, "S117")
{
	hall_begin(WARD_RESTART);
	hall.terminate = fail_to_stop;
	engine_dies();
	ward_assert_eq(hall.started, 2);
	stop_engine();
	assert_journal_of("e", "stop 1, seized: at 6000 rpm, dead;start 2;stop 2, shutdown");
	hall_end();
}

/* ---- below a supervisor of OTP ----------------------------------------------------------- */

static void below_otp(ward_otp_restart restart, ward_ref *ret_supervisor)
{
	ward_otp_child_spec children[] = {
		{.id = "e", .props = hall.props, .restart = restart},
		{0},
	};
	const ward_otp_supervisor table = {.intensity = 9, .children = children};

	ward_assert_ok(
		ward_otp_start(ward_kit_system(hall.f.kit), &table, WARD_MINUTE, ret_supervisor));
}

/* It is told to shut down by a signal. */
WARD_TEST(bridge_is_a_child_of_a_supervisor_of_otp, "S117", "S115")
{
	ward_ref supervisor;

	hall_begin_empty(&script_one, WARD_RESTART);
	below_otp(WARD_OTP_PERMANENT, &supervisor);
	engine_dies();
	ward_assert_ok(ward_bridge_ended(hall.bridge, NULL));
	ward_kit_run(hall.f.kit);
	ward_assert_ok(ward_otp_stop(ward_kit_system(hall.f.kit), supervisor, WARD_MINUTE));
	assert_journal("e:start 1;e:stop 1, seized: at 6000 rpm, dead;e:start 2;"
		       "e:stop 2, normal, dead;e:start 3;e:stop 3, shutdown");
	hall_end();
}

WARD_TEST(supervisor_of_otp_judges_by_the_reason_of_a_subsystem, "S117", "S112")
{
	static const ward_exit_reason license = {WARD_EXIT_OTHER, "license", ""};
	ward_ref supervisor;

	hall_begin_empty(&script_one, WARD_RESTART);
	below_otp(WARD_OTP_TRANSIENT, &supervisor);
	ward_assert_ok(ward_bridge_ended(hall.bridge, &license));
	ward_kit_run(hall.f.kit);
	ward_assert_ok(ward_bridge_ended(hall.bridge, NULL));
	ward_kit_run(hall.f.kit);
	assert_journal("e:start 1;e:stop 1, license, dead;e:start 2;e:stop 2, normal, dead");
	hall_end();
}

WARD_TEST_MAIN
