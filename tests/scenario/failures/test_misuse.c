/* SPDX-License-Identifier: MIT
 *
 * test_misuse.c - what a program does wrong is told where it happens, and harms nobody else.
 *
 * Method: one scripted actor does it; the event of its failure has the text.
 */
#include <stdio.h>
#include <unistd.h>

#include <ward/simulation.h>

#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_error};
static const ward_failure_class lost = {.name = "lost", .parent = &ward_exception};

static ward_result give_42(ward_self *self, void *arg)
{
	(void)self;
	(void)arg;
	return (ward_result)42;
}

static int ends[2];

static ward_result adopt_twice(ward_self *self, void *arg)
{
	(void)arg;
	ward_adopt_fd(self, ends[0]);
	ward_adopt_fd(self, ends[0]);
	return WARD_DONE;
}

/* What `call` leads to, in an actor that is restarted for it. */
static void check_misuse(script_call *call, const char *text)
{
	struct family f = FAMILY;

	family_start(&f);
	script_do(f.kit, f.a.ref, call, NULL);
	ward_kit_run(f.kit);

	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);

	ward_assert_str(event->failure_class, "ward_misuse");
	ward_assert_part(event->text, text);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

WARD_TEST(result_that_is_none_is_a_misuse, "S16")
{
	check_misuse(give_42, "42, which is not a ward_result");
}

WARD_TEST(descriptor_is_adopted_once_and_closed_once)
{
	ward_assert_eq(pipe(ends), 0);
	check_misuse(adopt_twice, "twice");
	/* The restart has closed it; the other end is ours still. */
	ward_assert_eq(close(ends[0]), -1);
	ward_assert_eq(close(ends[1]), 0);
}

WARD_TEST(event_of_an_escalated_failure_names_who_failed_first, "S27", "S30")
{
	struct family f = FAMILY;

	f.p.decides = WARD_ESCALATE;
	f.g.decides = WARD_RESTART;
	family_start(&f);

	ward_ref first = f.a.ref; /* p makes another a when it is restarted */

	script_break(f.kit, first, &bad_luck);
	ward_kit_run(f.kit);

	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/g/p", 0);
	char text[1024];

	ward_assert(ward_ref_equal(event->origin, first));
	ward_assert_str(event->origin_path, "sim/user/g/p/a");
	ward_event_format(event, text, sizeof text);
	ward_assert_part(text, "sim/user/g/p/a failed: bad_luck");
	ward_assert_part(text, " [escalated to sim/user/g/p] -> restart");
	script_finish(f.kit);
}

WARD_TEST(event_of_a_failed_start_names_the_class_behind_it, "S30", "S42")
{
	struct family f = FAMILY;

	f.p.decides = WARD_STOP;
	f.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1, .failure_class = &lost};
	f.p.children[0] = &f.a;
	f.kit = script_start(NULL);
	script_spawn(f.kit, &f.p);

	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);

	ward_assert_str(event->failure_class, "ward_initialization");
	ward_assert_part(event->text, "lost: ");
	script_finish(f.kit);
}

struct need {
	int number;
};
WARD_MESSAGE(need);

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior needy = {.name = "needy", .args = &ward_type_need, .receive = ignore};

WARD_TEST(behaviour_that_takes_arguments_is_not_spawned_without)
{
	ward_kit *kit = script_start(NULL);
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&needy), NULL),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(),
			 "needy needs arguments: write .args = WARD_ARGS(need, ...)");
	script_finish(kit);
}

static const ward_type empty_type = {.name = "empty"};
static const ward_type tail_type = {.name = "tail", .size = 2, .size_max = 8};

static ward_result read_tail(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	ward_assert(memcmp(ward_args(self), "abcdefg", 7) == 0);
	journal_note("read");
	return WARD_DONE;
}

WARD_TEST(arguments_may_be_none_at_all_or_of_any_size)
{
	static const ward_behavior bare = {.name = "bare", .args = &empty_type, .receive = ignore};
	static const ward_behavior reader = {
		.name = "reader", .args = &tail_type, .receive = read_tail};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	ward_ref ref;

	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&bare), &ref));
	ward_assert_err(
		ward_system_spawn(system, WARD_PROPS(&bare, .args = {&empty_type, NULL, 1}), &ref),
		WARD_ESIZE);
	ward_assert_part(ward_err_detail(), "arguments of 1 bytes are not a \"empty\"");
	for (size_t size = 1; size < 10; size++)
		ward_assert_err(
			ward_system_spawn(
				system,
				WARD_PROPS(&reader, .args = {&tail_type, "abcdefghijk", size}),
				&ref),
			size < 2 || size > 8 ? WARD_ESIZE : WARD_OK);
	ward_system_tell(system, ref, need, .number = 1);
	ward_kit_run(kit);
	assert_journal("read");
	script_finish(kit);
}

WARD_TEST(ward_inside_the_program_contains_no_faults, "S16")
{
	/* This test has ward's code in its own executable, as a program with the static library. */
	ward_system *system;

	ward_assert_err(ward_system_create(&(ward_options){.faults = WARD_FAULTS_CONTAIN}, &system),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "link the shared library");
}

WARD_TEST(message_of_any_size_has_its_bounds)
{
	static const ward_type varying = {.name = "varying", .size = 4, .size_max = 16};
	static const struct {
		size_t size;
		ward_err err;
	} sizes[] = {{3, WARD_ESIZE}, {4, WARD_OK}, {5, WARD_OK}, {16, WARD_OK}, {17, WARD_ESIZE}};
	static const ward_behavior sink = {.name = "sink", .receive = ignore};
	ward_kit *kit = script_start(NULL);
	unsigned char bytes[17] = {0};
	ward_ref ref;

	ward_assert_ok(ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&sink), &ref));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		ward_assert_err(ward_system_try_send(ward_kit_system(kit), ref, &varying, bytes,
						     sizes[i].size),
				sizes[i].err);
	ward_assert_part(ward_err_detail(), "17 bytes do not fit the type, which has 4 to 16");
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "*"), 3);
	script_finish(kit);
}

static ward_result make_varying(ward_self *self, void *arg)
{
	static const ward_type varying = {.name = "varying", .size = 4, .size_max = 16};
	static const size_t wrong[] = {0, 3, 17, SIZE_MAX};

	(void)arg;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ward_assert(ward_make_body(self, &varying, wrong[i]) == NULL);
		ward_assert_part(ward_err_detail(), "does not fit \"varying\", which has 4 to 16");
	}
	for (size_t size = 4; size <= 16; size += 12) {
		void *body = ward_make_body(self, &varying, size);
		ward_assert(body != NULL);
		ward_discard(self, body);
	}
	return WARD_DONE;
}

WARD_TEST(body_of_any_size_is_made_within_its_bounds)
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.a.ref, make_varying, NULL);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(f.kit);
}

static ward_result say_arguments(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	journal_note(ward_args(self) == NULL ? "none" : "some");
	return WARD_DONE;
}

WARD_TEST(actor_that_takes_no_arguments_has_none)
{
	static const ward_behavior plain = {.name = "plain", .receive = say_arguments};
	ward_kit *kit = script_start(NULL);
	script_say(kit, ward_kit_spawn(kit, &plain), "say");
	ward_kit_run(kit);
	assert_journal("none");
	script_finish(kit);
}

static ward_result fail_with_a_need(ward_self *self, void *arg)
{
	struct need need = {*(int *)arg};

	ward_fail_body(self, &lost, &ward_type_need, &need, sizeof(need), "%d missing",
		       need.number);
}

static int needed;

static ward_directive read_need(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const struct need *need = ward_failure_body_of(failure, &ward_type_need);

	(void)self;
	(void)child;
	ward_assert(need != NULL);
	ward_assert(ward_failure_body_of(failure, NULL) == NULL);
	ward_assert_str(ward_failure_text(failure), "7 missing");
	needed = need->number;
	return WARD_RESTART;
}

WARD_TEST(failure_that_jumps_carries_a_body, "S16")
{
	struct family f = FAMILY;
	int number = 7;

	f.p.decide = read_need;
	family_start(&f);
	script_do(f.kit, f.a.ref, fail_with_a_need, &number);
	ward_kit_run(f.kit);
	ward_assert_eq(needed, 7);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

static ward_result fail_with_named_fields(ward_self *self, void *arg)
{
	(void)arg;
	ward_fail_with(self, &lost, need, .number = 8);
}

static ward_directive read_typed_need(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const struct need *need = ward_failure_body(failure, need);

	(void)self;
	(void)child;
	ward_assert(need != NULL);
	ward_assert_str(ward_failure_text(failure), "need");
	needed = need->number;
	return WARD_RESTART;
}

WARD_TEST(failure_with_a_body_alone_has_the_name_of_its_type_as_text, "S16")
{
	struct family f = FAMILY;

	f.p.decide = read_typed_need;
	family_start(&f);
	script_do(f.kit, f.a.ref, fail_with_named_fields, NULL);
	ward_kit_run(f.kit);
	ward_assert_eq(needed, 8);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

/* ---- unhandled, with nothing in hand ------------------------------------------------------ */

static ward_result forward_unhandled(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	ward_forward(self, ward_nobody());
	return WARD_UNHANDLED;
}

WARD_TEST(unhandled_message_that_was_given_away_is_counted_and_not_described, "S83")
{
	static const ward_behavior giver = {.name = "giver", .receive = forward_unhandled};
	ward_kit *kit = script_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &giver);

	ward_system_tell(ward_kit_system(kit), ref, need, .number = 1);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_stats(kit).unhandled, 1);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "*"), 0);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(kit);
}

WARD_TEST(unhandled_message_that_nobody_wants_to_hear_of_is_counted, "S83")
{
	static const ward_behavior sink = {.name = "sink", .receive = ignore};
	const ward_simulation driver = {.choose = NULL};
	ward_system *system;
	ward_stats stats;
	ward_ref ref;

	ward_assert_ok(ward_system_create(
		&(ward_options){.simulation = &driver, .log_kinds = WARD_EVENT_NOTE}, &system));
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&sink), &ref));
	ward_system_tell(system, ref, need, .number = 1);
	while (ward_simulation_step(system))
		;
	ward_system_stats(system, &stats);
	ward_assert_eq(stats.unhandled, 1);
	ward_assert_ok(ward_system_destroy(system, WARD_MINUTE));
}

WARD_TEST_MAIN
