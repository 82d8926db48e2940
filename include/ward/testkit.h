/* SPDX-License-Identifier: MIT
 *
 * ward/testkit.h - the whole library ward-testkit: everything needed to test programs of actors.
 *
 * Its parts can be used separately: the checks work under any test framework, and the runner does
 * not depend on actors.
 */
#ifndef WARD_TESTKIT_H
#define WARD_TESTKIT_H

#include <ward/testkit/check.h>
#include <ward/testkit/filter.h>
#include <ward/testkit/kit.h>
#include <ward/testkit/probe.h>
#include <ward/testkit/runner.h>
#include <ward/testkit/simulate.h>
#include <ward/ward.h>

#endif
