/* SPDX-License-Identifier: MIT
 *
 * test_rows.c - rows of options.dispatchers that are wrong are refused with a text; those that are
 * right are the dispatchers of the system.
 *
 * Method: each row is given to ward_dispatcher_check() and to two systems, on threads and
 * simulated.
 */
#include <stdint.h>
#include <stdio.h>

#include "dispatchers.h"

static const struct {
	ward_err err;
	const char *text;
	ward_dispatcher row;
} wrong[] = {
	{WARD_EINVAL, "the name of a dispatcher has 1 to 64 bytes", {.name = "", .threads = 1}},
	{WARD_EEXIST,
	 "names in \"ward.\" are the library's: ward.workers, ward.blocking, ward.pinned",
	 {.name = "ward.mine", .threads = 1}},
	{WARD_EINVAL, "has no threads, must be from 1 to 4096", {.name = "p"}},
	{WARD_EINVAL, "has 4097 threads, must be from 1 to 4096", {.name = "p", .threads = 4097}},
	{WARD_EINVAL,
	 "has 1025 threads, must be from 1 to 1024",
	 {.name = WARD_WORKERS, .threads = 1025}},
	{WARD_EINVAL,
	 "has 2 threads, but each pinned actor has a thread of its own",
	 {.name = WARD_PINNED, .threads = 2}},
	{WARD_EINVAL,
	 "the minimum of 3 threads is above the maximum of 2",
	 {.name = "p", .threads = 2, .threads_min = 3}},
	{WARD_EINVAL,
	 "the minimum of 4097 threads is above the maximum of 4096",
	 {.name = WARD_BLOCKING, .threads_min = 4097}},
	{WARD_EINVAL,
	 "a minimum of threads and a keep-alive time are for pools, whose threads end when they "
	 "are idle",
	 {.name = WARD_WORKERS, .threads_min = 1}},
	{WARD_EINVAL,
	 "a minimum of threads and a keep-alive time are for pools, whose threads end when they "
	 "are idle",
	 {.name = WARD_PINNED, .keep_alive_ms = 1}},
	{WARD_EINVAL,
	 "the keep-alive time is -1 ms: it cannot be below 0",
	 {.name = "p", .threads = 1, .keep_alive_ms = -1}},
	{WARD_EINVAL,
	 "the throughput deadline is -5 ms: it cannot be below 0",
	 {.name = "p", .threads = 1, .throughput_deadline_ms = -5}},
	{WARD_EINVAL,
	 "scheduling is 6: one of WARD_SCHEDULING_DEFAULT to WARD_SCHEDULING_RR",
	 {.name = "p", .threads = 1, .scheduling = (ward_scheduling)6}},
	{WARD_EINVAL,
	 "priority 5 has no effect on scheduling batch: it is for fifo and rr",
	 {.name = "p", .threads = 1, .scheduling = WARD_SCHEDULING_BATCH, .priority = 5}},
	{WARD_EINVAL,
	 "priority is 100, must be from 1 to 99",
	 {.name = "p", .threads = 1, .scheduling = WARD_SCHEDULING_RR, .priority = 100}},
	{WARD_EINVAL,
	 "priority is -1, must be from 1 to 99",
	 {.name = "p", .threads = 1, .scheduling = WARD_SCHEDULING_FIFO, .priority = -1}},
	{WARD_EINVAL,
	 "nice 1 has no effect on scheduling fifo: it is for other and batch",
	 {.name = "p", .threads = 1, .scheduling = WARD_SCHEDULING_FIFO, .nice = 1}},
	{WARD_EINVAL,
	 "nice 1 has no effect on scheduling idle: it is for other and batch",
	 {.name = "p", .threads = 1, .scheduling = WARD_SCHEDULING_IDLE, .nice = 1}},
	{WARD_EINVAL,
	 "nice is 20, must be from -20 to 19",
	 {.name = "p", .threads = 1, .nice = 20}},
	{WARD_EINVAL,
	 "nice is -21, must be from -20 to 19",
	 {.name = "p", .threads = 1, .nice = -21}},
	{WARD_EINVAL,
	 "the stack has 65535 bytes, must be at least 65536",
	 {.name = "p", .threads = 1, .stack_bytes = 65535}},
	{WARD_EINVAL, "a reserved word is not zero", {.name = "p", .threads = 1, .reserved = {1}}},
};

/* The row alone is wrong in itself; in a system the text names it. */
WARD_TEST(wrong_rows_are_refused_with_what_is_wrong)
{
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		const ward_dispatcher rows[] = {
			{.name = "first", .threads = 1}, wrong[i].row, {.name = NULL}};

		ward_assert_err(ward_dispatcher_check(&wrong[i].row), wrong[i].err);
		ward_assert_str(ward_err_detail(), wrong[i].text);
		for (int threads = 0; threads < 2; threads++) {
			ward_kit *kit;

			ward_assert_err(
				ward_kit_try_start(&(ward_kit_options){.real_threads = threads,
								       .system.dispatchers = rows},
						   &kit),
				wrong[i].err);
			ward_assert_part(ward_err_detail(), wrong[i].text);
			ward_assert_part(ward_err_detail(), "dispatcher \"");
			ward_assert_part(ward_err_detail(), wrong[i].row.name);
		}
	}
	ward_assert_err(ward_dispatcher_check(NULL), WARD_EINVAL);
}

WARD_TEST(lists_of_processors_that_are_none_are_refused)
{
	static const char *const lists[] = {
		"",     "x",    "0-",     "-1",   "0,",    ",0",  "1-0",
		"0 ,1", "1024", "0-1024", "0--1", "0-1-2", "0x1", "99999999999999999999"};

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		const ward_dispatcher row = {.name = "p", .threads = 1, .cpus = lists[i]};

		ward_assert_err(ward_dispatcher_check(&row), WARD_EINVAL);
		ward_assert_part(ward_err_detail(), "must be a list of processors from 0 to 1023, "
						    "as \"0-3,8\"");
		ward_assert_part(ward_err_detail(), lists[i]);
	}
	for (size_t i = 0; i < 3; i++) {
		static const char *const right[] = {"0", "0-3,8", "1023,5-5,0-2,1"};
		const ward_dispatcher row = {.name = "p", .threads = 1, .cpus = right[i]};

		ward_assert_ok(ward_dispatcher_check(&row));
	}
}

static void check_refused(const ward_options *options, const char *text)
{
	ward_kit *kit;

	ward_assert_err(ward_kit_try_start(&(ward_kit_options){.system = *options}, &kit),
			WARD_EINVAL);
	ward_assert_str(ward_err_detail(), text);
}

WARD_TEST(number_of_threads_may_be_said_twice_only_if_it_is_the_same)
{
	static const ward_dispatcher rows[] = {{.name = WARD_WORKERS, .threads = 3},
					       {.name = WARD_BLOCKING, .threads = 5},
					       {.name = NULL}};
	static const ward_dispatcher many[] = {{.name = WARD_BLOCKING, .threads_min = 17},
					       {.name = NULL}};
	ward_kit *kit;

	check_refused(
		&(ward_options){.dispatchers = rows, .workers = 2},
		"dispatcher \"ward.workers\": has 3 threads, but options.workers is 2: set one "
		"of them");
	check_refused(&(ward_options){.dispatchers = rows, .blocking = 4},
		      "dispatcher \"ward.blocking\": has 5 threads, but options.blocking is 4: set "
		      "one of them");
	check_refused(
		&(ward_options){.dispatchers = many},
		"dispatcher \"ward.blocking\": the minimum of 17 threads is above the maximum "
		"of 16");
	kit = ward_kit_start(
		&(ward_kit_options){.real_threads = true,
				    .system = {.dispatchers = rows, .workers = 3, .blocking = 5}});
	ward_assert_eq(dispatcher_info(kit, WARD_WORKERS).threads, 3);
	ward_assert_eq(dispatcher_info(kit, WARD_BLOCKING).threads_max, 5);
	ward_kit_finish(kit);
}

/* The worker of a driven system is a thread of the program. */
WARD_TEST(driven_system_takes_limits_of_turns_but_no_settings_of_its_thread)
{
	static const ward_dispatcher wrong_rows[] = {{.name = WARD_WORKERS, .cpus = "0"},
						     {.name = WARD_WORKERS, .nice = 1},
						     {.name = WARD_WORKERS, .stack_bytes = 1 << 20},
						     {.name = WARD_WORKERS, .threads = 2}};
	static const ward_dispatcher right[] = {
		{.name = WARD_WORKERS, .throughput = 5, .throughput_deadline_ms = 1},
		{.name = "p", .threads = 1, .nice = 1},
		{.name = NULL}};
	ward_system *system;

	for (size_t i = 0; i < sizeof wrong_rows / sizeof wrong_rows[0]; i++) {
		const ward_dispatcher rows[] = {wrong_rows[i], {.name = NULL}};

		ward_assert_err(
			ward_system_create(&(ward_options){.driven = true, .dispatchers = rows},
					   &system),
			WARD_EINVAL);
		ward_assert_part(ward_err_detail(), "dispatcher \"ward.workers\": options.driven "
						    "makes the program's thread the one worker");
	}
	ward_assert_ok(
		ward_system_create(&(ward_options){.driven = true, .dispatchers = right}, &system));
	ward_assert_ok(ward_system_destroy(system, WARD_MINUTE));
}

/* ---- looking ----------------------------------------------------------------------------- */

struct names {
	char text[256];
};

static void add_name(void *arg, const ward_dispatcher_info *info)
{
	struct names *names = arg;

	snprintf(names->text + strlen(names->text), sizeof names->text - strlen(names->text),
		 "%s %u/%u ", info->name, info->threads, info->threads_max);
}

static ward_result idle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}
static const ward_behavior idle = {.name = "idle", .receive = idle_receive};

WARD_TEST(dispatchers_are_shown_with_their_threads)
{
	static const ward_dispatcher rows[] = {{.name = "p", .threads = 4}, {.name = NULL}};
	ward_kit *kit = ward_kit_start(
		&(ward_kit_options){.real_threads = true,
				    .system = {.dispatchers = rows, .workers = 2, .blocking = 3}});
	struct names names = {""};

	ward_kit_spawn(kit, &idle, .dispatcher = WARD_WORKERS);
	ward_kit_spawn(kit, &idle, .dispatcher = WARD_PINNED);
	ward_kit_spawn(kit, &idle, .dispatcher = WARD_PINNED);
	ward_kit_spawn(kit, &idle, .dispatcher = "p");
	ward_assert_eq(ward_system_dispatchers(ward_kit_system(kit), add_name, &names), 4);
	ward_assert_str(names.text, "ward.workers 2/2 ward.blocking 0/3 p 1/4 ward.pinned 2/2 ");
	ward_assert_eq(dispatcher_info(kit, WARD_PINNED).threads_started, 2);
	ward_kit_run(kit);
	for (int i = 0; i < 4; i++) {
		static const char *const all[] = {WARD_WORKERS, WARD_BLOCKING, "p", WARD_PINNED};

		ward_assert_eq(dispatcher_info(kit, all[i]).threads_busy, 0);
	}
	ward_assert_eq(ward_system_dispatchers(NULL, add_name, &names), 0);
	ward_assert_eq(ward_system_dispatchers(ward_kit_system(kit), NULL, NULL), 0);
	ward_kit_finish(kit);
}

WARD_TEST(in_a_simulation_rows_are_names_without_threads)
{
	static const ward_dispatcher rows[] = {
		{.name = WARD_WORKERS, .threads = 2, .throughput_deadline_ms = 1, .cpus = "1023"},
		{.name = "p",
		 .threads = 4,
		 .scheduling = WARD_SCHEDULING_FIFO,
		 .priority = 99,
		 .stack_bytes = (size_t)1 << 46},
		{.name = WARD_PINNED, .nice = -20},
		{.name = NULL}};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.system.dispatchers = rows});
	struct names names = {""};

	ward_kit_spawn(kit, &idle, .dispatcher = "p");
	ward_kit_spawn(kit, &idle, .dispatcher = WARD_PINNED);
	ward_assert_eq(ward_system_dispatchers(ward_kit_system(kit), add_name, &names), 4);
	ward_assert_str(names.text, "ward.workers 0/2 ward.blocking 0/16 p 0/4 ward.pinned 0/0 ");
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
