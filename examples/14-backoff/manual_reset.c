/* SPDX-License-Identifier: MIT
 *
 * manual_reset.c - the delays begin again at the minimum when the actor says so.
 *
 * The echo sends a ward_backoff_reset to its parent when it has answered. Until then each delay is
 * twice the last one, however long the echo has been up. Any failure stops it: the default stopping
 * strategy.
 */
#include "echo.h"

static ward_ref start_echo(ward_kit *kit)
{
	struct ward_backoff options = {
		.child = {.behavior = &echo},
		.min_backoff_ms = 3 * WARD_SECOND,
		.max_backoff_ms = 30 * WARD_SECOND,
		.manual_reset = true,
		.default_stopping_strategy = true,
	};

	return ward_kit_spawn(kit, &ward_backoff_on_stop, .name = "echo_supervisor",
			      .args = {WARD_COPY(ward_backoff, &options)});
}

WARD_TEST(echo_is_back_soon_when_it_has_been_of_use)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref supervisor = start_echo(kit);

	bring_down(kit, supervisor, FAIL, 3 * WARD_SECOND);
	ward_kit_advance(kit, WARD_MINUTE); /* up, but nobody gets an answer */
	bring_down(kit, supervisor, FAIL_BADLY, 6 * WARD_SECOND);
	talk(kit, supervisor, "at last");
	bring_down(kit, supervisor, FAIL, 3 * WARD_SECOND);
	ward_kit_finish(kit);
}
