/* SPDX-License-Identifier: MIT
 *
 * ping_pong.c - two actors that answer each other.
 *
 *	cc examples/ten/ping_pong.c $(pkg-config --cflags --libs ward) -o ping_pong
 *
 * Prints three rounds.
 */
#include <stdio.h>

#include <ward/ward.h>

enum { ROUNDS = 3 };

struct ping {
	int number;
};
WARD_MESSAGE(ping);

struct pong {
	int number;
};
WARD_MESSAGE(pong);
WARD_REPLY(ping, pong);

static ward_result ponger_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ping *ping = ward_match(msg, ping);

	(void)state;
	if (!ping)
		return WARD_UNHANDLED;
	printf("ping %d\n", ping->number);
	return ward_answer(self, msg, ping, .number = ping->number);
}

static const ward_behavior ponger = {.name = "ponger", .receive = ponger_receive};

struct pinger {
	ward_ref ponger;
};

static ward_result pinger_start(ward_self *self, void *state)
{
	struct pinger *me = state;

	me->ponger = ward_spawn(self, &ponger);
	ward_tell(self, me->ponger, ping, 1);
	return WARD_DONE;
}

static ward_result pinger_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct pinger *me = state;
	const struct pong *pong = ward_match(msg, pong);

	if (!pong)
		return WARD_UNHANDLED;
	printf("pong %d\n", pong->number);
	if (pong->number == ROUNDS)
		ward_stop_self(self);
	else
		ward_tell(self, me->ponger, ping, pong->number + 1);
	return WARD_DONE;
}

static const ward_behavior pinger = {.name = "pinger",
				     .state_size = sizeof(struct pinger),
				     .pre_start = pinger_start,
				     .receive = pinger_receive};

int main(void)
{
	return ward_main(&pinger);
}
