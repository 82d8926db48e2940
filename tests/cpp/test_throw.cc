/* SPDX-License-Identifier: MIT
 *
 * test_throw.cc - an exception that would leave a callback ends the process, and says so.
 *
 * Method: each case has a child that throws, and tries to catch it outside; the child may not come
 * back from there, and its last words and its end are looked at.
 */
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/ward.h>

/* The child of a fork starts threads of its own. */
extern "C" const char *__tsan_default_options(void);

extern "C" const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

namespace
{

struct parcel {
	int number;
};

WARD_SIGNAL(ping);

/* A function of its own: the compiler warns of what it sees throw where nothing may leave. */
[[noreturn]] void raise_it(const char *what)
{
	throw std::runtime_error(what);
}

void drop(parcel *)
{
	raise_it("of a drop");
}
WARD_MESSAGE_DROP(parcel, drop);

ward_result receive(ward_self *, void *, const ward_msg *) noexcept
{
	raise_it("of a receive");
}

ward_result start(ward_self *, void *) noexcept
{
	raise_it("of a hook");
}

ward_result look(ward_self *, void *, void *) noexcept
{
	raise_it("of a test");
}

ward_result handle(ward_self *, void *, const ward_msg *) noexcept
{
	return WARD_DONE;
}

/* It would go on, if it could. */
ward_result catch_all(ward_self *, void *, const ward_msg *) noexcept
{
	try {
		raise_it("of no matter");
	} catch (const std::exception &) {
		return WARD_DONE;
	}
}

ward_behavior thrower(ward_receive receives, bool at_start)
{
	ward_behavior it = {};

	it.name = "thrower";
	it.receive = receives;
	it.pre_start = at_start ? start : nullptr;
	return it;
}

void play(bool real, const ward_behavior *behavior, bool inside)
{
	ward_kit_options options = {};
	ward_props props = {};

	options.real_threads = real;
	props.behavior = behavior;
	ward_kit *kit = ward_kit_start(&options);
	ward_ref it = ward_kit_spawn_props(kit, &props);
	if (inside)
		ward_kit_inside(kit, it, look, nullptr);
	ward_system_send(ward_kit_system(kit), it, &ward_type_parcel, nullptr, 0);
	parcel body = {1};
	ward_system_send(ward_kit_system(kit), it, &ward_type_parcel, &body, sizeof body);
	ward_kit_run(kit);
	ward_kit_finish(kit);
}

/* What the child wrote to stderr is in `text`; returns its status. */
int play_in_child(bool real, const ward_behavior *behavior, bool inside, char *text, size_t max)
{
	int ends[2], status;
	size_t length = 0;
	ssize_t more;

	ward_assert_eq(pipe(ends), 0);
	pid_t pid = fork();
	ward_assert(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		try {
			play(real, behavior, inside);
		} catch (...) {
			_exit(77);
		}
		_exit(0);
	}
	close(ends[1]);
	while ((more = read(ends[0], text + length, max - 1 - length)) > 0)
		length += (size_t)more;
	text[length] = '\0';
	close(ends[0]);
	ward_assert_eq(waitpid(pid, &status, 0), pid);
	return status;
}

void check_ends(const ward_behavior &behavior, bool inside, const char *what)
{
	char text[16384];

	for (bool real : {false, true}) {
		int status = play_in_child(real, &behavior, inside, text, sizeof text);

		ward_assert(WIFSIGNALED(status));
		ward_assert_eq(WTERMSIG(status), SIGABRT);
		ward_assert_part(text, "terminat");
		ward_assert_part(text, "std::runtime_error");
		ward_assert_part(text, what);
	}
}

} // namespace

WARD_TEST(exception_in_receive_ends_the_process)
{
	check_ends(thrower(receive, false), false, "of a receive");
}

WARD_TEST(exception_in_a_hook_ends_the_process)
{
	check_ends(thrower(handle, true), false, "of a hook");
}

WARD_TEST(exception_in_a_drop_ends_the_process)
{
	check_ends(thrower(handle, false), false, "of a drop");
}

WARD_TEST(exception_in_a_function_of_the_test_inside_an_actor_ends_the_process)
{
	check_ends(thrower(handle, false), true, "of a test");
}

WARD_TEST(exception_that_is_caught_within_the_callback_is_the_programs_own)
{
	ward_behavior behavior = thrower(catch_all, false);
	ward_kit *kit = ward_kit_start(nullptr);
	ward_props props = {};

	props.behavior = &behavior;
	ward_ref it = ward_kit_spawn_props(kit, &props);
	ward_system_send(ward_kit_system(kit), it, &ward_type_ping, nullptr, 0);
	ward_kit_run(kit);
	ward_assert_state(kit, it, WARD_STATE_RUNNING);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
