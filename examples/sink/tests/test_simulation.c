/* SPDX-License-Identifier: MIT
 *
 * test_simulation.c - the sink in a simulated world: thousands of orders, all faults.
 *
 * Goal: whatever goes wrong outside the sink or inside it, each line is stored exactly once, and
 * nothing is taken for stored that is not.
 * Method: its actors run unchanged on a store in memory, under a virtual clock. Each seed draws
 * inputs, an order of turns, what befalls the store, the files and the terminal (world.c), and
 * which callbacks and allocations fail and who is late. A fault that no seed brought about fails
 * the test, too.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "../failures.h"
#include "sim_story.h"

enum {
	SEEDS = 400, /* without WARD_SEEDS */
	LIMIT_S = 3600
};

/* In memory that the processes of all seeds share. */
static struct sim_shared *share(void)
{
	struct sim_shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ward_assert(shared != MAP_FAILED);
	snprintf(shared->folder, sizeof(shared->folder), "%s/ward-sink-sim-XXXXXX", P_tmpdir);
	ward_assert(mkdtemp(shared->folder) != NULL);
	return shared;
}

static void simulate(struct sim_shared *shared, const char *name, uint64_t seeds,
		     ward_fault_mix faults)
{
	faults.delay_ms = 2000;
	faults.path = "sim/user/ledger*";
	ward_simulate_check(&(ward_simulation_test){
		.name = name,
		.run = sim_story,
		.arg = shared,
		.seeds = seeds,
		.faults = faults,
		.kit = {.system = {.user_strategy = &top_strategy},
			.log = sim_story_hear,
			.log_arg = shared},
	});
}

WARD_TEST(every_line_is_stored_once_whatever_happens)
{
	struct sim_shared *shared = share();
	ward_test_allow_s(LIMIT_S);
	simulate(
		shared, "whatever_happens", SEEDS,
		(ward_fault_mix){
			.fail = 2, .memory = 2, .stall = 3, .jump = 1, .delay = 3, .horizon = 800});
	/* Until the ledger itself is given up, and the sink is run again. */
	simulate(shared, "failing_again_and_again", SEEDS / 4,
		 (ward_fault_mix){.fail = 16, .horizon = 600});
	remove(shared->folder);
	sim_story_check_all_seen(shared, !getenv("WARD_SEEDS") && !getenv("WARD_REPLAY"));
}

WARD_TEST_MAIN
