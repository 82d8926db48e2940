/* SPDX-License-Identifier: MIT
 *
 * test_phase_of_services.c - the phase WARD_PHASE_SERVICES: tasks that come when /user is gone, and
 * that /system waits for (S77).
 */
#include "support/family_tree.h"
#include "support/shutdown_tasks.h"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class bad_disk = {.name = "bad_disk", .parent = &ward_error};

WARD_TEST(services_are_asked_after_user_and_waited_for_before_any_stops, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan now = {.answer = AT_ONCE}, later = {.answer = LATER, .after_ms = 700};
		struct script a = PROMISING("a", &now), b = PROMISING("b", &later);
		struct script plain = {.name = "plain"}, user = {.name = "user"};
		ward_kit *kit = script_start(NULL);
		promising_service(kit, &a);
		promising_service(kit, &b);
		promising_service(kit, &plain);
		script_spawn(kit, &user);
		journal_clear();
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_assert_eq(promising_end(kit), 700);
		assert_journal_of("user", "post_stop");
		assert_journal_of("a", "services/flush();post_stop");
		assert_journal_of("b", "services/flush();late;post_stop");
		const char *text = journal_text();
		ward_assert(strstr(text, "user:post_stop") < strstr(text, "a:services/flush()"));
		ward_assert(strstr(text, "user:post_stop") < strstr(text, "b:services/flush()"));
		ward_assert(strstr(text, "b:late") < strstr(text, "plain:post_stop"));
		ward_assert(strstr(text, "b:late") < strstr(text, "a:post_stop"));
		ward_assert(promising_when(kit, "sim/user", "stopped") <
			    promising_when(kit, "sim/system", "stopping"));
		script_finish(kit);
	}
}

WARD_TEST(service_that_stops_or_fails_counts_as_done, "S77")
{
	const enum answer ways[] = {STOP, FAIL};
	for (int i = 0; i < 2; i++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct plan plan = {.answer = ways[i]}, now = {.answer = AT_ONCE};
			struct script a = PROMISING("a", &plan), b = PROMISING("b", &now);
			ward_kit *kit = script_start(NULL);
			promising_service(kit, &a);
			promising_service(kit, &b);
			ward_system_shutdown(ward_kit_system(kit), NULL);
			ward_assert_eq(promising_end(kit), 0);
			ward_assert_part(journal_of("a"), "services/flush()");
			script_finish(kit);
		}
	}
}

WARD_TEST(service_that_is_gone_takes_no_task_of_another_with_it, "S77")
{
	struct plan other = {.answer = AT_ONCE};
	struct plan task = {.phase = "service-stop", .task = "flush", .answer = AT_ONCE};
	struct script a = PROMISING("a", &other), b = PROMISING("b", &task);
	ward_kit *kit = script_start(NULL);
	promising_service(kit, &a);
	promising_service(kit, &b);
	ward_kit_stop(kit, a.ref);
	ward_kit_run(kit);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 0);
	ward_assert_part(journal_of("b"), "service-stop/flush()");
	script_finish(kit);
}

WARD_TEST(service_that_is_stopped_while_all_wait_for_it_counts_as_done, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan plan = {.answer = NEVER};
		struct script a = PROMISING("a", &plan);
		ward_kit *kit = script_start(NULL);
		promising_service(kit, &a);
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_assert_err(ward_system_wait(ward_kit_system(kit), WARD_MINUTE),
				WARD_ETIMEDOUT);
		ward_system_stop(ward_kit_system(kit), a.ref);
		ward_assert_eq(promising_end(kit), 0);
		script_finish(kit);
	}
}

/* One that has not got it yet gets it in its next incarnation. */
WARD_TEST(service_that_restarts_before_it_is_asked_is_asked_after_it, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan plan = {.answer = LATER, .after_ms = 50};
		struct script a = PROMISING("a", &plan);
		ward_kit *kit = script_start(NULL);
		promising_service(kit, &a);
		journal_clear();
		script_break(kit, a.ref, &bad_luck);
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_assert_eq(promising_end(kit), 50);
		ward_assert_ok(plan.refused); /* it joined again, and is asked once */
		assert_journal_of("a", "break;pre_restart;post_stop;init;post_restart;pre_start;"
				       "services/flush();late;post_stop");
		script_finish(kit);
	}
}

WARD_TEST(service_may_have_another_answer_for_it, "S77")
{
	struct plan plan = {.answer = FORWARD}, helping = {.answer = LATER, .after_ms = 300};
	struct script helper = {.name = "helper", .arg = &helping, .receive = plan_receive};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = script_start(NULL);
	promising_service(kit, &helper);
	promising_service(kit, &a);
	plan.helper = helper.ref;
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 300);
	ward_assert_part(journal_of("helper"), "services/flush();late");
	script_finish(kit);
}

WARD_TEST(question_that_its_helper_leaves_unread_counts_as_done, "S77")
{
	struct plan plan = {.answer = FORWARD};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = script_start(NULL);
	promising_service(kit, &a);
	ward_system_shutdown(ward_kit_system(kit), NULL); /* helper: nobody */
	ward_assert_eq(promising_end(kit), 0);
	script_finish(kit);
}

WARD_TEST(actor_under_user_is_never_asked_for_its_task_of_services, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan plan = {.answer = NEVER};
		struct script a = PROMISING("a", &plan);
		ward_kit *kit = script_start(NULL);
		script_spawn(kit, &a);
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_assert_eq(promising_end(kit), 0);
		assert_journal_of("a", "init;pre_start;post_stop");
		script_finish(kit);
	}
}

WARD_TEST(only_the_promised_answer_counts, "S77")
{
	struct plan plan = {.answer = WRONG};
	struct script a = PROMISING("a", &plan), b = {.name = "b"};
	ward_kit *kit = script_start(NULL);
	promising_service(kit, &a);
	promising_service(kit, &b);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_err(ward_system_wait(ward_kit_system(kit), WARD_SECOND), WARD_ETIMEDOUT);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_state(kit, b.ref, WARD_STATE_RUNNING);
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_assert_eq(promising_end(kit), 0);
	script_finish(kit);
}

WARD_TEST(deadline_names_the_service_that_does_not_answer, "S77")
{
	struct plan plan = {.answer = NEVER};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = script_start(NULL);
	promising_service(kit, &a);
	ward_assert(ward_kit_is_alive(kit, a.ref));
	ward_assert_err(ward_system_destroy(ward_kit_system(kit), 100), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "phase services waits for flush of sim/system/a");
	ward_assert_part(ward_err_detail(), "3 actors are left");
	ward_assert_err(ward_system_destroy(ward_kit_system(kit), -1), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(),
			 "is not down after -1 ms: a negative time does not wait; "
			 "WARD_FOREVER is without a limit");
	ward_system_stop(ward_kit_system(kit), a.ref);
	script_finish(kit);
}

static ward_result answer_without_memory(ward_self *self, const ward_msg *msg)
{
	struct plan *plan = script_of(self)->arg;
	if (ward_match(msg, ward_shutdown_task) == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:services/flush()", script_of(self)->name);
	plan_say_done(self, plan, ward_msg_sender(msg));
	return WARD_DONE;
}

WARD_TEST(end_needs_no_memory_once_the_services_have_joined, "S77")
{
	struct plan plan = {.answer = AT_ONCE};
	struct script a = PROMISING("a", &plan), b = {.name = "b"};
	ward_kit *kit = script_start(NULL);
	a.receive = answer_without_memory;
	promising_service(kit, &a);
	script_spawn(kit, &b);
	ward_kit_fail_all_allocations(kit, true);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 0);
	ward_kit_fail_all_allocations(kit, false);
	ward_assert_part(journal_text(), "a:services/flush();a:post_stop");
	script_finish(kit);
}

static ward_result join_with_nth(ward_self *self, void *arg)
{
	ward_kit *kit = arg;
	uint64_t refused = 0;
	ward_err err;
	do {
		ward_kit_fail_allocation(kit, refused + 1);
		err = ward_try_shutdown_join(self, WARD_PHASE_SERVICES, "flush");
		ward_kit_fail_allocation(kit, 0);
		refused += err == WARD_ENOMEM;
	} while (err == WARD_ENOMEM);
	ward_assert_ok(err);
	ward_assert(refused >= 3);
	return WARD_DONE;
}

WARD_TEST(registration_without_memory_is_refused_and_leaves_nothing, "S77")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_do(kit, a.ref, join_with_nth, kit);
	ward_kit_run(kit);
	script_finish(kit);
}

static ward_result join_too_late(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_shutdown_task) == NULL)
		return WARD_UNHANDLED;
	script_tell(self, ((struct plan *)script_of(self)->arg)->helper, "join");
	ward_assert_ok(ward_try_shutdown_join(self, WARD_PHASE_SERVICES,
					      "flush")); /* it is in it already */
	return WARD_DONE;
}

static ward_result join_when_told(ward_self *self, const ward_msg *msg)
{
	(void)msg;
	ward_assert_err(ward_try_shutdown_join(self, WARD_PHASE_SERVICES, "flush"), WARD_ESTOPPING);
	ward_assert_part(ward_err_detail(), "too late");
	ward_stop(self, ((struct plan *)script_of(self)->arg)->helper);
	return WARD_DONE;
}

WARD_TEST(service_cannot_join_when_the_others_were_asked, "S77")
{
	struct plan to_b = {.answer = NEVER}, to_a = {.answer = NEVER};
	struct script a = PROMISING("a", &to_b);
	struct script b = {.name = "b", .arg = &to_a, .receive = join_when_told};
	ward_kit *kit = script_start(NULL);
	a.receive = join_too_late;
	promising_service(kit, &a);
	promising_service(kit, &b);
	to_b.helper = b.ref;
	to_a.helper = a.ref;
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 0);
	ward_assert_err(ward_try_shutdown_join(NULL, WARD_PHASE_SERVICES, "flush"), WARD_EINVAL);
	script_finish(kit);
}

/* What a program sends by itself is a message like others, and asks for nothing. */
WARD_TEST(forged_question_is_just_a_message, "S77")
{
	struct plan plan = {.answer = NEVER};
	struct script a = PROMISING("a", &plan);
	ward_kit *kit = script_start(NULL);
	promising_service(kit, &a);
	ward_kit_tell(kit, a.ref, ward_shutdown_task, .phase = WARD_PHASE_SERVICES);
	ward_kit_run(kit);
	ward_assert_part(journal_of("a"), "services/()");
	plan.answer = AT_ONCE;
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_eq(promising_end(kit), 0);
	script_finish(kit);
}

/* ---- when it does not end in order ------------------------------------------------------- */

WARD_TEST(services_are_asked_when_the_guardian_of_user_gives_up, "S76", "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan plan = {.answer = LATER, .after_ms = 20};
		struct script a = PROMISING("a", &plan), b = {.name = "b"};
		ward_kit *kit = script_start(NULL);
		promising_service(kit, &a);
		script_spawn(kit, &b);
		script_break(kit, b.ref, &bad_disk);
		ward_assert_eq(promising_end(kit), 20);
		ward_assert_part(journal_of("a"), "services/flush(/user has ended);late");
		script_finish(kit);
	}
}

WARD_TEST(failure_that_a_service_escalates_ends_all_and_none_is_asked, "S75", "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan plan = {.answer = NEVER};
		struct script a = PROMISING("a", &plan), b = {.name = "b"}, user = {.name = "user"};
		ward_kit *kit = script_start(NULL);
		promising_service(kit, &a);
		promising_service(kit, &b);
		script_spawn(kit, &user);
		script_break(kit, b.ref, &bad_disk);
		ward_assert_eq(promising_end(kit), 0);
		ward_assert_part(journal_of("user"), "post_stop");
		ward_assert(strstr(journal_of("a"), "services") == NULL);
		script_finish(kit);
	}
}

/* It fails while it waits for a service: its root stops it, and nobody waits any more. */
WARD_TEST(failure_that_a_service_escalates_ends_the_wait_for_another, "S75", "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct plan plan = {.answer = NEVER};
		struct script a = PROMISING("a", &plan), b = {.name = "b"};
		ward_kit *kit = script_start(NULL);
		promising_service(kit, &a);
		promising_service(kit, &b);
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_kit_run(kit);
		ward_assert_state(kit, b.ref, WARD_STATE_RUNNING);
		script_break(kit, b.ref, &bad_disk);
		ward_assert_eq(promising_end(kit), 0);
		script_finish(kit);
	}
}

/* ---- events ------------------------------------------------------------------------------ */

struct hearing {
	int fires; /* errors in callbacks */
	bool user_stopped;
};

static ward_result subscribe(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_subscribe(self, WARD_EVENT_HOOK_FAILURE | WARD_EVENT_LIFECYCLE));
	ward_assert_ok(ward_try_shutdown_join(self, WARD_PHASE_SERVICES, "flush"));
	return WARD_DONE;
}

static ward_result hear(ward_self *self, const ward_msg *msg)
{
	struct hearing *heard = script_of(self)->arg;
	const ward_event *event = ward_match(msg, ward_event);
	if (ward_match(msg, ward_shutdown_task)) {
		/* All that was said under /user has come before. */
		journal_note("logger:%d fires%s", heard->fires,
			     heard->user_stopped ? ", user stopped" : "");
		ward_reply(self, msg, ward_shutdown_done);
		return WARD_DONE;
	}
	if (event == NULL)
		return WARD_UNHANDLED;
	heard->fires += event->kind == WARD_EVENT_HOOK_FAILURE;
	if (strcmp(event->path, "sim/user") == 0 && strcmp(event->new_state, "stopped") == 0)
		heard->user_stopped = true;
	return WARD_DONE;
}

static ward_result write_line(ward_self *self, void *arg)
{
	const struct script *service = arg;
	script_tell(self, service->ref, "a line");
	return WARD_DONE;
}

WARD_TEST(logger_hears_events_and_mail_during_all_of_the_stop_of_user, "S77")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct hearing heard = {.fires = 0};
		struct script logger = {
			.name = "logger", .pre_start = subscribe, .receive = hear, .arg = &heard};
		struct script child = {.name = "child", .traps = {{SCRIPT_POST_STOP, .first = 1}}};
		struct script top = {.name = "top",
				     .children = {&child},
				     .post_stop = write_line,
				     .arg = &logger};
		ward_kit *kit = script_start(NULL);
		promising_service(kit, &logger);
		script_spawn(kit, &top);
		journal_clear();
		ward_system_shutdown(ward_kit_system(kit), NULL);
		ward_assert_eq(promising_end(kit), 0);
		assert_journal_of("logger", "a line;1 fires, user stopped;post_stop");
		script_finish(kit);
	}
}

WARD_TEST(root_that_fails_takes_the_system_down_and_has_given_up, "S76")
{
	struct family f = FAMILY;
	family_start(&f);
	ward_system_select_tell(ward_kit_system(f.kit), "/", ward_kill);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_stats(f.kit).actors, 0);
	ward_assert(ward_kit_stats(f.kit).gave_up);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_NOTE, "sim/"), 1);
	ward_assert_part(ward_kit_event(f.kit, WARD_EVENT_NOTE, "sim/", 0)->text,
			 "the root guardian failed, shutting down: killed by a thread outside");
	script_finish(f.kit);
}

/* The failure escalates through /system, whose own parent decides about it. */
WARD_TEST(service_that_escalates_makes_the_system_give_up, "S76", "S75")
{
	struct script s = {.name = "s"};
	ward_kit *kit = script_start(NULL);
	ward_assert_ok(ward_system_spawn_service(ward_kit_system(kit), script_props(&s), &s.ref));
	ward_kit_run(kit);
	ward_assert(!ward_kit_stats(kit).gave_up);
	script_break(kit, s.ref, &bad_disk);
	ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_SECOND));
	ward_assert_part(ward_kit_event(kit, WARD_EVENT_NOTE, "sim/system", 0)->text,
			 "guardian failed, shutting down system");
	ward_assert(ward_kit_stats(kit).gave_up);
	script_finish(kit);
}

WARD_TEST_MAIN
