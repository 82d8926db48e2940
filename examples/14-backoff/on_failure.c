/* SPDX-License-Identifier: MIT
 *
 * on_failure.c - how to start an actor again later when it has failed, but not when it stops.
 *
 * A failure that would lead to a restart leads to a start in 3, 6, 12, 24 and 30 seconds. When the
 * echo stops itself it is done, and its supervisor stops, too.
 */
#include "echo.h"

static ward_ref start_echo(ward_probe *owner)
{
	struct ward_backoff options = {
		.child = {.behavior = &echo},
		.min_backoff_ms = 3 * WARD_SECOND,
		.max_backoff_ms = 30 * WARD_SECOND,
	};

	return ward_probe_spawn(owner, &ward_backoff_on_failure, .name = "echo_supervisor",
				.args = {WARD_COPY(ward_backoff, &options)});
}

WARD_TEST(echo_that_fails_is_started_again_and_one_that_stops_is_not)
{
	static const int64_t delays_ms[] = {3000, 6000, 12000, 24000, 30000};
	ward_kit *kit = ward_kit_start(NULL);
	ward_probe *owner = ward_probe_start(kit, "owner");
	ward_ref supervisor = start_echo(owner);

	for (int i = 0; i < 5; i++)
		bring_down(kit, supervisor, FAIL, delays_ms[i]);
	ward_probe_watch(owner, supervisor);
	bring_down(kit, supervisor, STOP, 0);
	ward_expect_terminated(owner, 0, supervisor);
	print_at(ward_kit_now_ns(kit), "that was all");
	ward_kit_finish(kit);
}
