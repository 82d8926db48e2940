/* SPDX-License-Identifier: MIT
 *
 * trial_top.h - what the programs of the trials share: the top of a server, which prints its
 * address first, and a log on standard output.
 */
#ifndef NET_TRIAL_TOP_H
#define NET_TRIAL_TOP_H

#include <stdio.h>

#include <ward/net.h>

/* The receive of a top that has asked its listener for its state. */
static inline ward_result print_address(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_listener_state *now = ward_match(msg, ward_listener_state);

	(void)self, (void)state;
	if (now == NULL)
		return WARD_UNHANDLED;
	printf("at %s\n", now->address);
	return WARD_DONE;
}

static inline void print_event(void *arg, const ward_event *event)
{
	char text[640];

	(void)arg;
	ward_event_format(event, text, sizeof text);
	printf("%s\n", text);
}

#endif
