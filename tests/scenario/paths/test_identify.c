/* SPDX-License-Identifier: MIT
 *
 * test_identify.c - every actor says who it is; nobody there is an answer, too.
 *
 * Method: a family asks by ref, by path and by timer; a thread outside asks and resolves.
 */
#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static ward_result note_identity(ward_self *self, const ward_msg *msg)
{
	const struct ward_identity *identity = ward_match(msg, ward_identity);

	if (identity == NULL)
		return WARD_UNHANDLED;
	ward_assert_eq(identity->found, !ward_ref_is_nobody(identity->who));
	ward_assert(ward_ref_equal(identity->who, ward_msg_sender(msg)));
	journal_note("%s:%d is %s", script_of(self)->name, (int)identity->tag,
		     identity->found ? script_name(identity->who) : "nobody");
	return WARD_DONE;
}

static void start(struct family *f)
{
	f->a.receive = note_identity;
	family_start(f);
}

static ward_result ask_by_path(ward_self *self, void *arg)
{
	ward_select_tell(self, arg, ward_identify, .tag = 7);
	return WARD_DONE;
}

static void ask(struct family *f, const char *path)
{
	journal_clear();
	script_do(f->kit, f->a.ref, ask_by_path, (void *)(uintptr_t)path);
	ward_kit_run(f->kit);
}

WARD_TEST(identify_by_path_is_answered_by_who_is_there, "S58", "S90")
{
	struct family f = FAMILY;
	start(&f);
	ask(&f, "../b");
	assert_journal("a:7 is b");
	ask(&f, "");
	assert_journal("a:7 is a");
	ask(&f, "/user/*");
	assert_journal("a:7 is g");
	ward_assert_eq(ward_kit_stats(f.kit).unhandled, 0);
	script_finish(f.kit);
}

WARD_TEST(identify_to_a_miss_says_nobody_and_after_a_fan_out_nothing, "S58")
{
	struct family f = FAMILY;
	start(&f);
	ask(&f, "../d");
	assert_journal("a:7 is nobody");
	ask(&f, "../../*/x*");
	assert_journal("a:7 is nobody");
	ask(&f, "../*/d");
	assert_journal("");
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
	script_finish(f.kit);
}

static ward_result ask_by_ref(ward_self *self, void *arg)
{
	ward_tell(self, ((struct script *)arg)->ref, ward_identify, .tag = 8);
	return WARD_DONE;
}

WARD_TEST(identify_by_ref_is_answered_for_the_dead_too, "S58", "S90")
{
	struct family f = FAMILY;
	f.c.mailbox.messages_max = 1;
	start(&f);
	script_do(f.kit, f.a.ref, ask_by_ref, &f.b);
	script_do(f.kit, f.a.ref, ask_by_ref, &f.c);
	ward_kit_run(f.kit);
	ward_assert_part(journal_text(), "a:8 is b");
	ward_assert_part(journal_text(), "a:8 is c"); /* a full mailbox takes it */
	ward_system_stop(ward_kit_system(f.kit), f.b.ref);
	ward_kit_run(f.kit);
	journal_clear();
	script_do(f.kit, f.a.ref, ask_by_ref, &f.b);
	ward_kit_run(f.kit);
	assert_journal("a:8 is nobody");
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
	script_finish(f.kit);
}

WARD_TEST(identify_that_dies_unread_says_nobody, "S58", "S49")
{
	struct family f = FAMILY;
	f.p.decides = WARD_STOP;
	start(&f);
	script_break(f.kit, f.b.ref, &bad_luck);
	script_do(f.kit, f.a.ref, ask_by_ref, &f.b);
	ward_kit_run_until_state(f.kit, f.b.ref, WARD_STATE_FAILED);
	ward_kit_run(f.kit);
	ward_assert_part(journal_text(), "a:8 is nobody");
	script_finish(f.kit);
}

WARD_TEST(identify_of_nobody_and_an_answer_to_the_dead_are_harmless, "S58", "S81")
{
	struct family f = FAMILY;
	start(&f);
	ward_system_tell(ward_kit_system(f.kit), f.b.ref, ward_identify, .tag = 1);
	ward_system_tell(ward_kit_system(f.kit), ward_nobody(), ward_identify, .tag = 1);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
	/* the one who asks is gone when the answer comes */
	script_do(f.kit, f.a.ref, ask_by_ref, &f.b);
	ward_kit_tell(f.kit, f.a.ref, ward_poison_pill);
	ward_actor_info info;
	while (ward_kit_step(f.kit) && ward_kit_info(f.kit, f.a.ref, &info))
		continue;
	ward_kit_run(f.kit);
	ward_assert(ward_kit_stats(f.kit).dead_letters <= 1); /* it may have come before */
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	script_finish(f.kit);
}

static ward_result ask_later(ward_self *self, void *arg)
{
	(void)arg;
	ward_after(self, 1, 5, ward_identify, .tag = 9);
	return WARD_DONE;
}

WARD_TEST(identify_by_timer_is_answered_by_the_actor_itself, "S90", "S87")
{
	struct family f = FAMILY;
	start(&f);
	script_do(f.kit, f.a.ref, ask_later, NULL);
	ward_kit_advance(f.kit, 10);
	assert_journal("a:9 is a");
	script_finish(f.kit);
}

WARD_TEST(identify_without_memory_for_the_answer_is_a_dead_letter, "S58")
{
	struct family f = FAMILY;
	struct ward_identity identity = {.tag = 0};
	start(&f);
	ward_system_tell(ward_kit_system(f.kit), f.b.ref, ward_identify, .tag = 1);
	script_do(f.kit, f.a.ref, ask_by_ref, &f.b);
	ward_actor_info info;
	do
		ward_kit_step(f.kit);
	while (ward_kit_info(f.kit, f.a.ref, &info) && info.has_mail);
	ward_kit_fail_all_allocations(f.kit, true);
	ward_kit_run(f.kit);
	ward_kit_fail_all_allocations(f.kit, false);
	assert_journal("");
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 1);
	/* a thread that waits is told at once, too */
	uint64_t before = ward_kit_allocations(f.kit);
	ward_assert_ok(ward_system_ask(ward_kit_system(f.kit), f.b.ref, WARD_SECOND, &identity,
				       ward_identify, .tag = 2));
	uint64_t each = ward_kit_allocations(f.kit) - before;
	ward_kit_fail_allocation(f.kit, each);
	ward_assert_err(ward_system_ask(ward_kit_system(f.kit), f.b.ref, WARD_SECOND, &identity,
					ward_identify, .tag = 2),
			WARD_EDEAD);
	ward_assert_eq(ward_kit_now_ms(f.kit), 0);
	script_finish(f.kit);
}

static ward_result note_end(ward_self *self, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);

	if (ward_ask_tag(self) == 0)
		return note_identity(self, msg);
	if (failed != NULL)
		ward_assert_err(failed->why, WARD_ENOMEM);
	journal_note("%s", failed == NULL ? "answered" : "no memory");
	return WARD_DONE;
}

static ward_result ask_for_ever(ward_self *self, void *arg)
{
	const struct script *whom = arg;

	ward_assert_ok(ward_try_ask(self, whom->ref, 5, WARD_FOREVER, ward_identify, .tag = 3));
	return WARD_DONE;
}

/* The n-th allocation from the asked one's turn on. */
static void end_without_memory(struct family *f, uint64_t failing_allocation)
{
	ward_actor_info info;

	journal_clear();
	script_do(f->kit, f->a.ref, ask_for_ever, &f->b);
	do
		ward_kit_step(f->kit);
	while (ward_kit_info(f->kit, f->a.ref, &info) && info.has_mail);
	ward_kit_fail_allocation(f->kit, failing_allocation);
	ward_kit_run(f->kit);
	ward_kit_fail_allocation(f->kit, 0);
}

WARD_TEST(question_who_it_is_ends_if_there_is_no_memory_for_the_answer, "S44", "S58")
{
	struct family f = FAMILY;
	f.a.receive = note_end;
	family_start(&f);
	end_without_memory(&f, 1); /* of the answer */
	assert_journal("no memory");
	end_without_memory(&f, 2); /* of what takes it there */
	assert_journal("no memory");
	end_without_memory(&f, 3);
	assert_journal("answered");
	script_finish(f.kit);
}

/* ---- from a thread outside --------------------------------------------------------------- */

WARD_TEST(thread_outside_asks_who_it_is, "S58", "S90")
{
	struct family f = FAMILY;
	struct ward_identity identity = {.tag = 0};
	start(&f);
	ward_system *system = ward_kit_system(f.kit);
	ward_assert_ok(
		ward_system_ask(system, f.b.ref, WARD_SECOND, &identity, ward_identify, .tag = 5));
	ward_assert(identity.found && identity.tag == 5 && ward_ref_equal(identity.who, f.b.ref));
	ward_system_stop(system, f.b.ref);
	ward_kit_run(f.kit);
	ward_assert_ok(
		ward_system_ask(system, f.b.ref, WARD_SECOND, &identity, ward_identify, .tag = 6));
	ward_assert(!identity.found && identity.tag == 6);
	script_finish(f.kit);
}

WARD_TEST(path_is_resolved_to_a_ref, "S58")
{
	struct family f = FAMILY;
	ward_ref ref = ward_nobody();
	start(&f);
	ward_system *system = ward_kit_system(f.kit);
	ward_assert_ok(ward_system_resolve(system, "/user/g/p/b", WARD_SECOND, &ref));
	ward_assert(ward_ref_equal(ref, f.b.ref));
	ward_assert_ok(ward_system_resolve(system, "user/g", WARD_FOREVER, &ref));
	ward_assert(ward_ref_equal(ref, f.g.ref));
	ward_assert_ok(ward_system_resolve(system, "/user/g/p/*", WARD_SECOND, &ref));
	ward_assert(ward_ref_equal(ref, f.a.ref) || ward_ref_equal(ref, f.b.ref) ||
		    ward_ref_equal(ref, f.c.ref));
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_SUPPRESSED, "*"), 2); /* came second */
	script_finish(f.kit);
}

static ward_result resolve_inside(ward_self *self, void *arg)
{
	ward_ref ref;

	(void)arg;
	ward_assert_err(ward_system_resolve(ward_self_system(self), "/user", 1, &ref),
			WARD_ETHREAD);
	return WARD_DONE;
}

WARD_TEST(path_that_is_not_resolved_is_refused_with_a_code)
{
	struct family f = FAMILY;
	ward_ref ref = ward_nobody();
	f.g.decides = WARD_LATER;
	f.leaves_mail = true;
	start(&f);
	ward_system *system = ward_kit_system(f.kit);
	ward_assert_err(ward_system_resolve(system, "/user/g/x", WARD_SECOND, &ref), WARD_ENOENT);
	ward_assert_str(ward_err_detail(), "ward_system_resolve: nobody is at \"/user/g/x\"");
	ward_assert_err(ward_system_resolve(system, "/sim/user/g", WARD_SECOND, &ref), WARD_ENOENT);
	ward_assert_str(
		ward_err_detail(),
		"ward_system_resolve: nobody is at \"/sim/user/g\"; a path begins below the "
		"root: \"/user/NAME\"");
	ward_assert_err(ward_system_resolve(system, "/users", WARD_SECOND, &ref), WARD_ENOENT);
	ward_assert_part(ward_err_detail(), "below the root");
	ward_assert_err(ward_system_resolve(system, "ward://right/user/g", WARD_SECOND, &ref),
			WARD_EINVAL);
	ward_assert_str(ward_err_detail(),
			"ward_system_resolve: \"ward://right/user/g\" is on another node, and only "
			"paths of this system are resolved: ward_system_select_send() sends there, "
			"and an actor asks there by ward_select_tell() with ward_identify");
	ward_assert_err(ward_system_resolve(system, "/user/g/p/*/x", 5, &ref), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "\"/user/g/p/*/x\" answered within 5 ms");
	ward_assert_err(ward_system_resolve(system, NULL, 5, &ref), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "no path");
	ward_assert_err(ward_system_resolve(system, "/user", 5, NULL), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "no room");
	ward_assert_err(ward_system_resolve(system, "/user", 0, &ref), WARD_EINVAL);
	ward_assert_str(ward_err_detail(),
			"ward_system_resolve: the timeout is 0 ms: it must be above 0");
	ward_assert_part(ward_err_detail(), "timeout");
	ward_assert_err(ward_system_resolve(NULL, "/user", 5, &ref), WARD_EINVAL);
	for (uint64_t nth = 1; nth <= 2; nth++) {
		ward_kit_fail_allocation(f.kit, nth);
		ward_assert_err(ward_system_resolve(system, "/user/g", 5, &ref), WARD_ENOMEM);
	}
	/* without memory for the answer it is told so at once */
	ward_kit_fail_allocation(f.kit, 3);
	ward_assert_err(ward_system_resolve(system, "/user/g", WARD_FOREVER, &ref), WARD_EDEAD);
	ward_kit_fail_allocation(f.kit, 0);
	script_do(f.kit, f.a.ref, resolve_inside, NULL);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
	/* one that is suspended does not answer */
	script_break(f.kit, f.p.ref, &bad_luck);
	ward_kit_run(f.kit);
	ward_assert_err(ward_system_resolve(system, "/user/g/p", 5, &ref), WARD_ETIMEDOUT);
	ward_assert(ward_ref_is_nobody(ref));
	script_finish(f.kit);
}

WARD_TEST(system_that_is_down_resolves_nothing, "S58")
{
	struct family f = FAMILY;
	ward_ref ref = ward_nobody();
	start(&f);
	ward_system *system = ward_kit_system(f.kit);
	ward_system_shutdown(system, NULL);
	ward_assert_ok(ward_system_wait(system, WARD_FOREVER));
	ward_assert_err(ward_system_resolve(system, "/user", WARD_SECOND, &ref), WARD_ENOENT);
	script_finish(f.kit);
}

WARD_TEST_MAIN
