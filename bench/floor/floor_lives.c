/* SPDX-License-Identifier: MIT
 *
 * floor_lives.c - actors that begin, end and fail.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

enum { GO, WORK, GONE, FAILED };

/* ---- fjcreate: each gets one message, computes a little, and ends ---------------------------- */

struct forker {
	int64_t n;
};
STATE_FITS(forker);

static void forked_receive(struct actor *self, const struct message *msg)
{
	volatile double result = sin(1.0);

	(void)msg;
	(void)result;
	self->ended = true;
	rows_done();
}

static void forker_receive(struct actor *self, const struct message *msg)
{
	(void)msg;
	for (int64_t i = 0; i < STATE(self, forker)->n; i++)
		floor_send(floor_spawn(forked_receive), WORK, self, 0);
}

int64_t fjcreate(int64_t n)
{
	struct actor *forker = floor_spawn(forker_receive);

	STATE(forker, forker)->n = n;
	floor_send(forker, GO, NULL, 0);
	rows_expect(n);
	return n;
}

/* ---- spawn_die_notify: one after the other; each tells its parent before it ends ------------- */

static void child_receive(struct actor *self, const struct message *msg)
{
	floor_send(msg->sender, GONE, self, 0);
	self->ended = true;
}

static void parent_receive(struct actor *self, const struct message *msg)
{
	(void)msg;
	if (STATE(self, forker)->n-- == 0)
		rows_done();
	else
		floor_send(floor_spawn(child_receive), WORK, self, 0);
}

int64_t spawn_die_notify(int64_t n)
{
	struct actor *parent = floor_spawn(parent_receive);

	STATE(parent, forker)->n = n;
	floor_send(parent, GO, NULL, 0);
	rows_expect(1);
	return n;
}

/* ---- restart: a child fails at each message, and its supervisor resets it -------------------- */

struct failing {
	struct actor *supervisor;
	int64_t handled;
};
STATE_FITS(failing);

static void failing_receive(struct actor *self, const struct message *msg)
{
	struct failing *me = STATE(self, failing);

	(void)msg;
	me->handled++;
	floor_fail(me->supervisor, FAILED);
}

static void supervisor_receive(struct actor *self, const struct message *msg)
{
	struct actor *child = msg->sender;

	if (STATE(self, forker)->n-- == 0) {
		rows_done();
		return;
	}
	memset(child->state, 0, sizeof(child->state));
	STATE(child, failing)->supervisor = self;
	floor_send(child, WORK, self, 0);
}

int64_t restart(int64_t n)
{
	struct actor *supervisor = floor_spawn(supervisor_receive);
	struct actor *child = floor_spawn(failing_receive);

	STATE(supervisor, forker)->n = n;
	STATE(child, failing)->supervisor = supervisor;
	floor_send(child, WORK, supervisor, 0);
	rows_expect(1);
	return n;
}
