# SPDX-License-Identifier: MIT
#
# A thin front for Meson. Each target first sees to what it needs (tools/setup), then works in
# build/. `make help` lists them.

PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
SEEDS ?= 10000
FUZZ_SECONDS ?= 60
export BUILD

SOURCES = $(shell git ls-files '*.c' '*.h')
# As in .ci/run, of which it has what takes too long there.
STRICT = MESONFLAGS="-Dwerror=true -Dauto_features=enabled" WARD_SKIPS=fail
FULL = WARD_STRESS=full SUITE=stress TIMES=0 WARD_TEST_TIMEOUT_S=36000

.PHONY: help build examples demo test bench bench-peers profile sim planted contract coverage mutate \
	shortages stress fuzz otp net codec far soak model docs install uninstall format tidy layers clean

help:
	@echo 'make build    builds the library alone, optimised, in $(BUILD)/install'
	@echo 'make examples  builds the programs of examples/, one for each thing to learn'
	@echo 'make demo     builds ward and runs the sink: real input, real faults, nothing lost'
	@echo 'make test     builds and runs all tests, in a debug and in a release build; minutes'
	@echo 'make bench    runs all benchmarks, in turn with the floor under them (bench/README.md)'
	@echo 'make bench QUICK=1  some, and compares with what is recorded; under two minutes'
	@echo 'make bench-peers  the same on Erlang, CAF, libuv and epoll; writes docs/performance.md'
	@echo 'make profile  counts instructions by source file; writes docs/internals/profile.md'
	@echo 'make sim      runs all simulations over the seeds 1 to SEEDS ($(SEEDS)); minutes'
	@echo 'make planted  plants bugs, one at a time, in a copy; a simulation must find each'
	@echo 'make contract  says of each clause of the contract which tests prove it'
	@echo 'make coverage  tells which lines and branches of the core no test runs'
	@echo 'make mutate   breaks the core in 400 small ways; tests must notice; minutes'
	@echo 'make far        runs each scenario with its children in a second system; minutes'
	@echo 'make shortages  runs each scenario with each of its allocations failing; minutes'
	@echo 'make docs     makes the HTML site of all documents; open $(BUILD)/docs/index.html'
	@echo 'make install  installs library, headers, manual pages, guide and examples (PREFIX, DESTDIR)'
	@echo 'make uninstall  removes what the last install put there'
	@echo 'make stress   runs the stress tests at full size; takes minutes'
	@echo 'make otp      holds the OTP profile against a supervisor of Erlang, 2,000 scripts of each kind'
	@echo 'make net      ward-net with nc, socat and curl, and 10,000 connections with faults; QUICK=1: fewer'
	@echo 'make codec    messages as bytes: 300,000 values with Erlang, libei and jansson, 10,000,000 mutations; QUICK=1: fewer'
	@echo 'make fuzz     gives random bytes to the readers of configurations, addresses and messages, and to framings, FUZZ_SECONDS ($(FUZZ_SECONDS)) each'
	@echo 'make soak     what takes too long for .ci/run: more compilers, a million seeds, 2000 mutants; takes hours'
	@echo 'make model    searches the model of the mailbox with spin'
	@echo 'make format   formats the sources in place'
	@echo 'make tidy     checks the rules of the house that no compiler knows'
	@echo 'make layers   checks the calls between the folders of a debug build, and draws src/floors'
	@echo 'make clean    removes $(BUILD)/'
	@echo 'All of continuous integration: .ci/run'

examples:
	@tools/setup examples
	@test -f $(BUILD)/examples/build.ninja || meson setup --buildtype=release \
		-Dsink=disabled -Dcxx=disabled -Derlang=disabled $(BUILD)/examples
	@ninja -C $(BUILD)/examples examples
	@echo 'the programs are in $(BUILD)/examples/examples; examples/README.md tells what each shows'

demo:
	@tools/setup demo
	@tools/build gcc-release examples/sink/ward-sink
	@examples/sink/demo.sh $(BUILD)/gcc-release

test:
	@tools/setup test
	@tools/test gcc-debug gcc-release

# The programs alone: what else is in the builds takes its time to compile.
BENCHES = bench/ward/ward-bench bench/floor/floor-32 bench/floor/floor-48 bench/floor/floor-64 \
	bench/bench_simulation bench/echo/echo-client

bench:
	@tools/setup test
	@tools/build gcc-release $(BENCHES)
ifdef QUICK
	@tools/bench --quick
else
	@tools/build gcc-lto bench/ward/ward-bench
	@tools/bench --lto $(BUILD)/gcc-lto/bench
endif

bench-peers:
	@tools/setup peers
	@tools/bench-peers

profile:
	@tools/setup profile
	@tools/profile --write

sim:
	@tools/setup test
	@tools/sim $(SEEDS)

planted:
	@tools/setup test
	@tests/sim/planted/run.sh

contract:
	@tools/setup test
	@tools/contract

coverage:
	@tools/setup test
	@tools/coverage

mutate:
	@tools/setup ci
	@tools/mutate

shortages:
	@tools/setup test
	@tools/shortages gcc-release

stress:
	@tools/setup test
	@$(FULL) tools/test gcc-release

otp:
	@tools/setup otp
	@tools/otp

net:
	@tools/setup net
	@tools/net $(if $(QUICK),--quick)

codec:
	@tools/setup codec
	@tools/codec $(if $(QUICK),--quick)

fuzz:
	@tools/setup ci
	@tools/fuzz $(FUZZ_SECONDS)

soak:
	@tools/setup ci
	@$(STRICT) tools/test clang-debug clang-release gcc-asan gcc-tsan clang-tsan
	@tools/shortages gcc-asan
	@$(FULL) tools/test gcc-release clang-release gcc-asan gcc-tsan clang-tsan
	@tools/setup net
	@tools/net
	@tools/setup codec
	@tools/codec
	@tools/sim 1000000
	@SEEDS=2000 tests/sim/planted/run.sh
	@tools/mutate --sample 2000
	@tools/fuzz 3600

model:
	@tools/setup model
	@tools/model

build:
	@tools/setup build
	@test -f $(BUILD)/install/build.ninja || \
		meson setup --buildtype=release -Dtests=false -Dsink=disabled $(BUILD)/install
	@meson configure --prefix='$(PREFIX)' $(BUILD)/install
	@ninja -C $(BUILD)/install

docs:
	@tools/setup docs
	@tools/docs --out $(BUILD)/docs

# All programs of tests/scenario but those that have two systems, sockets or a driver of their own; and
# by bytes those whose types have tables.
far:
	@tools/setup test
	@tools/build gcc-debug
	@tools/far $(BUILD)/gcc-debug

install: build
	@DESTDIR='$(abspath $(DESTDIR))' meson install -C $(BUILD)/install

# Meson notes what it installed, DESTDIR included.
uninstall:
	@test -f $(BUILD)/install/meson-logs/install-log.txt || { \
		echo 'make uninstall: nothing was installed from $(BUILD)/' >&2; exit 1; }
	@ninja -C $(BUILD)/install uninstall

format:
	@tools/setup ci
	@clang-format -i $(SOURCES)

tidy:
	@tools/tidy

layers:
	@tools/setup test
	@tools/tower --write
	@tools/build gcc-debug
	@tools/layers $(BUILD)/gcc-debug

clean:
	rm -rf $(BUILD)
