/* SPDX-License-Identifier: MIT
 *
 * start.c - the begin and the end of a system: until its first message, and without any.
 */

#include "bench.h"

struct hello {
	int64_t *received_ns;
};
WARD_MESSAGE(hello);

static ward_result greeter_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct hello *hello = ward_match(msg, hello);

	(void)state;
	if (hello == NULL)
		return WARD_UNHANDLED;
	*hello->received_ns = bench_now_ns();
	return ward_stop_self(self);
}

static const ward_behavior greeter = {.name = "greeter", .receive = greeter_receive};

static ward_system *create(const struct bench_load *load)
{
	ward_system *system;

	bench_must(ward_system_create(&(ward_options){.name = "bench", .workers = load->workers},
				      &system));
	return system;
}

/* From main to the first message. */
static void first_message(const struct bench_load *load)
{
	ward_system *system = create(load);
	int64_t received_ns = 0;
	ward_ref greeting;

	bench_must(ward_system_spawn(system, WARD_PROPS(&greeter), &greeting));
	ward_system_tell(system, greeting, hello, &received_ns);
	bench_must(ward_system_wait_for(system, greeting, WARD_MINUTE));
	bench_report("start", (double)(received_ns - bench_main_ns) / 1e3, "us");
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
}

/* The process is fresh for the first message; then systems come and go. */
static int run_start(const struct bench_load *load)
{
	int64_t created_ns = 0, destroyed_ns = 0;

	first_message(load);
	for (int64_t i = 0; i < load->n; i++) {
		int64_t begin_ns = bench_now_ns();
		ward_system *system = create(load);

		created_ns += bench_now_ns() - begin_ns;
		begin_ns = bench_now_ns();
		bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
		destroyed_ns += bench_now_ns() - begin_ns;
	}
	bench_report("start_create", (double)created_ns / (double)load->n / 1e3, "us");
	bench_report("start_destroy", (double)destroyed_ns / (double)load->n / 1e3, "us");
	return 0;
}

const struct bench start_benches[] = {
	{"start", NULL, run_start, 100, 0,
	 "from main to the first message; then N systems created and destroyed"},
	{0},
};
