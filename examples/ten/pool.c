/* SPDX-License-Identifier: MIT
 *
 * pool.c - ten jobs for four workers.
 *
 *	cc examples/ten/pool.c $(pkg-config --cflags --libs ward) -o pool
 *
 * Prints the sum of the results.
 */
#include <stdio.h>

#include <ward/ward.h>

enum { WORKERS = 4, JOBS = 10 };

struct job {
	int number;
};
WARD_MESSAGE(job);

struct done {
	int number;
	int square;
};
WARD_MESSAGE(done);
WARD_REPLY(job, done);

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);

	(void)state;
	if (!job)
		return WARD_UNHANDLED;
	return ward_answer(self, msg, job, .number = job->number,
			   .square = job->number * job->number);
}

static const ward_behavior worker = {.name = "worker", .receive = worker_receive};

struct boss {
	int left;
	int sum;
};

static ward_result boss_start(ward_self *self, void *state)
{
	struct boss *me = state;
	ward_ref workers = ward_spawn(self, &ward_pool, .name = "workers",
				      .args = WARD_ARGS(ward_router, .routees = WORKERS,
							.routee = {.behavior = &worker}));

	for (me->left = 0; me->left < JOBS; me->left++)
		ward_tell(self, workers, job, me->left);
	return WARD_DONE;
}

static ward_result boss_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct boss *me = state;
	const struct done *done = ward_match(msg, done);

	if (!done)
		return WARD_UNHANDLED;
	me->sum += done->square;
	if (--me->left == 0) {
		printf("sum %d\n", me->sum);
		ward_stop_self(self);
	}
	return WARD_DONE;
}

static const ward_behavior boss = {.name = "boss",
				   .state_size = sizeof(struct boss),
				   .pre_start = boss_start,
				   .receive = boss_receive};

int main(void)
{
	return ward_main(&boss);
}
