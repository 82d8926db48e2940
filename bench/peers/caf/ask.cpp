/* SPDX-License-Identifier: MIT
 *
 * ask.cpp - a question and its answer, one at a time; and timers, of which most never fire.
 */
#include "peer.hpp"

using namespace caf;

static behavior server(event_based_actor *)
{
	return {[](ping_atom) { return pong_atom::value; }};
}

/* ---- ask: between two actors ------------------------------------------------------------------ */

struct client_state {
	std::vector<double> times_ns;
};

static void ask_again(stateful_actor<client_state> *self, const actor &server, const actor &boss,
		      size_t n)
{
	stopwatch watch;

	self->request(server, infinite, ping_atom::value).then([=](pong_atom) {
		self->state.times_ns.push_back(watch.ns());
		if (self->state.times_ns.size() < n) {
			ask_again(self, server, boss, n);
			return;
		}
		report_percentiles("ask", self->state.times_ns);
		self->send(boss, done_atom::value);
	});
}

static void client(stateful_actor<client_state> *self, actor server, actor boss, size_t n)
{
	self->state.times_ns.reserve(n);
	ask_again(self, server, boss, n);
}

void ask(actor_system &system, int64_t n)
{
	scoped_actor self{system};

	system.spawn(client, system.spawn(server), actor{self}, size_t(n));
	wait_done(self);
}

/* ---- ask_outside: from a thread that is none of CAF's ----------------------------------------- */

void ask_outside(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	actor other = system.spawn(server);
	std::vector<double> times_ns;

	times_ns.reserve(size_t(n));
	for (int64_t i = 0; i < n; i++) {
		stopwatch watch;

		self->request(other, infinite, ping_atom::value)
			.receive([](pong_atom) {},
				 [&](error &failure) {
					 std::fprintf(stderr, "%s\n",
						      system.render(failure).c_str());
					 std::exit(1);
				 });
		times_ns.push_back(watch.ns());
	}
	report_percentiles("ask_outside", times_ns);
}

/* ---- timers ----------------------------------------------------------------------------------- */

/* Messages that are delayed cannot be called back; what can be is the timeout of a request. All are
 * armed, for a time between one and two minutes; then all are cancelled. */
static void timekeeper(event_based_actor *self, actor boss, int64_t n)
{
	actor_clock &clock = self->clock();
	const auto now = clock.now();

	for (int64_t i = 1; i <= n; i++)
		clock.set_request_timeout(now + std::chrono::milliseconds(60000 + i % 60000), self,
					  make_message_id(uint64_t(i)).response_id());
	for (int64_t i = 1; i <= n; i++)
		clock.cancel_request_timeout(self, make_message_id(uint64_t(i)).response_id());
	self->send(boss, done_atom::value);
}

void timers(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	run_clock watch;

	system.spawn(timekeeper, actor{self}, n);
	wait_done(self);
	report("timers", watch.ns() / double(n), "ns");
}
