/* SPDX-License-Identifier: MIT
 *
 * net_faults.h - in how many runs of a simulation the network did what.
 */
#ifndef NET_FAULTS_H
#define NET_FAULTS_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include <ward/net/sim.h>
#include <ward/testkit.h>

struct net_faults {
	uint64_t cuts, delays, stalls, resets, half_closes, narrows, refusals, descriptors;
};

static inline void count_run(uint64_t *runs, uint64_t times)
{
	*runs += times > 0;
}

static inline void count_faults(struct net_faults *runs, const struct ward_net_sim_counts *counts)
{
	count_run(&runs->cuts, counts->cuts);
	count_run(&runs->delays, counts->delays);
	count_run(&runs->stalls, counts->stalls);
	count_run(&runs->resets, counts->resets);
	count_run(&runs->half_closes, counts->half_closes);
	count_run(&runs->narrows, counts->narrows);
	count_run(&runs->refusals, counts->refusals);
	count_run(&runs->descriptors, counts->descriptors);
}

/* Each has happened, unless there were few runs. */
static inline void check_faults(const struct net_faults *runs, uint64_t all)
{
	const uint64_t each[] = {runs->cuts,     runs->delays,      runs->stalls,
				 runs->resets,   runs->half_closes, runs->narrows,
				 runs->refusals, runs->descriptors};

	printf("# cut %" PRIu64 ", delay %" PRIu64 ", stall %" PRIu64 ", reset %" PRIu64
	       ", half-close %" PRIu64 ", narrow %" PRIu64 ", refusal %" PRIu64
	       ", no descriptor %" PRIu64 "\n",
	       runs->cuts, runs->delays, runs->stalls, runs->resets, runs->half_closes,
	       runs->narrows, runs->refusals, runs->descriptors);
	for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
		ward_assert(each[i] > 0 || all < 100);
}

/* Memory, zero, that the processes of the runs share. */
static inline void *shared_by_runs(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ward_assert(at != MAP_FAILED);
	return at;
}

#endif
