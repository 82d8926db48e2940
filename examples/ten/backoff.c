/* SPDX-License-Identifier: MIT
 *
 * backoff.c - an actor that starts at the fourth attempt, after delays that grow.
 *
 *	cc examples/ten/backoff.c $(pkg-config --cflags --libs ward) -o backoff
 *
 * Prints the number of attempts.
 */
#include <stdio.h>

#include <ward/ward.h>

static const ward_failure_class no_line = {.name = "no_line", .parent = &ward_exception};

WARD_SIGNAL(up);

static int attempts;

static ward_result link_start(ward_self *self, void *state)
{
	(void)state;
	if (++attempts < 4)
		return ward_failed(self, &no_line, "attempt %d", attempts);
	ward_tell(self, ward_parent(self), up);
	return WARD_DONE;
}

static const ward_behavior link_behavior = {.name = "link", .pre_start = link_start};

static ward_result user_start(ward_self *self, void *state)
{
	(void)state;
	ward_spawn(self, &ward_backoff_on_stop, .name = "keeper",
		   .args = WARD_ARGS(ward_backoff, .child = {.behavior = &link_behavior},
				     .min_backoff_ms = 50, .max_backoff_ms = WARD_SECOND,
				     .random_factor = 0.2));
	return WARD_DONE;
}

static ward_result user_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, up))
		return WARD_UNHANDLED;
	printf("up after %d attempts\n", attempts);
	return ward_stop_self(self);
}

static const ward_behavior user = {
	.name = "user", .pre_start = user_start, .receive = user_receive};

int main(void)
{
	return ward_main(&user);
}
