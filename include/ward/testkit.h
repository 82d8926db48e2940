/* SPDX-License-Identifier: MIT
 *
 * ward/testkit.h - all of the library ward-testkit: what it takes to test programs of actors.
 *
 * Its parts serve by themselves, too: the checks work under any test framework, and the runner
 * knows nothing of actors.
 */
#ifndef WARD_TESTKIT_H
#define WARD_TESTKIT_H

#include <ward/testkit/check.h>
#include <ward/testkit/filter.h>
#include <ward/testkit/kit.h>
#include <ward/testkit/probe.h>
#include <ward/testkit/runner.h>
#include <ward/testkit/simulate.h>

#endif
