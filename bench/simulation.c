/* SPDX-License-Identifier: MIT
 *
 * simulation.c - the turns of a simulation in a second: two actors, one message, all hashed.
 *
 * Prints a line for each way of choosing: name, threads, median, min, max, unit; tabs between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { ROUNDS = 7, SEEDS = 4, TURNS = 100 * 1000, RALLIES = 10 };

struct ball {
	uint32_t left; /* times that it is still thrown */
};
WARD_MESSAGE_FLAT(ball);

static ward_result player_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ball *ball = ward_match(msg, ball);

	(void)state;
	if (ball == NULL)
		return WARD_UNHANDLED;
	if (ball->left > 0)
		ward_tell(self, ward_msg_sender(msg), ball, .left = ball->left - 1);
	return WARD_DONE;
}

static ward_result server_start(ward_self *self, void *state)
{
	static const ward_behavior player = {.name = "player", .receive = player_receive};
	ward_ref other;

	(void)state;
	if (ward_try_spawn(self, WARD_PROPS(&player, .name = "other"), &other) != WARD_OK)
		return ward_failed(self, &ward_exception, "no other player");
	ward_tell(self, other, ball, .left = TURNS / RALLIES);
	return WARD_DONE;
}

static void play(ward_kit *kit, void *arg)
{
	static const ward_behavior server = {
		.name = "server", .pre_start = server_start, .receive = player_receive};

	(void)arg;
	/* Each rally at a time of its own: all of them at one would be taken for a loop. */
	for (int rally = 0; rally < RALLIES; rally++) {
		ward_kit_spawn(kit, &server);
		ward_simulation_eventually_idle(kit, WARD_MINUTE);
		ward_kit_advance(kit, 1);
	}
}

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void measure(const char *name, const ward_simulation_test *test)
{
	double rates[ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		int64_t begin_ns = now_ns();
		ward_simulation_result result = ward_simulate(test);
		if (result.violations > 0) {
			fprintf(stderr, "%s: %s\n", name, result.text);
			exit(1);
		}
		rates[round] = (double)result.steps * 1e9 / (double)(now_ns() - begin_ns);
	}
	qsort(rates, ROUNDS, sizeof(rates[0]), compare);
	printf("%s\t1\t%.0f\t%.0f\t%.0f\tturns/s\n", name, rates[ROUNDS / 2], rates[0],
	       rates[ROUNDS - 1]);
}

int main(void)
{
	ward_simulation_test test = {
		.name = "ball",
		.run = play,
		.seeds = SEEDS,
		.order = WARD_ORDER_RANDOM,
		.kit.pooled = true,
		.check_every = UINT32_MAX,
	};

	measure("simulation, random order", &test);
	test.order = WARD_ORDER_PCT;
	measure("simulation, pct order", &test);
	test.order = WARD_ORDER_MIXED;
	test.faults = (ward_fault_mix){.fail = 3, .delay = 3, .stall = 3};
	measure("simulation, mixed order, faults", &test);
	return 0;
}
