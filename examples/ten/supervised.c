/* SPDX-License-Identifier: MIT
 *
 * supervised.c - a worker that fails; its parent resumes or restarts it.
 *
 *	cc examples/ten/supervised.c $(pkg-config --cflags --libs ward) -o supervised
 *
 * Prints the sums of the worker: a restart begins with 0 again.
 */
#include <stdio.h>

#include <ward/ward.h>

static const ward_failure_class bad_input = {.name = "bad_input", .parent = &ward_exception};
static const ward_failure_class spoilt = {.name = "spoilt", .parent = &ward_exception};

struct work {
	int number;
};
WARD_MESSAGE(work);

struct worker {
	int sum;
};

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct worker *me = state;
	const struct work *work = ward_match(msg, work);

	if (!work)
		return WARD_UNHANDLED;
	if (work->number < 0)
		return ward_failed(self, &bad_input, "%d is negative", work->number);
	if (work->number == 0)
		return ward_failed(self, &spoilt, "nothing to add to %d", me->sum);
	printf("sum %d\n", me->sum += work->number);
	return WARD_DONE;
}

static const ward_behavior worker = {
	.name = "worker",
	.state_size = sizeof(struct worker),
	.receive = worker_receive,
};

static const ward_strategy on_trouble = {
	.rules = {{&bad_input, WARD_RESUME}, {&spoilt, WARD_RESTART}},
	.restarts_max = 3,
	.window_ms = 10 * WARD_SECOND,
};

static ward_result boss_start(ward_self *self, void *state)
{
	static const int numbers[] = {1, 2, -1, 3, 0, 4};
	ward_ref who = ward_spawn(self, &worker, .name = "worker");

	(void)state;
	ward_watch(self, who);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		ward_tell(self, who, work, numbers[i]);
	ward_tell(self, who, ward_poison_pill);
	return WARD_DONE;
}

static const ward_behavior boss = {
	.name = "boss",
	.child_strategy = &on_trouble,
	.pre_start = boss_start,
	.receive = ward_stop_with_children,
};

int main(void)
{
	return ward_main(&boss);
}
