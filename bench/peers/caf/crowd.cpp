/* SPDX-License-Identifier: MIT
 *
 * crowd.cpp - a hundred actors that all talk: to a random one, or through one in the middle.
 */
#include "peer.hpp"

using namespace caf;

/* ---- big: each of 120 asks a random other, again and again ------------------------------------ */

enum { CROWD = 120 };

struct big_state {
	const std::vector<actor> *all;
	uint32_t random;
	int64_t left;
};

static void ping_somebody(stateful_actor<big_state> *self)
{
	big_state &me = self->state;

	me.random = me.random * 1103515245u + 12345u;
	self->send((*me.all)[(me.random >> 8) % CROWD], ping_atom::value);
}

static behavior big_one(stateful_actor<big_state> *self, const std::vector<actor> *all, actor boss,
			uint32_t seed, int64_t n)
{
	self->state = {all, seed, n};
	return {
		[=](go_atom) { ping_somebody(self); },
		[=](ping_atom) { return pong_atom::value; },
		[=](pong_atom) {
			if (--self->state.left > 0)
				ping_somebody(self);
			else
				self->send(boss, done_atom::value);
		},
	};
}

void big(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	std::vector<actor> all;

	for (uint32_t i = 0; i < CROWD; i++)
		all.push_back(system.spawn(big_one, &all, actor{self}, i * 2654435761u + 1, n));
	run_clock watch;
	for (const actor &one : all)
		self->send(one, go_atom::value);
	wait_done(self, CROWD);
	/* A ping and its answer. */
	report("big", watch.ns() / double(2 * CROWD * n), "ns");
}

/* ---- chameneos: 100 meet in pairs at a mall --------------------------------------------------- */

struct mall_state {
	int64_t left;
	int here;
	actor first;
	int colour;
};

static behavior mall(stateful_actor<mall_state> *self, actor boss, int64_t n, int creatures)
{
	self->state.left = n;
	self->state.here = creatures;
	return {[=](const actor &who, int colour) {
		mall_state &me = self->state;

		if (me.left == 0) {
			self->send(who, stop_atom::value);
			if (--me.here > 0)
				return;
			self->send(boss, done_atom::value);
			self->quit();
		} else if (!me.first) {
			me.first = who;
			me.colour = colour;
		} else {
			self->send(me.first, colour);
			self->send(who, me.colour);
			me.first = nullptr;
			me.left--;
		}
	}};
}

struct creature_state {
	int colour;
};

static behavior creature(stateful_actor<creature_state> *self, actor mall, int colour)
{
	self->state.colour = colour;
	self->send(mall, actor{self}, colour);
	return {
		[=](int other) {
			int &mine = self->state.colour;

			mine = mine == other ? mine : 3 - mine - other;
			self->send(mall, actor{self}, mine);
		},
		[=](stop_atom) { self->quit(); },
	};
}

void chameneos(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	run_clock watch;
	actor middle = system.spawn(mall, actor{self}, n, 100);

	for (int i = 0; i < 100; i++)
		system.spawn(creature, middle, i % 3);
	wait_done(self);
	report("chameneos", watch.ns() / double(n), "ns");
}
