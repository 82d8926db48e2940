/* SPDX-License-Identifier: MIT
 *
 * look_up.c - a child that looks a name up, answers and stops.
 *
 * Nobody can end getaddrinfo(). So a look-up that takes longer than a try is not repeated: its
 * answer counts for a later try. A parent that ends waits for it, as for any child.
 */
#include "net/opening/look_up.h"

#include <ward/ask.h>
#include <ward/ward.h>

struct look_up {
	uint16_t port;
	char host[sizeof((struct wardi_address *)NULL)->host];
};

static const ward_type type_look_up = {
	.name = "ward.look_up",
	.size = sizeof(struct look_up),
	.flags = WARD_TYPE_QUIET,
};
const ward_type wardi_type_looked_up = {
	.name = "ward.looked_up",
	.size = sizeof(struct wardi_looked_up),
	.flags = WARD_TYPE_QUIET,
};

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct look_up *asked = ward_msg_body(msg, &type_look_up);
	struct wardi_looked_up found = {0};

	(void)state;
	if (asked == NULL)
		return WARD_UNHANDLED;
	found.found = wardi_names_find(asked->host, asked->port, &found.names, &found.refusal);
	ward_send(self, ward_msg_sender(msg), &wardi_type_looked_up, &found, sizeof found);
	return ward_stop_self(self);
}

static const ward_behavior looker = {.name = "look-up", .receive = receive};

ward_err wardi_look_up(ward_self *self, struct wardi_opening *opening)
{
	ward_question question = {.timeout_ms = WARD_FOREVER, .tag = wardi_opening_key(opening)};
	ward_props props = {.behavior = &looker, .dispatcher = WARD_BLOCKING};
	struct look_up look_up = {.port = opening->address.port};
	ward_err err = ward_try_spawn(self, &props, &opening->looker);

	if (err != WARD_OK)
		return err;
	memcpy(look_up.host, opening->address.host, sizeof look_up.host);
	question.to = opening->looker;
	err = ward_try_ask_send(self, &question, &type_look_up, &look_up, sizeof look_up);
	opening->asked = err == WARD_OK;
	if (err != WARD_OK)
		ward_stop(self, opening->looker);
	return err;
}

void wardi_look_up_cancel(ward_self *self, struct wardi_opening *opening)
{
	if (!opening->asked)
		return;
	opening->asked = false;
	ward_ask_cancel(self, wardi_opening_key(opening));
	ward_stop(self, opening->looker);
}
