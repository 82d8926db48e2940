/* SPDX-License-Identifier: MIT
 *
 * outside.cpp - threads that are none of CAF's send to its actors; and how soon a system is there.
 */
#include <thread>

#include "peer.hpp"

using namespace caf;

struct counter_state {
	int64_t notes;
};

static behavior counter(stateful_actor<counter_state> *self)
{
	self->state.notes = 0;
	return {[=](int64_t) { self->state.notes++; },
		[=](done_atom) { return self->state.notes; }};
}

static void tell(const char *name, actor_system &system, int64_t n, size_t threads, bool one)
{
	std::vector<actor> to{system.spawn(counter)};
	const int64_t each = n / int64_t(threads);
	std::vector<std::thread> telling;

	while (to.size() < threads)
		to.push_back(one ? to[0] : system.spawn(counter));
	stopwatch watch;
	for (size_t t = 0; t < threads; t++)
		telling.emplace_back([&, t] {
			for (int64_t i = 0; i < each; i++)
				anon_send(to[t], i);
		});
	for (std::thread &thread : telling)
		thread.join();
	report(name, watch.ns() / double(each * int64_t(threads)), "ns");

	/* The answers come when all is handled. */
	scoped_actor self{system};
	for (const actor &one_counter : to)
		self->request(one_counter, infinite, done_atom::value)
			.receive([](int64_t) {}, [](error &) {});
	report(std::string{name} + "_handled", watch.ns() / double(each * int64_t(threads)), "ns");
}

void outside_1(actor_system &system, int64_t n)
{
	tell("outside_1", system, n, 1, true);
}

void outside_2(actor_system &system, int64_t n)
{
	tell("outside_2", system, n, 2, true);
}

void outside_4(actor_system &system, int64_t n)
{
	tell("outside_4", system, n, 4, true);
}

void outside_each_2(actor_system &system, int64_t n)
{
	tell("outside_each_2", system, n, 2, false);
}

void outside_each_4(actor_system &system, int64_t n)
{
	tell("outside_each_4", system, n, 4, false);
}

/* ---- start: from main to the first message; then systems come and go ---- */

static behavior greeter(event_based_actor *self, actor boss)
{
	return {[=](hello_atom) {
		const std::chrono::duration<double, std::micro> since =
			std::chrono::steady_clock::now() - main_began;

		report("start", since.count(), "us");
		self->send(boss, done_atom::value);
		self->quit();
	}};
}

void start(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	double made_ns = 0, all_ns = 0;

	self->send(system.spawn(greeter, actor{self}), hello_atom::value);
	wait_done(self);
	for (int64_t i = 0; i < n; i++) {
		stopwatch watch;
		actor_system_config config;

		config.set("scheduler.max-threads", size_t(1));
		{
			actor_system another{config};

			made_ns += watch.ns();
		}
		all_ns += watch.ns();
	}
	report("start_create", made_ns / double(n) / 1e3, "us");
	report("start_destroy", (all_ns - made_ns) / double(n) / 1e3, "us");
}
