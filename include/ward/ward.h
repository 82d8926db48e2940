/* SPDX-License-Identifier: MIT
 *
 * ward/ward.h - the core of the library ward: supervised actors for C.
 *
 * This header includes the core. The patterns, behaviours built on the core in the same library,
 * are included one by one: backoff_sender.h, breaker.h, bridge.h, delivery.h, exponential.h, fsm.h,
 * guests.h, remote.h and retry.h. So are codec.h (messages that leave the process), loop.h (a
 * system in the event loop of a program), text.h (untrusted text on one line), association.h (for
 * authors of transports), extend.h (for authors of patterns) and simulation.h (which ward/testkit.h
 * includes). Each other library has one header: ward/otp.h, ward/akka_zero.h, ward/net.h,
 * ward/tls.h, ward/testkit.h, ward/config.h. The remaining headers are parts of these.
 *
 * Numbers such as S72 in comments are clauses of the supervision contract, which states in full
 * what ward promises. The contract is docs/internals/contract.md in ward's source tree; it also
 * names the tests that prove each clause.
 */
#ifndef WARD_WARD_H
#define WARD_WARD_H

#include <ward/actor.h>
#include <ward/ask.h>
#include <ward/backoff.h>
#include <ward/become.h>
#include <ward/dispatcher.h>
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
#include <ward/signal.h>
#include <ward/stash.h>
#include <ward/supervise.h>
#include <ward/system.h>
#include <ward/timer.h>
#include <ward/types.h>
#include <ward/watch.h>

/** The version of these headers. */
#define WARD_VERSION "0.1.0"

WARD_BEGIN
/** Returns the version of the library that is running. It differs from WARD_VERSION if the program
 *  was compiled with the headers of another version. Threads: any. Cost: O(1). */
WARD_API const char *ward_version(void);
WARD_END

#endif
