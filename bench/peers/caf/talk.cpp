/* SPDX-License-Identifier: MIT
 *
 * talk.cpp - actors that answer each other, one message under way at a time.
 */
#include "peer.hpp"

using namespace caf;

/* ---- pingpong: pairs ------------------------------------------------------------------------- */

static behavior ponger(event_based_actor *)
{
	return {[](ping_atom) { return pong_atom::value; }};
}

struct pinger_state {
	int64_t left;
};

static behavior pinger(stateful_actor<pinger_state> *self, actor ponger, actor boss, int64_t n)
{
	self->state.left = n;
	self->send(ponger, ping_atom::value);
	return {[=](pong_atom) {
		if (--self->state.left > 0) {
			self->send(ponger, ping_atom::value);
			return;
		}
		self->send(boss, done_atom::value);
		self->quit();
	}};
}

static void play(actor_system &system, const char *name, int64_t pairs, int64_t n)
{
	scoped_actor self{system};
	run_clock watch;

	for (int64_t i = 0; i < pairs; i++)
		system.spawn(pinger, system.spawn(ponger), actor{self}, n);
	wait_done(self, pairs);
	report(name, watch.ns() / double(2 * pairs * n), "ns");
}

void pingpong(actor_system &system, int64_t n)
{
	play(system, "pingpong", 1, n);
}

void pingpong4(actor_system &system, int64_t n)
{
	play(system, "pingpong4", 4, n);
}

/* ---- threadring: one message, from each of 100 to the next ------------------------------------ */

struct ring_state {
	actor next;
};

static behavior ring(stateful_actor<ring_state> *self, actor boss)
{
	return {
		[=](actor next) { self->state.next = std::move(next); },
		[=](int64_t left) {
			if (left > 0)
				self->send(self->state.next, left - 1);
			else
				self->send(boss, done_atom::value);
		},
		/* The ring is a circle of references. */
		[=](stop_atom) { self->quit(); },
	};
}

void threadring(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	std::vector<actor> all;

	for (int i = 0; i < 100; i++)
		all.push_back(system.spawn(ring, actor{self}));
	for (size_t i = 0; i < all.size(); i++)
		self->send(all[i], all[(i + 1) % all.size()]);
	run_clock watch;
	self->send(all[0], n);
	wait_done(self);
	report("threadring", watch.ns() / double(n), "ns");
	for (const actor &one : all)
		self->send(one, stop_atom::value);
}
