/* SPDX-License-Identifier: MIT
 *
 * test_stash_in_hand.c - a callback stashes its message, takes it out of the stash again, and asks
 * about it then: who sent it, of what type it is; and answers it (S86).
 *
 * It owns its block, as what was un-stashed before does, and what ends a question.
 */
#include <string.h>

#include <ward/ask.h>
#include <ward/link.h>
#include <ward/stash.h>
#include <ward/testkit.h>
#include <ward/ward.h>

struct parcel {
	char bytes[200];
};
struct receipt {
	int number;
};
static int drops;

static void parcel_drop(struct parcel *parcel)
{
	(void)parcel;
	drops++;
}
WARD_MESSAGE_DROP(parcel, parcel_drop);
WARD_MESSAGE_FLAT(receipt);
WARD_REPLY(parcel, receipt);
WARD_REPLY(receipt, parcel);

/* The message that the keeper is to lose, and where. */
enum subject { PARCEL, OUTCOME, TERMINATED, EXITED, IN_PRE_RESTART };

static struct {
	enum subject subject;
	ward_ref keeper, other;
	int seen;   /* how often the keeper got it */
	int losses; /* how often it was lost, and asked about */
	bool answered;
} scene;

static bool is_subject(const ward_msg *msg)
{
	return ward_match(msg, parcel) != NULL || ward_match(msg, ward_terminated) != NULL ||
	       ward_match(msg, ward_exited) != NULL;
}

static void lose_and_ask_about_it(ward_self *self, const ward_msg *msg)
{
	const ward_type *type = ward_msg_type(msg);
	size_t size = ward_msg_size(msg);
	ward_ref sender = ward_msg_sender(msg);
	int dropped = drops;

	ward_assert_ok(ward_try_stash(self));
	if (scene.subject == TERMINATED)
		ward_unwatch(self, scene.other);
	else if (scene.subject == EXITED)
		ward_unlink(self, scene.other);
	else
		ward_stash_clear(self);
	ward_assert_eq(ward_stash_count(self), 0);
	ward_assert_eq(drops - dropped, type == &ward_type_parcel);
	ward_assert_eq(ward_msg_type(msg), type);
	ward_assert_eq(ward_msg_size(msg), size);
	ward_assert(ward_ref_equal(ward_msg_sender(msg), sender));
	if (type == &ward_type_parcel)
		ward_answer(self, msg, parcel, .number = 7);
	ward_assert_eq(ward_try_stash(self), WARD_EEXIST);
	scene.losses++;
}

static ward_result keeper_init(ward_self *self, void *state, const void *args)
{
	(void)state, (void)args;
	if (scene.subject == TERMINATED)
		ward_assert_ok(ward_try_watch(self, scene.other));
	if (scene.subject == EXITED) {
		ward_trap_exit(self, true);
		ward_assert_ok(ward_try_link(self, scene.other));
	}
	if (scene.subject == OUTCOME)
		ward_assert_ok(
			ward_try_ask(self, scene.other, 1, WARD_FOREVER, receipt, .number = 1));
	return WARD_DONE;
}

static ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!is_subject(msg))
		return WARD_UNHANDLED;
	scene.seen++;
	if (scene.seen == 1 && scene.subject != OUTCOME) {
		ward_assert_ok(ward_try_stash(self));
		ward_assert_eq(ward_unstash_all(self), 1);
		return WARD_DONE;
	}
	if (scene.subject == IN_PRE_RESTART)
		return ward_failed(self, &ward_exception, "in hand");
	lose_and_ask_about_it(self, msg);
	return WARD_DONE;
}

static ward_result keeper_pre_restart(ward_self *self, void *state, const ward_failure *why,
				      const ward_msg *msg)
{
	(void)state, (void)why;
	if (scene.subject == IN_PRE_RESTART)
		lose_and_ask_about_it(self, msg);
	return WARD_DONE;
}

static const ward_behavior keeper = {.name = "keeper",
				     .init = keeper_init,
				     .receive = keeper_receive,
				     .pre_restart = keeper_pre_restart};

/* Answers a question, and leaves the answer to its answer alone. */
static ward_result other_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct receipt *receipt = ward_match(msg, receipt);

	(void)state;
	if (receipt != NULL && receipt->number == 1)
		ward_answer(self, msg, receipt, .bytes = "the outcome");
	else
		scene.answered = receipt != NULL && receipt->number == 7;
	return WARD_DONE;
}
static const ward_behavior other = {.name = "other", .receive = other_receive};

static void run(enum subject subject)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_probe *probe = ward_probe_start(kit, "probe");

	memset(&scene, 0, sizeof scene);
	drops = 0;
	scene.subject = subject;
	scene.other = ward_kit_spawn(kit, &other, .name = "other");
	scene.keeper = ward_kit_spawn(kit, &keeper, .name = "keeper");
	ward_kit_run(kit);
	if (subject == PARCEL || subject == IN_PRE_RESTART)
		ward_probe_tell(probe, scene.keeper, parcel, .bytes = "one");
	if (subject == TERMINATED || subject == EXITED)
		ward_kit_stop(kit, scene.other);
	ward_kit_run(kit);
	ward_assert_eq(scene.losses, 1);
	ward_assert_eq(scene.answered, subject == OUTCOME);
	ward_assert_eq(drops, subject == PARCEL || subject == IN_PRE_RESTART || subject == OUTCOME);
	if (subject == PARCEL || subject == IN_PRE_RESTART)
		ward_assert_eq(ward_expect(probe, 0, receipt)->number, 7);
	ward_kit_finish(kit);
}

WARD_TEST(message_in_hand_that_was_unstashed_outlives_its_place_in_the_stash, "S86")
{
	run(PARCEL);
}

WARD_TEST(message_in_hand_that_ends_a_question_outlives_its_place_in_the_stash, "S86")
{
	run(OUTCOME);
}

WARD_TEST(notice_of_an_end_in_hand_outlives_an_unwatch, "S86")
{
	run(TERMINATED);
}

WARD_TEST(notice_of_an_exit_in_hand_outlives_an_unlink, "S86")
{
	run(EXITED);
}

WARD_TEST(message_that_failed_outlives_its_place_in_the_stash_in_pre_restart, "S86")
{
	run(IN_PRE_RESTART);
}

WARD_TEST_MAIN
