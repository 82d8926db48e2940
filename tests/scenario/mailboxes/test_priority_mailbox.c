/* SPDX-License-Identifier: MIT
 *
 * test_priority_mailbox.c - mailboxes with an order of their own: priorities, control messages,
 * counts.
 *
 * Method: jobs, with an urgency and a number, to an actor that has not had its turn; it writes down
 * the numbers in the order in which it handles them.
 */
#include <stdio.h>
#include <string.h>

#include <ward/testkit.h>
#include <ward/ward.h>

struct job {
	int32_t urgency; /* lower runs first */
	int32_t number;
};
WARD_MESSAGE_FLAT(job);
WARD_SIGNAL_FLAGS(pause, WARD_TYPE_CONTROL);
struct order {
	int32_t number;
};
WARD_MESSAGE_FLAGS(order, WARD_TYPE_CONTROL | WARD_TYPE_FLAT);
WARD_SIGNAL(ask_count);

static char notes[512];
static int32_t asked; /* calls of the function */

static int32_t by_urgency(const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);

	asked++;
	ward_assert(ward_msg_type(msg) != NULL);
	return job == NULL ? 0 : job->urgency;
}

static void note(const char *text)
{
	size_t length = strlen(notes);
	snprintf(notes + length, sizeof notes - length, "%s%s", length == 0 ? "" : " ", text);
}

static void note_number(const char *kind, int32_t number)
{
	char text[32];
	snprintf(text, sizeof text, "%s%d", kind, number);
	note(text);
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);
	const struct order *order = ward_match(msg, order);

	(void)state;
	if (job != NULL && job->urgency == INT32_MAX)
		return ward_failed(self, &ward_exception, "as told");
	if (job != NULL)
		note_number("", job->number);
	else if (order != NULL)
		note_number("c", order->number);
	else if (ward_match(msg, pause))
		note("pause");
	else if (ward_match(msg, ward_terminated))
		note("gone");
	else if (ward_match(msg, ask_count))
		note_number("count", (int32_t)ward_mailbox_count(self, ward_self_ref(self)));
	return WARD_DONE;
}

static const ward_behavior worker = {.name = "worker", .receive = receive};

struct scene {
	ward_kit *kit;
	ward_ref worker;
};

static struct scene start(ward_mailbox mailbox)
{
	struct scene s = {.kit = ward_kit_start(NULL)};
	s.worker = ward_kit_spawn(s.kit, &worker, .name = "w", .mailbox = mailbox);
	ward_kit_run(s.kit);
	notes[0] = '\0';
	asked = 0;
	return s;
}

static void tell(struct scene *s, int32_t urgency, int32_t number)
{
	ward_kit_tell(s->kit, s->worker, job, .urgency = urgency, .number = number);
}

static void command(struct scene *s, int32_t number)
{
	ward_kit_tell(s->kit, s->worker, order, .number = number);
}

static int64_t waiting(struct scene *s)
{
	ward_actor_info info;
	ward_assert(ward_kit_info(s->kit, s->worker, &info));
	return info.mailbox;
}

/* The number of the job in the n-th dead letter. */
static int32_t dead(struct scene *s, size_t n)
{
	struct job job;
	const ward_event *event = ward_kit_event(s->kit, WARD_EVENT_DEAD_LETTER, "*", n);
	ward_assert_eq(event->reason, WARD_REASON_FULL);
	memcpy(&job, event->bytes, sizeof job);
	return job.number;
}

static void check_order(struct scene *s, const char *wanted)
{
	ward_kit_run(s->kit);
	ward_assert_str(notes, wanted);
	notes[0] = '\0';
}

/* ---- priorities -------------------------------------------------------------------------- */

WARD_TEST(lower_priority_number_runs_first_and_equal_ones_in_order_of_arrival)
{
	struct scene s = start((ward_mailbox){.priority = by_urgency});
	static const int32_t urgencies[] = {5, 0, -3, 5, 0, -3, 1, INT32_MIN, INT32_MAX - 1, 0};
	for (int32_t i = 0; i < 10; i++)
		tell(&s, urgencies[i], i);
	ward_assert_eq(asked, 10);
	ward_assert_eq(waiting(&s), 10);
	check_order(&s, "7 2 5 1 4 9 6 0 3 8");
	ward_assert_eq(waiting(&s), 0);
	ward_kit_finish(s.kit);
}

WARD_TEST(many_of_one_priority_stay_in_order)
{
	struct scene s = start((ward_mailbox){.priority = by_urgency});
	char wanted[512] = "";
	for (int32_t i = 0; i < 100; i++) {
		tell(&s, 9, i);
		snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%d",
			 i == 0 ? "" : " ", i);
	}
	check_order(&s, wanted);
	ward_kit_finish(s.kit);
}

/* Not for what the runtime sends. */
static int32_t jobs_only(const ward_msg *msg)
{
	ward_assert(ward_match(msg, job) != NULL);
	return 1;
}

static ward_result watch(ward_self *self, void *state, const ward_msg *msg)
{
	static ward_ref whom;
	const struct job *job = ward_match(msg, job);

	(void)state;
	if (job != NULL) {
		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&worker), &whom));
		ward_assert_ok(ward_try_watch(self, whom));
		ward_assert_ok(ward_try_timer_start(self, &(ward_timer){.key = 1, .after_ms = 1},
						    &ward_type_pause, NULL, 0));
		ward_stop(self, whom);
	} else {
		note(ward_match(msg, pause) ? "tick" : "gone");
	}
	return WARD_DONE;
}

WARD_TEST(special_messages_are_not_ranked)
{
	static const ward_behavior watcher = {.name = "watcher", .receive = watch};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref w = ward_kit_spawn(kit, &watcher, .mailbox = {.priority = jobs_only});
	notes[0] = '\0';
	ward_kit_tell(kit, w, job, .number = 1);
	ward_kit_run(kit);
	ward_kit_advance(kit, 5);
	ward_assert_str(notes, "gone tick");
	ward_kit_tell(kit, w, ward_poison_pill);
	ward_kit_run(kit);
	ward_assert_state(kit, w, WARD_STATE_GONE);
	ward_kit_finish(kit);
}

WARD_TEST(poison_pill_stands_among_those_of_priority_0, "S50")
{
	struct scene s = start((ward_mailbox){.priority = by_urgency});
	tell(&s, 1, 1);
	tell(&s, 0, 2);
	ward_kit_tell(s.kit, s.worker, ward_poison_pill);
	tell(&s, 0, 3);
	tell(&s, -1, 4);
	check_order(&s, "4 2");
	ward_assert_eq(ward_kit_count(s.kit, WARD_EVENT_DEAD_LETTER, "*"), 2);
	ward_kit_finish(s.kit);
}

WARD_TEST(rest_of_a_mailbox_with_priorities_becomes_dead_letters_in_its_order, "S49")
{
	struct scene s = start((ward_mailbox){.priority = by_urgency, .control_first = true});
	tell(&s, 1, 1);
	tell(&s, -1, 2);
	tell(&s, 0, 3);
	ward_kit_stop(s.kit, s.worker);
	ward_kit_run(s.kit);
	static const int32_t wanted[] = {2, 3, 1};
	for (size_t i = 0; i < 3; i++) {
		struct job job;
		memcpy(&job, ward_kit_event(s.kit, WARD_EVENT_DEAD_LETTER, "*", i)->bytes,
		       sizeof job);
		ward_assert_eq(job.number, wanted[i]);
	}
	ward_kit_finish(s.kit);
}

WARD_TEST(priorities_are_kept_over_a_restart)
{
	struct scene s = start((ward_mailbox){.priority = by_urgency});
	tell(&s, 3, 1);
	tell(&s, 2, 2);
	tell(&s, 1, 3);
	ward_kit_step(s.kit);
	tell(&s, INT32_MAX, 0); /* fails, last */
	tell(&s, INT32_MAX, 0);
	check_order(&s, "3 2 1");
	tell(&s, 2, 4);
	tell(&s, 1, 5);
	check_order(&s, "5 4");
	ward_assert_eq(ward_kit_stats(s.kit).restarts, 2);
	ward_kit_finish(s.kit);
}

WARD_TEST(next_life_has_its_own_order)
{
	struct scene s = start((ward_mailbox){.priority = by_urgency, .control_first = true});
	tell(&s, 1, 1);
	ward_kit_stop(s.kit, s.worker);
	ward_kit_run(s.kit);
	/* The same record, most likely, since it is the only free one. */
	s.worker = ward_kit_spawn(s.kit, &worker, .mailbox = {.counted = true});
	ward_kit_run(s.kit);
	asked = 0;
	tell(&s, 3, 1);
	command(&s, 2);
	tell(&s, 1, 3);
	check_order(&s, "1 c2 3");
	ward_assert_eq(asked, 0);
	ward_kit_finish(s.kit);
}

WARD_TEST(place_without_memory_is_an_answer_or_a_dead_letter)
{
	struct scene s = start((ward_mailbox){.priority = by_urgency});
	for (int32_t i = 0; i < 16; i++)
		tell(&s, 1, i);                            /* the first piece of the heap is full */
	ward_kit_tell(s.kit, s.worker, job, .urgency = 0); /* its block is there again below */
	ward_kit_fail_allocation(s.kit, 2); /* the message finds some, its place none */
	ward_assert_err(ward_system_try_tell(ward_kit_system(s.kit), s.worker, job, .urgency = 1),
			WARD_ENOMEM);
	ward_assert_part(ward_err_detail(), "no memory");
	ward_kit_fail_allocation(s.kit, 2);
	tell(&s, 1, 99);
	ward_assert_eq(ward_kit_event(s.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_NO_MEMORY);
	/* One of priority 0, and a pill, need no place. */
	ward_kit_fail_allocation(s.kit, 2);
	tell(&s, 0, 98);
	ward_kit_fail_allocation(s.kit, 2);
	ward_kit_tell(s.kit, s.worker, ward_poison_pill);
	ward_kit_fail_allocation(s.kit, 0);
	ward_assert_eq(waiting(&s), 18);
	check_order(&s, "0 98");
	ward_kit_finish(s.kit);
}

/* ---- control messages -------------------------------------------------------------------- */

WARD_TEST(control_messages_overtake_all_others_in_their_own_order)
{
	struct scene s = start((ward_mailbox){.control_first = true});
	tell(&s, 0, 1);
	command(&s, 2);
	tell(&s, 0, 3);
	ward_kit_tell(s.kit, s.worker, pause);
	command(&s, 4);
	check_order(&s, "c2 pause c4 1 3");
	ward_kit_finish(s.kit);
}

WARD_TEST(control_messages_overtake_every_priority_and_are_not_ranked_among_themselves)
{
	struct scene s = start((ward_mailbox){.control_first = true, .priority = by_urgency});
	tell(&s, INT32_MIN, 1);
	command(&s, 2);
	tell(&s, 1, 3);
	command(&s, 4);
	check_order(&s, "c2 c4 1 3");
	ward_kit_finish(s.kit);
}

WARD_TEST(control_messages_wait_their_turn_where_the_mailbox_does_not_say_otherwise)
{
	struct scene s = start((ward_mailbox){.counted = true});
	tell(&s, 0, 1);
	command(&s, 2);
	check_order(&s, "1 c2");
	ward_kit_finish(s.kit);
	s = start((ward_mailbox){0});
	tell(&s, 0, 1);
	command(&s, 2);
	check_order(&s, "1 c2");
	ward_kit_finish(s.kit);
}

/* ---- with a maximum ---------------------------------------------------------------------- */

WARD_TEST(full_mailbox_refuses_urgent_messages_too)
{
	static const ward_overflow policies[] = {WARD_OVERFLOW_REFUSE, WARD_OVERFLOW_DROP_NEWEST,
						 WARD_OVERFLOW_HOLD_SENDER};
	for (size_t i = 0; i < 3; i++) {
		struct scene s = start((ward_mailbox){.messages_max = 2,
						      .overflow = policies[i],
						      .priority = by_urgency,
						      .control_first = true});
		tell(&s, 1, 1);
		tell(&s, 2, 2);
		tell(&s, -1, 3);
		command(&s, 4);
		ward_assert_eq(waiting(&s), 2);
		check_order(&s, "1 2");
		ward_assert_eq(dead(&s, 0), 3);
		ward_kit_finish(s.kit);
	}
}

WARD_TEST(drop_oldest_drops_the_longest_waiting_of_those_that_matter_least)
{
	struct scene s = start((ward_mailbox){
		.messages_max = 4, .overflow = WARD_OVERFLOW_DROP_OLDEST, .priority = by_urgency});
	tell(&s, 5, 1);
	tell(&s, 7, 2);
	tell(&s, 7, 3);
	tell(&s, -1, 4);
	tell(&s, 6, 5); /* 2 goes */
	ward_assert_eq(dead(&s, 0), 2);
	tell(&s, 7, 6); /* 3 goes: as little as the new one, and longer there */
	ward_assert_eq(dead(&s, 1), 3);
	tell(&s, 8, 7); /* goes itself */
	ward_assert_eq(dead(&s, 2), 7);
	tell(&s, 0, 8); /* 6 goes */
	ward_assert_eq(dead(&s, 3), 6);
	ward_assert_eq(waiting(&s), 4);
	check_order(&s, "4 8 1 5");
	ward_kit_finish(s.kit);
}

WARD_TEST(drop_oldest_spares_control_messages_while_there_are_others)
{
	struct scene s = start((ward_mailbox){
		.messages_max = 2, .overflow = WARD_OVERFLOW_DROP_OLDEST, .control_first = true});
	command(&s, 1);
	tell(&s, 0, 2);
	command(&s, 3); /* 2 goes */
	ward_assert_eq(dead(&s, 0), 2);
	tell(&s, 0, 4); /* goes itself */
	ward_assert_eq(dead(&s, 1), 4);
	command(&s, 5); /* 1 goes */
	check_order(&s, "c3 c5");
	ward_kit_finish(s.kit);
}

/* Flags that are not a program's own; what the runtime sends has them. */
static const ward_type ward_type_forged = {.name = "forged",
					   .flags = WARD_TYPE_CONTROL | UINT32_C(1) << 16};

WARD_TEST(drop_oldest_spares_special_messages_whatever_their_flags)
{
	struct scene s = start((ward_mailbox){
		.messages_max = 1, .overflow = WARD_OVERFLOW_DROP_OLDEST, .control_first = true});
	ward_system_send(ward_kit_system(s.kit), s.worker, &ward_type_forged, NULL, 0);
	command(&s, 1);
	command(&s, 2); /* 1 goes */
	ward_assert_eq(waiting(&s), 1);
	ward_assert_eq(ward_kit_count(s.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	check_order(&s, "c2");
	ward_kit_finish(s.kit);
}

WARD_TEST(drop_oldest_without_memory_for_the_place_drops_nothing)
{
	struct scene s = start((ward_mailbox){
		.messages_max = 2, .overflow = WARD_OVERFLOW_DROP_OLDEST, .priority = by_urgency});
	tell(&s, 0, 1);
	tell(&s, 0, 2);
	ward_kit_fail_allocation(s.kit, 2);
	ward_assert_err(ward_system_try_tell(ward_kit_system(s.kit), s.worker, job, .urgency = -1),
			WARD_ENOMEM);
	ward_kit_fail_allocation(s.kit, 0);
	check_order(&s, "1 2");
	ward_kit_finish(s.kit);
}

/* ---- counts ------------------------------------------------------------------------------ */

WARD_TEST(counted_mailbox_is_counted_without_a_maximum)
{
	struct scene s = start((ward_mailbox){.counted = true});
	ward_kit_tell(s.kit, s.worker, ask_count);
	for (int32_t i = 0; i < 3; i++)
		tell(&s, 0, i);
	ward_kit_tell(s.kit, s.worker, ward_poison_pill); /* not counted */
	ward_assert_eq(waiting(&s), 4);
	check_order(&s, "count3 0 1 2");
	ward_kit_finish(s.kit);
}

static void count_them(ward_self *self, void *arg)
{
	const ward_ref *refs = arg;
	ward_assert_eq(ward_mailbox_count(self, refs[0]), -1);
	ward_assert_eq(ward_mailbox_count(self, refs[1]), 2);
	ward_assert_eq(ward_mailbox_count(self, refs[2]), -1);
	ward_assert_eq(ward_mailbox_count(self, ward_nobody()), -1);
	ward_assert_eq(ward_mailbox_count(self, (ward_ref){refs[1].uid, 4711, 0}), -1);
}

WARD_TEST(count_is_for_counted_mailboxes_of_the_living)
{
	struct scene s = {.kit = ward_kit_start(&(ward_kit_options){.may_leave_mail = true})};
	ward_probe *probe = ward_probe_start(s.kit, "probe");
	ward_ref refs[3];
	refs[0] = ward_kit_spawn(s.kit, &worker);
	refs[1] = ward_probe_spawn(probe, &worker, .mailbox = {.counted = true});
	refs[2] = ward_kit_spawn(s.kit, &worker, .mailbox = {.counted = true});
	ward_kit_stop(s.kit, refs[2]);
	ward_kit_run(s.kit);
	ward_kit_tell(s.kit, refs[1], job, .urgency = INT32_MAX); /* the probe does not decide */
	ward_kit_run(s.kit);
	ward_kit_tell(s.kit, refs[1], job, .number = 1);
	ward_kit_tell(s.kit, refs[1], job, .number = 2);
	ward_probe_do(probe, count_them, refs);
	ward_assert_eq(ward_mailbox_count(NULL, refs[1]), -1);
	ward_kit_finish(s.kit);
}

WARD_TEST_MAIN
