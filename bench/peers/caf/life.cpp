/* SPDX-License-Identifier: MIT
 *
 * life.cpp - actors that begin and end, that fail and are replaced, and that only wait.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <unistd.h>

#include "peer.hpp"

using namespace caf;

/* ---- fjcreate: each gets one message, and ends with it ---------------------------------------- */

static behavior forked(event_based_actor *self, unfinished *all)
{
	return {[=](work_atom) {
		volatile double result = std::sin(1.0);

		(void)result;
		self->quit();
		all->leave();
	}};
}

/* Initialised with its first message, not by a turn of its own before. */
static void forker(event_based_actor *self, unfinished *all, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		self->send(self->spawn<lazy_init>(forked, all), work_atom::value);
}

void fjcreate(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	unfinished all{n, self};
	run_clock watch;

	system.spawn(forker, &all, n);
	wait_done(self);
	report("fjcreate", watch.ns() / double(n), "ns");
}

/* ---- children: all are there at the same time, then all are told to stop ---------------------- */

static behavior living(event_based_actor *self, unfinished *all)
{
	return {[=](stop_atom) {
		self->quit();
		all->leave();
	}};
}

static void mother(event_based_actor *self, unfinished *all, int64_t n)
{
	std::vector<actor> all_there;

	all_there.reserve(size_t(n));
	for (int64_t i = 0; i < n; i++)
		all_there.push_back(self->spawn(living, all));
	for (const actor &child : all_there)
		self->send(child, stop_atom::value);
}

void children(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	unfinished all{n, self};
	run_clock watch;

	system.spawn(mother, &all, n);
	wait_done(self);
	report("children", watch.ns() / double(n), "ns");
}

/* ---- mem: resident bytes of an idle actor with 32 bytes of state ------------------------------ */

struct idle_state {
	unsigned char bytes[32];
};

static behavior idle(stateful_actor<idle_state> *self)
{
	return {[=](hello_atom) {
		self->state.bytes[0]++;
		return done_atom::value;
	}};
}

static double resident_bytes()
{
	std::unique_ptr<FILE, int (*)(FILE *)> file{std::fopen("/proc/self/statm", "re"),
						    std::fclose};
	long long size, resident;

	if (!file || std::fscanf(file.get(), "%lld %lld", &size, &resident) != 2)
		std::abort();
	return double(resident) * double(sysconf(_SC_PAGESIZE));
}

/* In waves, so that few messages are under way. An actor that nobody refers to would end: the
 * references are counted out. */
void mem(actor_system &system, int64_t n)
{
	scoped_actor self{system};
	std::vector<actor> all(static_cast<size_t>(n));
	double before = resident_bytes();

	for (int64_t i = 0; i < n;) {
		int64_t wave = std::min<int64_t>(n - i, 1000);

		for (int64_t end = i + wave; i < end; i++) {
			all[size_t(i)] = system.spawn(idle);
			self->send(all[size_t(i)], hello_atom::value);
		}
		wait_done(self, wave);
	}
	report("mem", (resident_bytes() - before) / double(n), "bytes");
}

/* ---- restart_quit, deathwatch: CAF has no supervisors, so one watches and spawns again --------- */

static behavior mortal(event_based_actor *self, error reason)
{
	return {[=](work_atom) { self->quit(reason); }};
}

struct watcher_state {
	int64_t left;
};

static behavior watcher(stateful_actor<watcher_state> *self, actor boss, int64_t n, error reason)
{
	const auto again = [=] {
		self->send(self->spawn<monitored + lazy_init>(mortal, reason), work_atom::value);
	};

	self->state.left = n;
	self->set_down_handler([=](down_msg &) {
		if (--self->state.left > 0) {
			again();
			return;
		}
		self->send(boss, done_atom::value);
		self->quit();
	});
	again();
	/* A behaviour, so that it lives on. */
	return {[](stop_atom) {}};
}

static void watch_ends(actor_system &system, const char *name, int64_t n, error reason)
{
	scoped_actor self{system};
	run_clock watch;

	/* A watch is no reference: somebody must refer to the watcher. */
	actor holder = system.spawn(watcher, actor{self}, n, std::move(reason));
	wait_done(self);
	report(name, watch.ns() / double(n), "ns");
}

void restart_quit(actor_system &system, int64_t n)
{
	watch_ends(system, "restart_quit", n, sec::runtime_error);
}

void deathwatch(actor_system &system, int64_t n)
{
	watch_ends(system, "deathwatch", n, exit_reason::normal);
}
