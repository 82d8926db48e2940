/* SPDX-License-Identifier: MIT
 *
 * device.c - the state machine of a thermometer that sleeps while nobody needs it.
 *
 * Each row of the table is a state: what it handles, what happens at its entry, and its timeout. A
 * request that a state cannot handle yet is stashed; a later state un-stashes it.
 */
#include "device.h"

#include <ward/fsm.h>

enum { ASLEEP, WARMING, READY, MEASURING, FAULTY, STATES };

struct device {
	struct ward_fsm fsm; /* the first member: a pointer to the state is one to it */
	ward_ref client;     /* of the request that is being handled */
	int samples;         /* for that request */
};

/* The hardware gets a command when the machine enters a state. */
static const ward_type *const commands[STATES] = {
	[ASLEEP] = &ward_type_power_off,
	[WARMING] = &ward_type_power_on,
	[MEASURING] = &ward_type_sample,
};

static ward_result enter(ward_self *self, void *state, uint32_t from)
{
	const struct device_args *args = ward_args(self);

	(void)from;
	ward_send(self, args->hardware, commands[ward_fsm_state(state)], NULL, 0);
	return WARD_DONE;
}

static ward_result enter_and_unstash(ward_self *self, void *state, uint32_t from)
{
	(void)state, (void)from;
	ward_unstash_all(self);
	return WARD_DONE;
}

static ward_result asleep(ward_self *self, void *state, const ward_msg *msg)
{
	if (!ward_match(msg, measure))
		return WARD_UNHANDLED;
	ward_stash(self);
	return ward_fsm_go(self, state, WARMING);
}

static ward_result warming(ward_self *self, void *state, const ward_msg *msg)
{
	if (ward_match(msg, measure))
		return ward_stash(self);
	if (ward_match(msg, ward_fsm_timeout))
		return ward_fsm_go(self, state, FAULTY);
	return ward_match(msg, warm) ? ward_fsm_go(self, state, READY) : WARD_UNHANDLED;
}

static ward_result ready(ward_self *self, void *state, const ward_msg *msg)
{
	struct device *me = state;

	if (ward_match(msg, ward_fsm_timeout))
		return ward_fsm_go(self, state, ASLEEP);
	if (!ward_match(msg, measure))
		return WARD_UNHANDLED;
	me->client = ward_msg_sender(msg);
	me->samples = 0;
	return ward_fsm_go(self, state, MEASURING);
}

static ward_result measuring(ward_self *self, void *state, const ward_msg *msg)
{
	struct device *me = state;
	const struct reading *reading = ward_match(msg, reading);

	if (ward_match(msg, measure))
		return ward_stash(self);
	if (ward_match(msg, ward_fsm_timeout) && ++me->samples < SAMPLES_MAX)
		return ward_fsm_go(self, state, MEASURING); /* enters it again */
	if (!reading && !ward_match(msg, ward_fsm_timeout))
		return WARD_UNHANDLED;
	ward_tell(self, me->client, measured, reading != NULL, reading ? reading->degrees : 0);
	return ward_fsm_go(self, state, reading ? READY : FAULTY);
}

static ward_result faulty(ward_self *self, void *state, const ward_msg *msg)
{
	if (ward_match(msg, ward_fsm_timeout))
		return ward_fsm_go(self, state, ASLEEP);
	return ward_match(msg, measure) ? ward_answer(self, msg, measure, .valid = false)
					: WARD_UNHANDLED;
}

static const ward_fsm_row rows[STATES] = {
	[ASLEEP] = {"asleep", asleep, .enter = enter},
	[WARMING] = {"warming", warming, WARMING_MS, .enter = enter},
	[READY] = {"ready", ready, IDLE_MS, .enter = enter_and_unstash},
	[MEASURING] = {"measuring", measuring, SAMPLE_MS, .enter = enter},
	[FAULTY] = {"faulty", faulty, FAULTY_MS, .enter = enter_and_unstash},
};
static const ward_fsm_table table = {.rows = rows, .count = STATES, .initial = ASLEEP};

static ward_result device_init(ward_self *self, void *state, const void *args)
{
	(void)args;
	return ward_fsm_init(self, state, &table);
}

static ward_result device_receive(ward_self *self, void *state, const ward_msg *msg)
{
	return ward_fsm_receive(self, state, msg);
}

const ward_behavior device = {.name = "device",
			      .state_size = sizeof(struct device),
			      .args = &ward_type_device_args,
			      .init = device_init,
			      .receive = device_receive};
