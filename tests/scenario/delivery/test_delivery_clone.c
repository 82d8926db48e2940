/* SPDX-License-Identifier: MIT
 *
 * test_delivery_clone.c - at-least-once delivery of messages whose clone refuses for good.
 *
 * Method: as job_delivery.h says; a delivers brittle things, too, which b does not know.
 */
#include <errno.h>

#include <ward/extend.h>

#include "job_delivery.h"

struct brittle {
	char *block;
};
static bool refuses, says_nothing;

static inline void brittle_drop(struct brittle *brittle)
{
	blocks -= brittle->block != NULL;
	free(brittle->block);
}
static inline ward_err brittle_clone(struct brittle *to, const struct brittle *from)
{
	(void)from;
	errno = EMFILE;
	if (refuses && says_nothing)
		return WARD_ESYS;
	if (refuses)
		return ward_refused(WARD_EINVAL, "no copy of this one any more");
	to->block = new_block();
	return WARD_OK;
}
WARD_MESSAGE_CLONE(brittle, brittle_drop, brittle_clone);

static ward_err deliver_it(ward_self *self)
{
	return ward_try_deliver(self, &out, scene.b.ref, brittle, .block = new_block());
}

static ward_result do_deliver_brittle(ward_self *self, void *arg)
{
	(void)arg;
	if (deliver_it(self) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	return WARD_DONE;
}

static void deliver_brittle(void)
{
	script_do(scene.kit, scene.a.ref, do_deliver_brittle, NULL);
	ward_kit_run(scene.kit);
}

static size_t dead_letters(void)
{
	size_t count = 0;
	for (size_t i = 0; i < ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"); i++)
		count += strcmp(ward_kit_event(scene.kit, WARD_EVENT_DEAD_LETTER, "*", i)
					->message_type,
				"brittle") == 0;
	return count;
}

static void begin_brittle(void)
{
	refuses = says_nothing = false;
	options = plain;
	options.warn = NULL;
	begin();
	scene.silent = scene.keeps = true;
}

WARD_TEST(sending_that_cannot_be_copied_is_a_dead_letter_each_time)
{
	begin_brittle();
	deliver_brittle();
	ward_assert_eq(dead_letters(), 0);
	refuses = true;
	ward_kit_advance(scene.kit, 1000);
	ward_assert_eq(dead_letters(), 10);
	ward_assert_eq(ward_delivery_count(&out), 1);
	confirm(1);
	finish();
}

static ward_result do_deliver_refused(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) { /* the same text again is a text as well */
		ward_assert_err(deliver_it(self), WARD_EINVAL);
		ward_assert_str(ward_err_detail(), "no copy of this one any more");
	}
	says_nothing = true;
	ward_assert_err(deliver_it(self), WARD_ESYS);
	ward_assert_str(ward_err_detail(),
			"a \"brittle\" could not be copied: Too many open files (EMFILE)");
	ward_assert_eq(ward_delivery_next(&out), 1);
	return WARD_DONE;
}

WARD_TEST(message_that_cannot_be_copied_at_once_is_refused)
{
	begin_brittle();
	refuses = true;
	script_do(scene.kit, scene.a.ref, do_deliver_refused, NULL);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(blocks, 0);
	finish();
}

static ward_result start_refusing(ward_self *self, void *arg)
{
	refuses = ward_incarnation(self) > 1;
	return start(self, arg);
}

WARD_TEST(kept_message_that_cannot_be_copied_is_given_up_and_told_and_holds_up_no_other)
{
	begin_brittle();
	scene.a.init = start_refusing;
	deliver(1);
	deliver_brittle();
	deliver(1);
	script_break(scene.kit, scene.a.ref, &ward_exception);
	for (int i = 0; i < 500 && ward_kit_step(scene.kit); i++)
		;
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a"), 1);
	ward_assert_eq(dead_letters(), 1);
	ward_assert_eq(ward_delivery_count(&out), 2);
	ward_assert_eq(blocks, 2);
	finish();
}

WARD_TEST(message_that_cannot_be_copied_when_it_is_to_be_kept_is_told_and_holds_up_no_other)
{
	begin_brittle();
	deliver(1);
	deliver_brittle();
	deliver(1);
	refuses = true;
	journal_clear();
	fail_a();
	ward_assert_part(journal_text(), "not kept");
	ward_assert_eq(ward_delivery_count(&out), 2);
	ward_assert_eq(blocks, 2);
	finish();
}

static ward_result do_take_refused(ward_self *self, void *arg)
{
	(void)self, (void)arg;
	ward_assert_err(ward_delivery_take(&out, &taken), WARD_EINVAL);
	return WARD_DONE;
}

WARD_TEST(state_is_not_without_what_cannot_be_copied)
{
	begin_brittle();
	deliver(1);
	deliver_brittle();
	refuses = true;
	script_do(scene.kit, scene.a.ref, do_take_refused, NULL);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert(taken == NULL);
	ward_assert_eq(blocks, 2);
	refuses = false;
	confirm(2);
	finish();
}

WARD_TEST(message_of_a_state_that_cannot_be_copied_is_given_up_and_may_come_again)
{
	begin_brittle();
	deliver_brittle();
	script_do(scene.kit, scene.a.ref, do_take, NULL);
	ward_kit_run(scene.kit);
	confirm(1);
	refuses = true;
	restore();
	ward_assert_eq(dead_letters(), 1);
	ward_assert_eq(ward_delivery_count(&out), 0);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	refuses = false;
	restore();
	ward_assert_eq(ward_delivery_count(&out), 1);
	confirm(1);
	ward_delivery_state_drop(taken);
	taken = NULL;
	finish();
}

WARD_TEST_MAIN
