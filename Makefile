# SPDX-License-Identifier: MIT
#
# A thin front for Meson. Each target first sees to what it needs (tools/setup), then works in
# build/. `make help` lists them.

PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
SEEDS ?= 10000
export BUILD

SOURCES = $(shell git ls-files '*.c' '*.h')
FULL = WARD_STRESS=full SUITE=stress TIMES=0 WARD_TEST_TIMEOUT_S=36000

.PHONY: help build demo test bench sim planted shortages stress soak model install uninstall format tidy clean

help:
	@echo 'make build    builds the library alone, optimised, in $(BUILD)/install'
	@echo 'make demo     builds ward and runs the sink: real input, real faults, nothing lost'
	@echo 'make test     builds and runs all tests, in a debug and in a release build; minutes'
	@echo 'make bench    builds and runs the benchmarks, optimised; their lines are for a table'
	@echo 'make sim      runs all simulations over the seeds 1 to SEEDS ($(SEEDS)); minutes'
	@echo 'make planted  plants bugs, one at a time, in a copy; a simulation must find each'
	@echo 'make shortages  runs each scenario with each of its allocations failing; minutes'
	@echo 'make install  installs library, headers and pkg-config file (PREFIX, DESTDIR)'
	@echo 'make uninstall  removes what the last install put there'
	@echo 'make stress   runs the stress tests at full size; takes minutes'
	@echo 'make soak     the same under the sanitizers, too, and a million seeds; takes hours'
	@echo 'make model    searches the model of the mailbox with spin'
	@echo 'make format   formats the sources in place'
	@echo 'make tidy     checks the rules of the house that no compiler knows'
	@echo 'make clean    removes $(BUILD)/'
	@echo 'All of continuous integration: .ci/run'

demo:
	@tools/setup demo
	@tools/build gcc-release
	@examples/sink/demo.sh $(BUILD)/gcc-release

test:
	@tools/setup test
	@tools/test gcc-debug gcc-release

bench:
	@tools/setup test
	@tools/build gcc-release
	@for program in $(BUILD)/gcc-release/bench/bench_*; do \
		[ ! -f $$program ] || $$program || exit 1; \
	done

sim:
	@tools/setup test
	@tools/sim $(SEEDS)

planted:
	@tools/setup test
	@tests/sim/planted/run.sh

shortages:
	@tools/setup test
	@tools/shortages gcc-release

stress:
	@tools/setup test
	@$(FULL) tools/test gcc-release

soak:
	@tools/setup ci
	@tools/shortages gcc-asan
	@$(FULL) tools/test gcc-release clang-release gcc-asan gcc-tsan clang-tsan
	@tools/sim 1000000

model:
	@tools/setup model
	@tools/model

build:
	@tools/setup build
	@test -f $(BUILD)/install/build.ninja || \
		meson setup --buildtype=release -Dtests=false -Dsink=disabled $(BUILD)/install
	@meson configure --prefix='$(PREFIX)' $(BUILD)/install
	@ninja -C $(BUILD)/install

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

clean:
	rm -rf $(BUILD)
