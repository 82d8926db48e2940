/* SPDX-License-Identifier: MIT
 *
 * stream.cpp - many messages one way: from one to one, from many to one, from one to many.
 */
#include "peer.hpp"

using namespace caf;

struct counter_state {
	int64_t left;
};

static behavior counter(stateful_actor<counter_state> *self, actor boss, int64_t n)
{
	self->state.left = n;
	return {[=](int64_t) {
		if (--self->state.left > 0)
			return;
		self->send(boss, done_atom::value);
		self->quit();
	}};
}

static void producer(event_based_actor *self, actor counter, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		self->send(counter, i);
}

static void count(actor_system &system, const char *name, int64_t producers, int64_t each)
{
	scoped_actor self{system};
	run_clock watch;
	actor sum = system.spawn(counter, actor{self}, producers * each);

	for (int64_t i = 0; i < producers; i++)
		system.spawn(producer, sum, each);
	wait_done(self);
	report(name, watch.ns() / double(producers * each), "ns");
}

void counting(actor_system &system, int64_t n)
{
	count(system, "counting", 1, n);
}

void mpsc(actor_system &system, int64_t n)
{
	count(system, "mpsc", 100, std::max<int64_t>(n / 100, 1));
}

/* ---- fjthroughput: one sends to each of 60 in turn -------------------------------------------- */

static void fan(event_based_actor *self, std::vector<actor> workers, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		for (const actor &worker : workers)
			self->send(worker, i);
}

void fjthroughput(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	std::vector<actor> workers;
	run_clock watch;

	for (int i = 0; i < 60; i++)
		workers.push_back(system.spawn(counter, actor{self}, n));
	system.spawn(fan, workers, n);
	wait_done(self, 60);
	report("fjthroughput", watch.ns() / double(60 * n), "ns");
}
