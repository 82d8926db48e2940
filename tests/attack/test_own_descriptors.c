/* SPDX-License-Identifier: MIT
 *
 * test_own_descriptors.c - an actor that watches a descriptor of the system: a stale number.
 */
#include <fcntl.h>
#include <ward/loop.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { FDS = 256 };

WARD_SIGNAL(look);

static bool were_open[FDS];
static int refused, others;

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	for (int fd = 0; fd < FDS; fd++) {
		if (were_open[fd] || fcntl(fd, F_GETFD) < 0)
			continue;
		if (ward_try_fd_watch(self, fd, WARD_FD_READ) == WARD_EINVAL)
			refused++;
		others++;
		ward_fd_unwatch(self, fd);
	}
	return WARD_DONE;
}
static const ward_behavior curious = {.name = "curious", .receive = receive};

/* It would take the wake of the scheduler away. */
WARD_TEST(watching_a_descriptor_of_the_system_itself_is_refused)
{
	ward_kit *kit;
	ward_ref who;

	for (int fd = 0; fd < FDS; fd++)
		were_open[fd] = fcntl(fd, F_GETFD) >= 0;
	kit = ward_kit_start(NULL);
	who = ward_kit_spawn(kit, &curious);
	ward_kit_tell(kit, who, look);
	ward_kit_run(kit);
	ward_assert_eq(others, 2);
	ward_assert_eq(refused, 2);
	ward_kit_finish(kit);
}

/* It has two more, one of which the program knows. */
WARD_TEST(watching_a_descriptor_of_a_driven_system_itself_is_refused)
{
	ward_system *system;
	ward_ref who;

	others = refused = 0;
	for (int fd = 0; fd < FDS; fd++)
		were_open[fd] = fcntl(fd, F_GETFD) >= 0;
	ward_assert_ok(ward_system_create(&(ward_options){.driven = true}, &system));
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&curious), &who));
	ward_system_tell(system, who, look);
	ward_assert_ok(ward_system_ask_stop(system, who, WARD_MINUTE));
	ward_assert_eq(others, 4);
	ward_assert_eq(refused, 4);
	ward_assert_ok(ward_system_destroy(system, WARD_MINUTE));
}

WARD_TEST_MAIN
