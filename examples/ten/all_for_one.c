/* SPDX-License-Identifier: MIT
 *
 * all_for_one.c - two parts that are restarted together, and a limit that ends the program.
 *
 *	cc examples/ten/all_for_one.c $(pkg-config --cflags --libs ward) -o all_for_one
 *
 * Prints the starts of both parts, three times each, and the exit status 1.
 */
#include <stdio.h>

#include <ward/ward.h>

static const ward_failure_class broken = {.name = "broken", .parent = &ward_exception};

WARD_SIGNAL(hit);
WARD_SIGNAL(started);

struct part {
	char name[16];
};
WARD_MESSAGE(part);

static ward_result part_start(ward_self *self, void *state)
{
	const struct part *part = ward_args(self);

	(void)state;
	printf("%s starts\n", part->name);
	ward_tell(self, ward_parent(self), started);
	return WARD_DONE;
}

static ward_result part_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct part *part = ward_args(self);

	(void)state;
	if (!ward_match(msg, hit))
		return WARD_UNHANDLED;
	return ward_failed(self, &broken, "%s was hit", part->name);
}

static const ward_behavior part_behavior = {
	.name = "part",
	.args = &ward_type_part,
	.pre_start = part_start,
	.receive = part_receive,
};

static const ward_strategy together = {
	.scope = WARD_ALL_FOR_ONE,
	.rules = {{&ward_exception, WARD_RESTART}},
	.limit = WARD_LIMIT_INTENSITY,
	.restarts_max = 2,
	.window_ms = 5 * WARD_SECOND,
};

struct machine {
	ward_ref engine;
	int started;
};

static ward_result machine_start(ward_self *self, void *state)
{
	struct machine *me = state;

	me->engine = ward_spawn(self, &part_behavior, .name = "engine",
				.args = WARD_ARGS(part, "engine"));
	ward_spawn(self, &part_behavior, .name = "brake", .args = WARD_ARGS(part, "brake"));
	return WARD_DONE;
}

/* Hits the engine whenever both parts have started. */
static ward_result machine_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct machine *me = state;

	if (!ward_match(msg, started))
		return WARD_UNHANDLED;
	if (++me->started % 2 == 0)
		ward_tell(self, me->engine, hit);
	return WARD_DONE;
}

static const ward_behavior machine = {
	.name = "machine",
	.state_size = sizeof(struct machine),
	.child_strategy = &together,
	.pre_start = machine_start,
	.receive = machine_receive,
};

int main(void)
{
	int status = ward_run(WARD_PROPS(&machine),
			      &(ward_options){.user_strategy = &ward_escalating_strategy});

	printf("status %d\n", status);
	return status;
}
