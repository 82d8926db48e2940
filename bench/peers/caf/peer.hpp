/* SPDX-License-Identifier: MIT
 *
 * peer.hpp - what the benchmarks of CAF share.
 *
 * Each runs once in a process of its own, in a system that main.cpp has made. The thread of main is
 * a scoped_actor that waits for the end; its waking up is nothing beside the time it measures.
 */
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <caf/all.hpp>

using done_atom = caf::atom_constant<caf::atom("done")>;
using go_atom = caf::atom_constant<caf::atom("go")>;
using hello_atom = caf::atom_constant<caf::atom("hello")>;
using ping_atom = caf::atom_constant<caf::atom("ping")>;
using pong_atom = caf::atom_constant<caf::atom("pong")>;
using stop_atom = caf::atom_constant<caf::atom("stop")>;
using work_atom = caf::atom_constant<caf::atom("work")>;

using benchmark_function = void(caf::actor_system &system, int64_t n);

/* talk.cpp */
benchmark_function pingpong, pingpong4, threadring;
/* body.cpp */
benchmark_function body_256, body_1k, body_4k, body_64k;
/* crowd.cpp */
benchmark_function big, chameneos;
/* stream.cpp */
benchmark_function counting, mpsc, fjthroughput;
/* life.cpp */
benchmark_function fjcreate, children, mem, restart_quit, deathwatch;
/* ask.cpp */
benchmark_function ask, ask_outside, timers;
/* outside.cpp */
benchmark_function outside_1, outside_2, outside_4, outside_each_2, outside_each_4, start;

/* Nanoseconds since it was made. */
class stopwatch
{
      public:
	double ns() const
	{
		return std::chrono::duration<double, std::nano>(clock::now() - begin_).count();
	}

      private:
	using clock = std::chrono::steady_clock;
	clock::time_point begin_ = clock::now();
};

/* The same for a whole benchmark. With BENCH_ALONE in the environment it is less what the thread that
 * ran most has waited meanwhile, ready to run, for a processor that another process had; as in
 * bench/clock.h, for runs on one worker. */
class run_clock
{
      public:
	double ns() const;

      private:
	struct times {
		double ran;
		double waited;
	};
	static std::map<std::string, times> threads();

	std::map<std::string, times> begin_ = threads();
	stopwatch watch_;
};

/* When main() began. */
extern std::chrono::steady_clock::time_point main_began;

/* Prints a figure. */
void report(const std::string &name, double value, const char *unit);
/* Prints three, with suffixes to the name; sorts the times. */
void report_percentiles(const std::string &name, std::vector<double> &times_ns);

/* Until `done` has come so many times. */
inline void wait_done(caf::scoped_actor &self, int64_t times = 1)
{
	for (; times > 0; times--)
		self->receive([](done_atom) {});
}

/* Those who are not through yet; the last one says so. */
class unfinished
{
      public:
	unfinished(int64_t count, caf::actor boss) : left_(count), boss_(std::move(boss))
	{
	}
	void leave()
	{
		if (left_.fetch_sub(1) == 1)
			caf::anon_send(boss_, done_atom::value);
	}

      private:
	std::atomic<int64_t> left_;
	caf::actor boss_;
};
