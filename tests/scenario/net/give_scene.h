/* SPDX-License-Identifier: MIT
 *
 * give_scene.h - the scene of stream_scene.h, whose session gives its stream to an heir.
 *
 * The session gives its stream at the line "give", or when it is told to. The heir answers each
 * line with "heir N: text".
 */
#ifndef GIVE_SCENE_H
#define GIVE_SCENE_H

#include "filter/xor_peer.h"

WARD_SIGNAL(heir_fails);

static const ward_stream_options lines = {.framing = WARD_LINES};

static struct {
	ward_ref ref;
	ward_stream_options options;
	bool ignores;     /* does not start what it gets */
	bool keeps;       /* gives it to itself before a restart */
	bool passes_on;   /* gives it to the heir at the line "pass" */
	uint32_t news;    /* of all callbacks */
	int64_t received; /* connections */
} heir;

struct heir {
	ward_stream *stream;
	int count;
};

static inline ward_result heir_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_connection *given = ward_match(msg, ward_connection);
	struct heir *me = state;
	ward_result result;
	ward_frame line;

	if (given != NULL) {
		ward_assert(given->with == NULL);
		heir.received++;
		if (!heir.ignores)
			me->stream = ward_stream_start(self, given, &heir.options);
		return WARD_DONE;
	}
	if (ward_match(msg, heir_fails))
		return ward_failed(self, &ward_exception, "told to");
	while (ward_stream_next(self, me->stream, msg, &line)) {
		if (strcmp(line.text, "fail") == 0)
			return ward_failed(self, &ward_exception, "told to");
		if (heir.passes_on && strcmp(line.text, "pass") == 0) {
			ward_stream_give(self, me->stream, heir.ref);
			continue;
		}
		ward_stream_printf(self, me->stream, "heir %d: %.*s\n", ++me->count,
				   WARD_TEXT(line));
	}
	result = ward_stream_result(self, me->stream, msg);
	heir.news |= ward_stream_news(me->stream);
	return result;
}

static inline ward_result heir_pre_restart(ward_self *self, void *state, const ward_failure *why,
					   const ward_msg *msg)
{
	struct heir *me = state;

	(void)why, (void)msg;
	if (heir.keeps)
		ward_stream_give(self, me->stream, ward_self_ref(self));
	return ward_default_pre_restart(self);
}

static const ward_behavior heir_behavior = {.name = "heir",
					    .state_size = sizeof(struct heir),
					    .receive = heir_receive,
					    .pre_restart = heir_pre_restart};

static inline void give_it(ward_self *self, ward_stream *stream)
{
	ward_stream_give(self, stream, heir.ref);
}

static inline bool give_at_line(ward_self *self, ward_stream *stream, const char *text)
{
	static char big[SCENE_BIG];

	if (strcmp(text, "big and give") == 0)
		ward_stream_write(self, stream, big, sizeof big);
	else if (strcmp(text, "give") != 0)
		return false;
	scene.gone = true;
	give_it(self, stream);
	return true;
}

static inline void begin(const ward_stream_options *options)
{
	memset(&heir, 0, sizeof heir);
	heir.options = lines;
	scene_start(options);
	scene.on_line = give_at_line;
	scene.on_give = give_it;
	heir.ref = ward_kit_spawn(scene.kit, &heir_behavior);
	scene_run();
}

#endif
