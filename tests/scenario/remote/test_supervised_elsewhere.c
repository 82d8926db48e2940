/* SPDX-License-Identifier: MIT
 *
 * test_supervised_elsewhere.c - supervisors of all kinds take children that live elsewhere (S190):
 * a back-off, a pool, a supervisor of OTP, a factory of the Akka 0.x profile.
 *
 * Method: the guests are of this system. Each child writes down what it gets.
 */
#include <string.h>

#include <ward/akka_zero.h>
#include <ward/backoff.h>
#include <ward/codec.h>
#include <ward/otp.h>
#include <ward/router.h>

#include "guest_family.h"

static ward_kit *kit;
static int failing_starts;

struct chore {
	int number; /* below 0: fails */
};
WARD_MESSAGE_FIELDS(chore, 1, WARD_FIELD(INT, chore, number));
WARD_SIGNAL(done);

static ward_result hand_start(ward_self *self, void *state)
{
	(void)state;
	journal_note("start");
	if (failing_starts > 0) {
		failing_starts--;
		return ward_failed(self, &ward_exception, "not yet");
	}
	return WARD_DONE;
}

static ward_result hand_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct chore *chore = ward_match(msg, chore);
	(void)state;
	if (chore == NULL)
		return WARD_UNHANDLED;
	journal_note("%d", chore->number);
	if (chore->number < 0)
		return ward_failed(self, &ward_exception, "chore %d", chore->number);
	return ward_reply(self, msg, done);
}

static const ward_behavior hand = {
	.name = "hand", .receive = hand_receive, .pre_start = hand_start};
static const ward_props hand_props = {.behavior = &hand};
static const ward_kind kinds[] = {{"hand", &hand_props}, {NULL, NULL}};
static const struct ward_remote remote = {.kind = "hand"};

static void begin(int failures)
{
	failing_starts = failures;
	kit = script_start(&(ward_kit_options){.may_leave_mail = true});
	ward_assert_ok(ward_guests_start(ward_kit_system(kit),
					 &(ward_guests_options){.kinds = kinds}, NULL));
}

static void order(ward_ref who, int number)
{
	ward_system_tell(ward_kit_system(kit), who, chore, .number = number);
	ward_kit_run(kit);
}

WARD_TEST(backoff_starts_a_child_elsewhere_again, "S190")
{
	static const bool with_stash[] = {false, true};
	for (int i = 0; i < 2; i++) {
		begin(1);
		const struct ward_backoff options = {
			.child = ward_remote_props(&remote),
			.min_backoff_ms = 1000,
			.max_backoff_ms = 1000,
			.stash_max = with_stash[i] ? 10 : 0,
		};
		ward_ref boss = ward_kit_spawn(kit, &ward_backoff_on_stop,
					       .args = {WARD_COPY(ward_backoff, &options)});
		ward_kit_run(kit);
		if (with_stash[i])
			order(boss, 1);
		assert_journal("start");
		ward_kit_advance(kit, 1000);
		assert_journal(with_stash[i] ? "start;start;1" : "start;start");
		order(boss, -1); /* its strategy restarts it at once */
		ward_assert_part(journal_text(), "-1;start");
		script_finish(kit);
	}
}

WARD_TEST(backoff_waits_after_the_failure_of_a_child_elsewhere, "S190")
{
	begin(0);
	const struct ward_backoff options = {
		.child = ward_remote_props(&remote),
		.min_backoff_ms = 1000,
		.max_backoff_ms = 1000,
	};
	ward_ref boss = ward_kit_spawn(kit, &ward_backoff_on_failure,
				       .args = {WARD_COPY(ward_backoff, &options)});
	ward_kit_run(kit);
	order(boss, -1);
	assert_journal("start;-1");
	ward_kit_advance(kit, 999);
	assert_journal("start;-1");
	ward_kit_advance(kit, 1);
	order(boss, 2);
	assert_journal("start;-1;start;2");
	script_finish(kit);
}

WARD_TEST(pool_of_routees_elsewhere_shares_the_work, "S190")
{
	begin(0);
	const struct ward_router options = {.routee = ward_remote_props(&remote), .routees = 3};
	ward_ref pool = ward_kit_spawn(kit, &ward_pool, .args = {WARD_COPY(ward_router, &options)});
	ward_kit_run(kit);
	assert_journal("start;start;start");
	journal_clear();
	for (int i = 1; i <= 6; i++)
		order(pool, i);
	assert_journal("1;2;3;4;5;6");
	journal_clear();
	order(pool, -1);
	order(pool, 7);
	ward_assert_part(journal_text(), "-1;");
	ward_assert_part(journal_text(), "7");
	script_finish(kit);
}

WARD_TEST(otp_supervisor_starts_a_child_elsewhere_and_restarts_it, "S190")
{
	begin(0);
	const ward_otp_child_spec children[] = {{.id = "hand", .props = ward_remote_props(&remote)},
						{0}};
	const ward_otp_supervisor table = {.name = "shop", .children = children, .intensity = 2};
	ward_ref shop, child;
	ward_assert_ok(ward_otp_start(ward_kit_system(kit), &table, WARD_MINUTE, &shop));
	assert_journal("start");
	ward_assert_ok(
		ward_system_resolve(ward_kit_system(kit), "/user/shop/hand", WARD_SECOND, &child));
	order(child, -1);
	assert_journal("start;-1;start");
	ward_assert_ok(
		ward_system_resolve(ward_kit_system(kit), "/user/shop/hand", WARD_SECOND, &child));
	order(child, 3);
	assert_journal("start;-1;start;3");
	script_finish(kit);
}

WARD_TEST(otp_supervisor_refuses_to_start_if_a_child_elsewhere_fails, "S190")
{
	begin(1);
	const ward_otp_child_spec children[] = {{.id = "hand", .props = ward_remote_props(&remote)},
						{0}};
	const ward_otp_supervisor table = {.name = "shop", .children = children};
	ward_ref shop;
	ward_assert_err(ward_otp_start(ward_kit_system(kit), &table, WARD_MINUTE, &shop),
			WARD_EFAILED);
	assert_journal("start");
	script_finish(kit);
}

WARD_TEST(zero_factory_starts_components_elsewhere, "S190")
{
	static const ward_zero_strategy all =
		WARD_ZERO_STRATEGY(WARD_ALL_FOR_ONE, 3, 1000, &ward_exception);
	begin(0);
	const ward_zero_component components[] = {
		{.props = ward_remote_props(&remote)}, {.props = ward_remote_props(&remote)}, {0}};
	const ward_zero_factory factory = {
		.name = "shop", .strategy = &all, .components = components};
	ward_ref shop;
	ward_assert_ok(ward_zero_start(ward_kit_system(kit), &factory, WARD_MINUTE, &shop));
	assert_journal("start;start");
	script_finish(kit);
}

WARD_TEST_MAIN
