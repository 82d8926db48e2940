/* SPDX-License-Identifier: MIT
 *
 * counter.c - questions, with an answer and without one.
 *
 *	cc examples/ten/counter.c $(pkg-config --cflags --libs ward) -o counter
 *
 * Prints a value, and after a tenth of a second that the other question has no answer.
 */
#include <stdio.h>

#include <ward/ward.h>

struct add {
	int number;
};
WARD_MESSAGE(add);

WARD_SIGNAL(get);
WARD_SIGNAL(stall);
struct value {
	int number;
};
WARD_MESSAGE(value);
WARD_REPLY(get, value);

struct counter {
	int value;
};

static ward_result counter_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct counter *me = state;
	const struct add *add;

	if (ward_match(msg, get))
		return ward_answer(self, msg, get, .number = me->value);
	if ((add = ward_match(msg, add)))
		me->value += add->number;
	else if (!ward_match(msg, stall))
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static const ward_behavior counter = {
	.name = "counter", .state_size = sizeof(struct counter), .receive = counter_receive};

enum { VALUE = 1, SILENCE };

static ward_result client_start(ward_self *self, void *state)
{
	ward_ref who = ward_spawn(self, &counter, .name = "counter");

	(void)state;
	ward_tell(self, who, add, 40);
	ward_tell(self, who, add, 2);
	ward_ask(self, who, VALUE, 1 * WARD_SECOND, get);
	ward_ask(self, who, SILENCE, 100, stall);
	return WARD_DONE;
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct value *value = ward_match(msg, value);
	const struct ward_ask_failed *none = ward_match(msg, ward_ask_failed);

	(void)state;
	if (value) {
		printf("value %d\n", value->number);
	} else if (none) {
		printf("%s\n", none->text);
		ward_stop_self(self);
	} else {
		return WARD_UNHANDLED;
	}
	return WARD_DONE;
}

static const ward_behavior client = {
	.name = "client", .pre_start = client_start, .receive = client_receive};

int main(void)
{
	return ward_main(&client);
}
