/* SPDX-License-Identifier: MIT
 *
 * pubsub.c - readers that subscribe to a topic.
 *
 *	cc examples/ten/pubsub.c $(pkg-config --cflags --libs ward) -o pubsub
 *
 * Prints what each of the two readers gets.
 */
#include <stdio.h>

#include <ward/ward.h>

struct news {
	char text[64];
};
WARD_MESSAGE(news);

struct reader {
	ward_ref topic;
};
WARD_MESSAGE(reader);

static ward_result reader_start(ward_self *self, void *state)
{
	const struct reader *args = ward_args(self);

	(void)state;
	ward_tell(self, args->topic, ward_add_routee, ward_self_ref(self));
	ward_tell(self, ward_parent(self), reader);
	return WARD_DONE;
}

static ward_result reader_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct news *news = ward_match(msg, news);

	(void)self, (void)state;
	if (!news)
		return WARD_UNHANDLED;
	printf("read %s\n", news->text);
	return ward_stop_self(self);
}

static const ward_behavior reader_behavior = {
	.name = "reader",
	.args = &ward_type_reader,
	.pre_start = reader_start,
	.receive = reader_receive,
};

struct publisher {
	ward_ref topic;
	int readers;
};

static ward_result publisher_start(ward_self *self, void *state)
{
	struct publisher *me = state;

	me->topic = ward_spawn(self, &ward_group, .name = "topic",
			       .args = WARD_ARGS(ward_router, .routing = WARD_ROUTE_BROADCAST));
	ward_watch(self, me->topic);
	for (int i = 0; i < 2; i++)
		ward_spawn(self, &reader_behavior, .args = WARD_ARGS(reader, me->topic));
	return WARD_DONE;
}

static ward_result publisher_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct publisher *me = state;

	if (!ward_match(msg, reader))
		return ward_stop_with_children(self, state, msg);
	if (++me->readers == 2)
		ward_tell(self, me->topic, news, "it is out");
	return WARD_DONE;
}

static const ward_behavior publisher = {
	.name = "publisher",
	.state_size = sizeof(struct publisher),
	.pre_start = publisher_start,
	.receive = publisher_receive,
};

int main(void)
{
	return ward_main(&publisher);
}
