/* SPDX-License-Identifier: MIT
 *
 * floor_tell.c - actors that answer each other: few messages wait, and each wakes somebody.
 */
#include "rows.h"

#include <stdlib.h>

enum { GO, BALL, PING, PONG, MEET, MET, CLOSED };

/* ---- pingpong: one pair --------------------------------------------------------------------- */

struct pinger {
	struct actor *ponger;
	int64_t left;
};
STATE_FITS(pinger);

static void ponger_receive(struct actor *self, const struct message *msg)
{
	floor_send(msg->sender, BALL, self, 0);
}

static void pinger_receive(struct actor *self, const struct message *msg)
{
	struct pinger *me = STATE(self, pinger);

	(void)msg;
	if (me->left-- == 0)
		rows_done();
	else
		floor_send(me->ponger, BALL, self, 0);
}

int64_t pingpong(int64_t n)
{
	struct actor *pinger = floor_spawn(pinger_receive);

	*STATE(pinger, pinger) = (struct pinger){.ponger = floor_spawn(ponger_receive), .left = n};
	floor_send(pinger, GO, NULL, 0);
	rows_expect(1);
	return 2 * n;
}

/* ---- threadring: one message, from each to the next ----------------------------------------- */

enum { RING = 100 };

struct link {
	struct actor *next;
};
STATE_FITS(link);

static void link_receive(struct actor *self, const struct message *msg)
{
	if (msg->value == 0)
		rows_done();
	else
		floor_send(STATE(self, link)->next, BALL, self, msg->value - 1);
}

int64_t threadring(int64_t n)
{
	struct actor *first = floor_spawn(link_receive), *last = first;

	for (int i = 1; i < RING; i++) {
		STATE(last, link)->next = floor_spawn(link_receive);
		last = STATE(last, link)->next;
	}
	STATE(last, link)->next = first;
	floor_send(first, BALL, NULL, n);
	rows_expect(1);
	return n;
}

/* ---- big: each pings another one by chance --------------------------------------------------- */

enum { CROWD = 120 };

static struct actor *crowd[CROWD];

struct one {
	int64_t left;
	uint32_t random;
};
STATE_FITS(one);

static void one_receive(struct actor *self, const struct message *msg)
{
	struct one *me = STATE(self, one);

	if (msg->type == PING) {
		floor_send(msg->sender, PONG, self, 0);
	} else if (me->left-- == 0) {
		rows_done();
	} else {
		me->random = me->random * 1103515245U + 12345U;
		floor_send(crowd[(me->random >> 8) % CROWD], PING, self, 0);
	}
}

int64_t big(int64_t n)
{
	for (uint32_t i = 0; i < CROWD; i++) {
		crowd[i] = floor_spawn(one_receive);
		*STATE(crowd[i], one) = (struct one){.left = n, .random = i * 2654435761U + 1};
	}
	for (int i = 0; i < CROWD; i++)
		floor_send(crowd[i], GO, NULL, 0);
	rows_expect(CROWD);
	return 2 * n * CROWD;
}

/* ---- chameneos: they meet in pairs, and change their colours --------------------------------- */

enum { CHAMENEOS = 100, COLOURS = 3 };

struct mall {
	struct actor *waiting; /* the first of a pair */
	int64_t meetings;
	int64_t here;
};
STATE_FITS(mall);

struct chameneo {
	struct actor *mall;
	int64_t colour;
};
STATE_FITS(chameneo);

static void mall_receive(struct actor *self, const struct message *msg)
{
	struct mall *me = STATE(self, mall);

	if (msg->type == CLOSED) {
		if (--me->here == 0)
			rows_done();
	} else if (me->meetings == 0) {
		floor_send(msg->sender, CLOSED, self, 0);
	} else if (me->waiting == NULL) {
		me->waiting = msg->sender;
	} else {
		/* The waiting chameneo gets its partner's address, and sends it both colours. */
		floor_send(me->waiting, MEET, msg->sender, msg->value);
		me->waiting = NULL;
		me->meetings--;
	}
}

static int64_t mixed(int64_t a, int64_t b)
{
	return a == b ? a : COLOURS - a - b;
}

static void chameneo_receive(struct actor *self, const struct message *msg)
{
	struct chameneo *me = STATE(self, chameneo);

	switch (msg->type) {
	case MEET:
		me->colour = mixed(me->colour, msg->value);
		floor_send(msg->sender, MET, self, me->colour);
		floor_send(me->mall, MEET, self, me->colour);
		break;
	case MET:
		me->colour = msg->value;
		floor_send(me->mall, MEET, self, me->colour);
		break;
	case CLOSED:
		floor_send(me->mall, CLOSED, self, 0);
		break;
	}
}

int64_t chameneos(int64_t n)
{
	struct actor *mall = floor_spawn(mall_receive);

	*STATE(mall, mall) = (struct mall){.meetings = n, .here = CHAMENEOS};
	for (int i = 0; i < CHAMENEOS; i++) {
		struct actor *one = floor_spawn(chameneo_receive);
		*STATE(one, chameneo) = (struct chameneo){.mall = mall, .colour = i % COLOURS};
		floor_send(mall, MEET, one, i % COLOURS);
	}
	rows_expect(1);
	return n;
}
