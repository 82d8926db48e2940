/* SPDX-License-Identifier: MIT
 *
 * test_no_descriptors.c - a program that gives up the right to open descriptors, as sandboxes do.
 */
#include <sys/resource.h>
#include <ward/testkit.h>
#include <ward/ward.h>

WARD_SIGNAL(ping);
WARD_SIGNAL(pong);
WARD_REPLY(ping, pong);

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_answer(self, msg, ping);
	return WARD_DONE;
}
static const ward_behavior echo = {.name = "echo", .receive = receive};

/* poll() refuses to look at more descriptors than may be opened: at one, where it is none. */
WARD_TEST(system_runs_on_when_no_descriptor_may_be_opened)
{
	ward_kit *kit =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system.workers = 1});
	ward_ref who = ward_kit_spawn(kit, &echo);
	struct rlimit before, none;

	ward_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	ward_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	for (int i = 0; i < 20; i++) {
		struct pong pong;

		ward_assert_ok(
			ward_system_ask(ward_kit_system(kit), who, WARD_MINUTE, &pong, ping));
		ward_kit_advance(kit, 1);
	}
	ward_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
