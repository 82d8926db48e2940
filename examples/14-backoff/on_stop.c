/* SPDX-License-Identifier: MIT
 *
 * on_stop.c - how to start an actor again after a delay that grows, whenever it stops.
 *
 *	cd examples/14-backoff && cc *.c $(pkg-config --cflags --libs ward-testkit) -o backoff
 *
 * The delays are 3, 6, 12, 24 and 30 seconds. Up to a fifth of each is added at random, so that
 * many such actors do not start in the same moment. Messages for an actor that is down wait. The
 * three other ways are in on_failure.c, manual_reset.c and auto_reset.c: they belong to the same
 * program. Prints the starts of each, on the virtual clock of the tests.
 */
#include "echo.h"

static ward_ref start_echo(ward_kit *kit)
{
	struct ward_backoff options = {
		.child = {.behavior = &echo},
		.min_backoff_ms = 3 * WARD_SECOND,
		.max_backoff_ms = 30 * WARD_SECOND,
		.random_factor = 0.2, /* adds up to 20 % */
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
