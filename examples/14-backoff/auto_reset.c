/* SPDX-License-Identifier: MIT
 *
 * auto_reset.c - the delays begin again at the minimum after ten seconds without a failure.
 *
 * A failure of another class than my_exception is escalated.
 */
#include "echo.h"

static const ward_strategy mine_alone = {
	.rules = {{&my_exception, WARD_RESTART}},
	.otherwise = WARD_ESCALATE,
};

static ward_ref start_echo(ward_probe *owner)
{
	struct ward_backoff options = {
		.child = {.behavior = &echo},
		.min_backoff_ms = 3 * WARD_SECOND,
		.max_backoff_ms = 30 * WARD_SECOND,
		.auto_reset_ms = 10 * WARD_SECOND,
		.strategy = &mine_alone,
	};

	return ward_probe_spawn(owner, &ward_backoff_on_failure, .name = "echo_supervisor",
				.args = {WARD_COPY(ward_backoff, &options)});
}

WARD_TEST(echo_is_back_soon_when_it_has_been_up_for_a_while)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_probe *owner = ward_probe_start(kit, "owner");
	ward_ref supervisor = start_echo(owner);

	bring_down(kit, supervisor, FAIL, 3 * WARD_SECOND);
	bring_down(kit, supervisor, FAIL, 6 * WARD_SECOND);
	ward_kit_advance(kit, 10 * WARD_SECOND);
	bring_down(kit, supervisor, FAIL, 3 * WARD_SECOND);

	bring_down(kit, supervisor, FAIL_BADLY, 0);
	(void)ward_expect_failure(owner, 0, supervisor, &other_exception);
	print_at(ward_kit_now_ns(kit), "the owner decides");
	ward_probe_decide(owner, supervisor, WARD_RESTART);
	ward_kit_run(kit);
	ward_kit_finish(kit);
}
