/* SPDX-License-Identifier: MIT
 *
 * failure_listener.c - listens for failures while a tree starts, so that a failed start can say
 * why.
 *
 * The end of an actor does not say why; the event of its failure, published before, does.
 *
 * Threads: runs as an actor.
 */
#include "config/tree/failure_listener.h"

#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/text.h>

#include "config/tree/run.h"

const ward_type wardi_config_hear = {.name = "ward.config_hear",
				     .size = sizeof(struct wardi_config_hear)};
const ward_type wardi_config_what = {.name = "ward.config_what"};
const ward_type wardi_config_heard = {.name = "ward.config_heard",
				      .size = sizeof(struct wardi_config_heard)};

struct hearing {
	char path[WARD_EVENT_PATH]; /* "/user/tills" */
	bool of_child;              /* what was heard is the reason of what comes after it */
	struct wardi_config_heard heard;
};

static ward_result pre_start(ward_self *self, void *state)
{
	(void)state;
	if (ward_try_subscribe(self, WARD_EVENT_FAILURE) != WARD_OK)
		return ward_failed(self, &ward_out_of_memory, "%s", ward_err_detail());
	return WARD_DONE;
}

/* Whether an event is about that path, or one below. Paths in events begin with the system. */
static bool is_below(const char *path, const char *top)
{
	const char *slash = strchr(path, '/');
	size_t length = strlen(top);

	return slash != NULL && strncmp(slash, top, length) == 0 &&
	       (slash[length] == '\0' || slash[length] == '/');
}

/* The failure of a child says more than that its supervisor has failed with it. */
static void hear(struct hearing *me, const ward_event *event)
{
	bool is_supervisor = strcmp(event->failure_class, ward_config_not_started.name) == 0;

	if (!is_below(event->path, me->path) || (is_supervisor && me->of_child))
		return;
	me->of_child = !is_supervisor;
	ward_text_format(me->heard.text, sizeof me->heard.text, "%.*s: %.*s: %.*s",
			 WARD_TEXT_FIT(event->path, 120), WARD_TEXT_FIT(event->failure_class, 60),
			 WARD_TEXT_FIT(event->text, 190));
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const ward_event *event = ward_match(msg, ward_event);
	const struct wardi_config_hear *whom = ward_msg_body(msg, &wardi_config_hear);
	struct hearing *me = state;

	if (event != NULL) {
		hear(me, event);
		return WARD_DONE;
	}
	if (whom == NULL && !ward_type_same(ward_msg_type(msg), &wardi_config_what))
		return WARD_UNHANDLED;
	if (whom != NULL) {
		memcpy(me->path, whom->path, sizeof me->path);
		me->of_child = false;
		me->heard.text[0] = '\0';
	}
	ward_send(self, ward_msg_sender(msg), &wardi_config_heard, &me->heard, sizeof me->heard);
	return WARD_DONE;
}

const ward_behavior wardi_config_hearing = {
	.name = "ward-config-start",
	.state_size = sizeof(struct hearing),
	.pre_start = pre_start,
	.receive = receive,
};
