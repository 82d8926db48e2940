/* SPDX-License-Identifier: MIT
 *
 * lamps.c - how to reach actors by path, without a ref.
 *
 *	cc examples/09-selection/lamps.c $(pkg-config --cflags --libs ward) -o lamps
 *
 *	house --+-- kitchen --+-- lamp-1
 *	        |             +-- lamp-2
 *	        +-- cellar -----+-- lamp-1
 *	                        +-- lamp-2
 *
 * The house sends to all lamps in all rooms, and asks for some. Prints how many lamps answered, the
 * dead letter of a path without an actor, and which lamps are there.
 */
#include <stdio.h>
#include <ward/ward.h>

enum { LAMPS = 4 };

struct dim {
	int percent;
};
WARD_MESSAGE_FLAT(dim);
WARD_SIGNAL(dimmed);

static ward_result lamp_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, dim))
		return WARD_UNHANDLED;
	return ward_reply(self, msg, dimmed); /* the sender is the house */
}

static const ward_behavior lamp = {.name = "lamp", .receive = lamp_receive};

static ward_result room_start(ward_self *self, void *state)
{
	(void)state;
	ward_spawn(self, &lamp, .name = "lamp-1");
	ward_spawn(self, &lamp, .name = "lamp-2");
	return WARD_DONE;
}

static ward_result room_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior room = {
	.name = "room", .receive = room_receive, .pre_start = room_start};

struct house {
	int dimmed;
};

static ward_result house_start(ward_self *self, void *state)
{
	(void)state;
	ward_spawn(self, &room, .name = "kitchen");
	ward_spawn(self, &room, .name = "cellar");
	ward_select_tell(self, "*/lamp-?", dim, .percent = 30); /* each lamp in each room */
	return WARD_DONE;
}

static ward_result house_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct house *me = state;
	const struct ward_identity *identity;

	if (ward_match(msg, dimmed)) {
		if (++me->dimmed < LAMPS)
			return WARD_DONE;
		printf("%d lamps are dimmed\n", me->dimmed);
		ward_select_tell(self, "attic/lamp-1", dim, .percent = 30); /* a dead letter */
		ward_select_tell(self, "kitchen/lamp-2", ward_identify, .tag = 2);
		return WARD_DONE;
	}
	if (!(identity = ward_match(msg, ward_identity)))
		return WARD_UNHANDLED;
	printf("kitchen/lamp-%d: %s\n", (int)identity->tag, identity->found ? "there" : "nobody");
	if (identity->tag == 2)
		ward_select_tell(self, "kitchen/lamp-3", ward_identify, .tag = 3);
	else
		ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior house = {
	.name = "house",
	.state_size = sizeof(struct house),
	.pre_start = house_start,
	.receive = house_receive,
};

static void print_event(void *arg, const ward_event *event)
{
	char text[512];

	(void)arg;
	ward_event_format(event, text, sizeof text);
	printf("%s\n", text);
}

int main(void)
{
	return ward_run(WARD_PROPS(&house), &(ward_options){.log = print_event});
}
