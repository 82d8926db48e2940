/* SPDX-License-Identifier: MIT
 *
 * main.cpp - caf-peer: one benchmark on CAF, run once.
 *
 *	caf-peer NAME [WORKERS [N]]	prints a line for each figure: name, value, unit
 *	caf-peer --list			prints name, default N
 *	caf-peer --version
 *
 * Tabs between. What N counts is what it counts in ward-bench.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "peer.hpp"

namespace
{

struct row {
	const char *name;
	benchmark_function *run;
	int64_t n;
};

const row rows[] = {
	{"pingpong", pingpong, 2000000},
	{"pingpong4", pingpong4, 500000},
	{"counting", counting, 10000000},
	{"threadring", threadring, 5000000},
	{"fjthroughput", fjthroughput, 100000},
	{"mpsc", mpsc, 10000000},
	{"big", big, 20000},
	{"chameneos", chameneos, 1000000},
	{"fjcreate", fjcreate, 1000000},
	{"children", children, 1000000},
	{"mem", mem, 1000000},
	{"restart_quit", restart_quit, 200000},
	{"deathwatch", deathwatch, 200000},
	{"ask", ask, 300000},
	{"ask_outside", ask_outside, 20000},
	{"timers", timers, 1000000},
	{"body_256", body_256, 200000},
	{"body_1k", body_1k, 200000},
	{"body_4k", body_4k, 100000},
	{"body_64k", body_64k, 10000},
	{"outside_1", outside_1, 2000000},
	{"outside_2", outside_2, 2000000},
	{"outside_4", outside_4, 2000000},
	{"outside_each_2", outside_each_2, 2000000},
	{"outside_each_4", outside_each_4, 2000000},
	{"start", start, 100},
};

int list()
{
	for (const row &one : rows)
		std::printf("%s\t%lld\n", one.name, static_cast<long long>(one.n));
	return 0;
}

int version()
{
	std::printf("CAF %d.%d.%d\n", CAF_MAJOR_VERSION, CAF_MINOR_VERSION, CAF_PATCH_VERSION);
	return 0;
}

} // namespace

std::chrono::steady_clock::time_point main_began;

std::map<std::string, run_clock::times> run_clock::threads()
{
	std::map<std::string, times> all;

	if (std::getenv("BENCH_ALONE") == nullptr)
		return all;
	for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task")) {
		std::ifstream file{thread.path() / "schedstat"};
		times one;

		if (file >> one.ran >> one.waited)
			all[thread.path().filename()] = one;
	}
	return all;
}

double run_clock::ns() const
{
	double ns = watch_.ns(), most = 0, waited = 0;

	for (const auto &[thread, now] : threads()) {
		const auto before = begin_.find(thread);
		const times begun = before == begin_.end() ? times{0, 0} : before->second;

		if (now.ran - begun.ran > most) {
			most = now.ran - begun.ran;
			waited = now.waited - begun.waited;
		}
	}
	return ns - waited;
}

void report(const std::string &name, double value, const char *unit)
{
	std::printf("%s\t%.3f\t%s\n", name.c_str(), value, unit);
	std::fflush(stdout);
}

void report_percentiles(const std::string &name, std::vector<double> &times_ns)
{
	const auto share = [&](double part) {
		return times_ns[std::min(times_ns.size() - 1,
					 static_cast<size_t>(part * double(times_ns.size())))];
	};

	std::sort(times_ns.begin(), times_ns.end());
	report(name + "_p50", share(0.5), "ns");
	report(name + "_p99", share(0.99), "ns");
	report(name + "_p99.9", share(0.999), "ns");
}

int main(int argc, char **argv)
{
	main_began = std::chrono::steady_clock::now();
	const std::string name = argc > 1 ? argv[1] : "";
	const auto one = std::find_if(std::begin(rows), std::end(rows),
				      [&](const row &r) { return name == r.name; });

	if (name == "--list")
		return list();
	if (name == "--version")
		return version();
	if (one == std::end(rows)) {
		std::fprintf(stderr, "usage: caf-peer NAME [WORKERS [N]] | --list | --version\n");
		return 2;
	}

	caf::actor_system_config config;
	config.set("scheduler.max-threads", size_t(argc > 2 ? std::atoi(argv[2]) : 1));
	caf::actor_system system{config};
	one->run(system, argc > 3 ? std::atoll(argv[3]) : one->n);
	/* What is left behind has no more to say. */
	std::_Exit(0);
}
