/* SPDX-License-Identifier: MIT
 *
 * sim_scene.h - a client and a session of a listener at "sim:server", in the network of a
 * simulation. They do what the test tells them, and keep what they have read and how they ended.
 */
#ifndef SIM_SCENE_H
#define SIM_SCENE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/net.h>
#include <ward/net/sim.h>
#include <ward/testkit.h>

enum { ROOM = 20000, LONG = 9000 };
enum role { CLIENT, SESSION, ROLES };
enum act { SAY, SAY_LONG, PAUSE, AGAIN, FINISH, CLOSE, ABORT, STOP, FAIL };

struct order {
	enum act act;
	char text[32];
};
WARD_MESSAGE_FLAT(order);
struct role_of {
	enum role role;
};
WARD_MESSAGE_FLAT(role_of);

struct side {
	ward_ref ref;
	char got[ROOM];
	size_t count;
	size_t unsent; /* at the last callback */
	uint32_t news;
	char peer[WARD_ADDRESS_TEXT];
	int error;           /* of the failure that ended it */
	char class_name[32]; /* "": it did not fail */
};

static struct scene {
	ward_kit *kit;
	ward_ref network, listener;
	ward_stream_options options;
	struct side sides[ROLES];
	uint32_t sessions;
} scene;

/* ---- both sides -------------------------------------------------------------------------- */

struct end {
	ward_stream *stream;
	struct side *side;
};

static inline ward_result end_init(ward_self *self, void *state, const void *args)
{
	const struct ward_connection *connection = args;
	struct end *me = state;

	me->side = &scene.sides[connection->with != NULL ? SESSION : CLIENT];
	me->side->ref = ward_self_ref(self);
	scene.sessions += connection->with != NULL;
	me->stream = ward_stream_start(self, connection, &scene.options);
	(void)ward_stream_peer(me->stream, me->side->peer);
	return WARD_DONE;
}

static inline void say_long(ward_self *self, ward_stream *stream)
{
	char *text = ward_scratch(self, LONG);

	for (int i = 0; i < LONG; i++)
		text[i] = (char)('a' + i * 7 % 26);
	ward_stream_write(self, stream, text, LONG);
}

static inline ward_result obey(ward_self *self, struct end *me, const struct order *order)
{
	switch (order->act) {
	case SAY:
		ward_stream_printf(self, me->stream, "%s", order->text);
		break;
	case SAY_LONG:
		say_long(self, me->stream);
		break;
	case PAUSE:
		ward_stream_pause(self, me->stream);
		break;
	case AGAIN:
		ward_stream_again(self, me->stream);
		break;
	case FINISH:
		ward_stream_finish(self, me->stream);
		break;
	case CLOSE:
		ward_stream_close(self, me->stream);
		break;
	case ABORT:
		ward_stream_abort(self, me->stream);
		break;
	case STOP:
		return ward_stop_self(self);
	case FAIL:
		return ward_failed(self, &ward_exception, "told to");
	}
	return WARD_DONE;
}

static inline ward_result end_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct end *me = state;
	const struct order *order = ward_match(msg, order);
	ward_frame frame;
	ward_result result;

	if (order != NULL) {
		result = obey(self, me, order);
		me->side->unsent = ward_stream_unsent(me->stream);
		return result;
	}
	while (ward_stream_next(self, me->stream, msg, &frame)) {
		ward_assert(me->side->count + frame.size < ROOM);
		memcpy(me->side->got + me->side->count, frame.text, frame.size);
		me->side->count += frame.size;
	}
	result = ward_stream_result(self, me->stream, msg);
	me->side->news |= ward_stream_news(me->stream);
	me->side->unsent = ward_stream_unsent(me->stream);
	return result;
}

static const ward_behavior end_behavior = {.name = "end",
					   .state_size = sizeof(struct end),
					   .args = &ward_type_ward_connection,
					   .init = end_init,
					   .receive = end_receive};

/* ---- the scene --------------------------------------------------------------------------- */

static inline ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const struct ward_net_error *body = ward_failure_body(failure, ward_net_error);

	(void)self;
	for (int role = 0; role < ROLES; role++) {
		struct side *side = &scene.sides[role];

		if (!ward_ref_equal(side->ref, child))
			continue;
		side->error = body != NULL ? body->error : 0;
		snprintf(side->class_name, sizeof side->class_name, "%s",
			 ward_failure_class_of(failure)->name);
	}
	return WARD_STOP;
}

static const ward_strategy watching = {.decide = decide, .quiet = true};

static inline ward_ref listen_at(const char *address)
{
	struct role_of role = {SESSION};
	struct ward_listener at = {
		.address = address,
		.child = {.behavior = &end_behavior, .args = {WARD_COPY(role_of, &role)}}};

	return ward_kit_spawn(scene.kit, &ward_listen, .args = {WARD_COPY(ward_listener, &at)},
			      .child_strategy = &watching);
}

static inline ward_ref start_network(const struct ward_net_sim_options *options)
{
	return ward_kit_spawn(scene.kit, &ward_net_sim, .name = "network",
			      .args = {WARD_COPY(ward_net_sim_options, options)});
}

static inline void run(void)
{
	ward_kit_run(scene.kit);
}

/* Long enough for all delays, stalls and pauses. */
static inline void wait(void)
{
	ward_kit_advance(scene.kit, WARD_MINUTE);
}

static inline void start_kit(bool half_close)
{
	scene = (struct scene){.options = {.half_close = half_close}};
	scene.kit = ward_kit_start(&(ward_kit_options){.may_leave_mail = true,
						       .system = {.user_strategy = &watching}});
}

static inline void spawn_client(void)
{
	struct ward_connection connection;

	ward_assert_ok(ward_net_sim_connect(ward_kit_system(scene.kit), "sim:server", &connection));
	scene.sides[CLIENT].ref = ward_kit_spawn(scene.kit, &end_behavior, .args_given = true,
						 .args = {WARD_COPY(ward_connection, &connection)});
}

static inline void start(const struct ward_net_sim_options *options, bool half_close)
{
	start_kit(half_close);
	scene.network = start_network(options);
	run();
	scene.listener = listen_at("sim:server");
	run();
	spawn_client();
	run();
}

static inline void tell(enum role role, enum act act)
{
	ward_kit_tell(scene.kit, scene.sides[role].ref, order, .act = act);
	run();
}

static inline void say(enum role role, const char *text)
{
	struct order order = {.act = SAY};

	snprintf(order.text, sizeof order.text, "%s", text);
	ward_system_send(ward_kit_system(scene.kit), scene.sides[role].ref,
			 WARD_COPY(order, &order));
	run();
}

static inline const char *got(enum role role)
{
	struct side *side = &scene.sides[role];

	side->got[side->count] = '\0';
	side->count = 0;
	return side->got;
}

static inline bool lives(enum role role)
{
	return ward_kit_is_alive(scene.kit, scene.sides[role].ref);
}

static inline struct ward_net_sim_counts counts(void)
{
	struct ward_net_sim_counts now;

	ward_assert(ward_net_sim_look(ward_kit_system(scene.kit), &now));
	return now;
}

static inline size_t notes(const char *part)
{
	size_t found = 0, count = ward_kit_count(scene.kit, WARD_EVENT_NOTE, "*/network");
	char text[640];

	for (size_t i = 0; i < count; i++) {
		ward_event_format(ward_kit_event(scene.kit, WARD_EVENT_NOTE, "*/network", i), text,
				  sizeof text);
		found += strstr(text, part) != NULL;
	}
	return found;
}

static inline void check_long(enum role role)
{
	const struct side *side = &scene.sides[role];

	ward_assert_eq(side->count, LONG);
	for (int i = 0; i < LONG; i++)
		ward_assert_eq(side->got[i], 'a' + i * 7 % 26);
}

static inline void finish(void)
{
	ward_kit_finish(scene.kit);
}

static const struct ward_net_sim_options fine;

#endif
