/* SPDX-License-Identifier: MIT
 *
 * body.cpp - bodies of some size in four pairs, a copy of the sender's own for each message.
 */
#include "peer.hpp"

using namespace caf;

struct player_state {
	std::string body;
	int64_t left;
};

static behavior body_ponger(stateful_actor<player_state> *self, size_t size)
{
	self->state.body.assign(size, 'x');
	return {[=](const std::string &) { return std::string(self->state.body); }};
}

static behavior body_pinger(stateful_actor<player_state> *self, actor ponger, actor boss,
			    size_t size, int64_t n)
{
	self->state.body.assign(size, 'x');
	self->state.left = n;
	self->send(ponger, std::string(self->state.body));
	return {[=](const std::string &) {
		if (--self->state.left > 0) {
			self->send(ponger, std::string(self->state.body));
			return;
		}
		self->send(boss, done_atom::value);
		self->quit();
	}};
}

static void exchange(actor_system &system, const char *name, size_t size, int64_t n)
{
	enum { PAIRS = 4 };
	scoped_actor self{system};
	run_clock watch;

	for (int i = 0; i < PAIRS; i++)
		system.spawn(body_pinger, system.spawn(body_ponger, size), actor{self}, size, n);
	wait_done(self, PAIRS);
	report(name, watch.ns() / double(2 * PAIRS * n), "ns");
}

void body_256(actor_system &system, int64_t n)
{
	exchange(system, "body_256", 256, n);
}

void body_1k(actor_system &system, int64_t n)
{
	exchange(system, "body_1k", 1024, n);
}

void body_4k(actor_system &system, int64_t n)
{
	exchange(system, "body_4k", 4096, n);
}

void body_64k(actor_system &system, int64_t n)
{
	exchange(system, "body_64k", 65536, n);
}
