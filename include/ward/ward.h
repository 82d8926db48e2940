/* SPDX-License-Identifier: MIT
 *
 * ward/ward.h - the core of the library ward: actors for C with supervision.
 *
 * The patterns of the same library are included by name: backoff_sender.h, breaker.h, bridge.h,
 * delivery.h, exponential.h, fsm.h, retry.h; so are text.h, for texts of others on one line,
 * extend.h, for authors of patterns, and simulation.h, which ward/testkit.h brings. The other
 * libraries have one header each: ward/otp.h, ward/akka_zero.h, ward/testkit.h, ward/config.h.
 *
 * The numbers S1, S2, ... in comments are clauses of the supervision contract, which says in full
 * what is promised: docs/internals/contract.md.
 */
#ifndef WARD_WARD_H
#define WARD_WARD_H

#include <ward/actor.h>
#include <ward/ask.h>
#include <ward/backoff.h>
#include <ward/become.h>
#include <ward/event.h>
#include <ward/failure.h>
#include <ward/fd.h>
#include <ward/inbox.h>
#include <ward/link.h>
#include <ward/message.h>
#include <ward/resource.h>
#include <ward/router.h>
#include <ward/selection.h>
#include <ward/shutdown.h>
#include <ward/stash.h>
#include <ward/supervise.h>
#include <ward/system.h>
#include <ward/timer.h>
#include <ward/types.h>
#include <ward/watch.h>

/** Of these headers. */
#define WARD_VERSION "0.1.0"

WARD_BEGIN
/** Returns the version of the library that runs; another one than WARD_VERSION, if a program was
 *  built with the headers of another. Threads: any. Cost: O(1). */
WARD_API const char *ward_version(void);
WARD_END

#endif
