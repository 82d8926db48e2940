/* SPDX-License-Identifier: MIT
 *
 * on_stop.c - an echo that is started again 3, 6, 12, 24 and 30 seconds after each time it stops.
 *
 * A fifth of each delay is noise on top, so that many of its kind do not come back in the same
 * moment. What is said to it while it is down waits. On the clock of a test, which jumps.
 */
#include "echo.h"

static ward_ref start_echo(ward_kit *kit)
{
	struct ward_backoff options = {
		.child = {.behavior = &echo},
		.min_backoff_ms = 3 * WARD_SECOND,
		.max_backoff_ms = 30 * WARD_SECOND,
		.random_factor = 0.2, /* adds 20 % of noise */
		.stash_max = 100,
	};

	return ward_kit_spawn(kit, &ward_backoff_on_stop, .name = "echo_supervisor",
			      .args = {WARD_COPY(ward_backoff, &options)});
}

static bool has_status(void *arg)
{
	return ((const ward_actor_info *)arg)->status[0] != '\0';
}

WARD_TEST(echo_that_stops_is_started_again_later_each_time)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.seed = 14});
	ward_ref supervisor = start_echo(kit);
	ward_actor_info info;

	for (int i = 0; i < 6; i++) {
		bring_down(kit, supervisor, STOP, 2 * WARD_SECOND);
		ward_assert(ward_kit_info(kit, supervisor, &info) && has_status(&info));
		print_at(ward_kit_now_ns(kit), "%s", info.status);
		talk(kit, supervisor, "I have waited");
		while (ward_kit_info(kit, supervisor, &info) && has_status(&info))
			ward_kit_advance(kit, 100);
	}
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
