/* SPDX-License-Identifier: MIT
 *
 * test_dead_letter.c - what a dead letter says, whoever makes it: a mailbox, a program.
 *
 * Method: a desk in a family gets parcels, which own memory, and makes dead letters of them.
 */
#include <stdlib.h>

#include <ward/extend.h>

#include "support/family_tree.h"

static int parcels;
struct parcel {
	void *owned;
};
static void parcel_drop(struct parcel *parcel)
{
	parcels--;
	free(parcel->owned);
}
WARD_MESSAGE_DROP(parcel, parcel_drop);
struct receipt {
	int number;
};
WARD_MESSAGE(receipt);
WARD_REPLY(parcel, receipt);

static ward_reason reason;
static ward_ref meant_for;

static ward_result refuse(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, parcel) == NULL)
		return WARD_UNHANDLED;
	ward_dead_letter(self, meant_for, reason);
	ward_dead_letter(self, meant_for, reason); /* it is gone already: nothing happens */
	return WARD_DONE;
}

static ward_result refuse_twice(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, parcel) == NULL)
		return WARD_UNHANDLED;
	ward_forward(self, meant_for);
	ward_dead_letter(self, meant_for, reason);
	return WARD_DONE;
}

static ward_result send_parcel(ward_self *self, void *arg)
{
	parcels++;
	ward_tell(self, ((struct script *)arg)->ref, parcel, .owned = malloc(1));
	return WARD_DONE;
}

WARD_TEST(program_makes_a_dead_letter_of_what_it_cannot_pass_on, "S81")
{
	static const ward_reason reasons[] = {WARD_REASON_NO_ROUTEE, WARD_REASON_FULL,
					      WARD_REASON_MISUSE, (ward_reason)99};
	struct family f = FAMILY;
	f.b.receive = refuse;
	family_start(&f);
	meant_for = f.c.ref;
	for (size_t i = 0; i < 4; i++) {
		reason = reasons[i];
		script_do(f.kit, f.a.ref, send_parcel, &f.b);
		ward_kit_run(f.kit);
		const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*", i);
		ward_assert_eq(event->reason, reasons[i]);
		ward_assert_str(event->text, ward_reason_text(reasons[i]));
		ward_assert(ward_ref_equal(event->subject, f.c.ref));
		ward_assert_str(event->path, "sim/user/g/p/c");
		ward_assert(ward_ref_equal(event->sender, f.a.ref));
		ward_assert_str(event->message_type, "parcel");
		ward_assert_eq(parcels, 0);
	}
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 4);
	script_finish(f.kit);
}

WARD_TEST(dead_letter_of_a_program_tells_the_thread_that_waits, "S81")
{
	struct family f = FAMILY;
	struct receipt receipt;
	f.b.receive = refuse;
	family_start(&f);
	meant_for = ward_nobody();
	reason = WARD_REASON_NO_ROUTEE;
	parcels++;
	ward_assert_err(ward_system_ask(ward_kit_system(f.kit), f.b.ref, WARD_MINUTE, &receipt,
					parcel, .owned = malloc(1)),
			WARD_EDEAD);
	ward_assert_eq(ward_kit_now_ms(f.kit), 0);
	ward_assert_eq(parcels, 0);
	script_finish(f.kit);
}

static ward_self *kept_self;

static ward_result without_a_message(ward_self *self, void *arg)
{
	(void)arg;
	kept_self = self;
	ward_dead_letter(self, ward_nobody(), WARD_REASON_FULL);
	return WARD_DONE;
}

WARD_TEST(without_a_message_no_dead_letter_is_made)
{
	struct family f = FAMILY;
	f.a.post_stop = without_a_message;
	f.b.receive = refuse_twice;
	family_start(&f);
	meant_for = f.c.ref;
	script_do(f.kit, f.a.ref, send_parcel, &f.b);
	ward_kit_run(f.kit);
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run(f.kit);
	ward_dead_letter(kept_self, ward_nobody(), WARD_REASON_FULL);
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
	ward_assert_eq(parcels, 0);
	script_finish(f.kit);
}

static ward_result send_three(ward_self *self, void *arg)
{
	for (int i = 0; i < 3; i++)
		(void)send_parcel(self, arg);
	return WARD_DONE;
}

WARD_TEST(overflow_says_recipient_sender_and_reason, "S81")
{
	static const ward_overflow ways[] = {WARD_OVERFLOW_REFUSE, WARD_OVERFLOW_DROP_NEWEST,
					     WARD_OVERFLOW_DROP_OLDEST};
	for (size_t i = 0; i < 3; i++) {
		struct family f = FAMILY;
		f.b.mailbox = (ward_mailbox){.messages_max = 1, .overflow = ways[i]};
		f.b.receive = refuse_twice;
		family_start(&f);
		meant_for = ward_nobody();
		script_do(f.kit, f.a.ref, send_three, &f.b);
		ward_kit_run(f.kit);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "sim/user/g/p/b"), 2);
		for (size_t k = 0; k < 2; k++) {
			const ward_event *event =
				ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "sim/user/g/p/b", k);
			ward_assert_eq(event->reason, WARD_REASON_FULL);
			ward_assert(ward_ref_equal(event->subject, f.b.ref));
			ward_assert(ward_ref_equal(event->sender, f.a.ref));
			ward_assert_str(event->sender_path, "sim/user/g/p/a");
		}
		ward_assert_eq(parcels, 0);
		script_finish(f.kit);
	}
}

static const ward_type nameless = {.size = 4};

static ward_result send_nonsense(ward_self *self, void *arg)
{
	ward_ref to = ((struct script *)arg)->ref;

	ward_send(self, to, &ward_type_receipt, &(struct receipt){5}, (size_t)UINT32_MAX + 5);
	ward_send(self, to, &ward_type_receipt, &(struct receipt){6}, 9);
	ward_send(self, to, &nameless, "abcd", 4);
	return WARD_DONE;
}

WARD_TEST(dead_letter_of_nonsense_says_as_much_as_there_is, "S81")
{
	static const struct {
		uint32_t size;
		const char *type;
	} wanted[] = {{UINT32_MAX, "receipt"}, {9, "receipt"}, {4, "(no type)"}};
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.a.ref, send_nonsense, &f.b);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 3);
	for (size_t i = 0; i < 3; i++) {
		const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*", i);
		ward_assert_eq(event->reason, WARD_REASON_MISUSE);
		ward_assert_eq(event->body_size, wanted[i].size);
		ward_assert_str(event->message_type, wanted[i].type);
	}
	script_finish(f.kit);
}

static uint32_t heard;

static ward_result hear(ward_self *self, const ward_msg *msg)
{
	const struct ward_event *event = ward_match(msg, ward_event);

	(void)self;
	if (event == NULL)
		return WARD_UNHANDLED;
	heard |= event->kind;
	return WARD_DONE;
}

static ward_result subscribe_to_all(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_subscribe(self, WARD_EVENT_ALL));
	return WARD_DONE;
}

static const ward_type hushed = {.name = "hushed", .flags = WARD_TYPE_QUIET};

WARD_TEST(subscription_to_all_hears_the_suppressed_and_the_dropped, "S81", "S84")
{
	struct family f = FAMILY;
	f.a.receive = hear;
	family_start(&f);
	script_do(f.kit, f.a.ref, subscribe_to_all, NULL);
	ward_kit_run(f.kit);
	heard = 0;
	ward_system_send(ward_kit_system(f.kit), ward_nobody(), &hushed, NULL, 0);
	ward_kit_run(f.kit);
	ward_assert_eq(heard, WARD_EVENT_SUPPRESSED);
	heard = 0;
	script_say(f.kit, ward_nobody(), "hi");
	ward_kit_run(f.kit);
	ward_assert_eq(heard, WARD_EVENT_DEAD_LETTER);
	script_finish(f.kit);
}

WARD_TEST(events_that_die_unread_make_no_events_for_those_who_hear_all, "S81")
{
	struct family f = FAMILY;
	f.a.receive = f.b.receive = hear;
	family_start(&f);
	script_do(f.kit, f.a.ref, subscribe_to_all, NULL);
	script_do(f.kit, f.b.ref, subscribe_to_all, NULL);
	ward_kit_run(f.kit);
	script_say(f.kit, ward_nobody(), "hi");
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_system_stop(ward_kit_system(f.kit), f.b.ref);
	ward_kit_run(f.kit);
	for (size_t i = 0; i < ward_kit_count(f.kit, WARD_EVENT_ALL, "*"); i++)
		ward_assert(strcmp(ward_kit_event(f.kit, WARD_EVENT_ALL, "*", i)->message_type,
				   "ward_event") != 0);
	ward_assert(ward_kit_stats(f.kit).dead_letters > 1); /* but they are counted */
	script_finish(f.kit);
}

WARD_TEST_MAIN
