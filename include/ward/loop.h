/* SPDX-License-Identifier: MIT
 *
 * ward/loop.h - a system inside the event loop of a program, on its thread: poll(), libuv, GLib,
 * sd-event.
 *
 *	#include <poll.h>
 *
 *	static void run_loop(ward_system *system)
 *	{
 *		struct pollfd fd = {.fd = ward_system_fd(system), .events = POLLIN};
 *
 *		while (poll(&fd, 1, -1) >= 0)
 *			if (ward_system_poll(system, 0))
 *				break; // WARD_ESTOPPING: all actors have ended
 *	}
 *
 * A system with options.driven has no threads for its actors: they run in ward_system_poll(), on
 * the thread that created the system. So they may use what belongs to that thread, such as the
 * handles of its loop, without a lock. All else is as in a system with one worker: supervision,
 * timers, descriptors, and messages from any thread. Actors on WARD_BLOCKING, on WARD_PINNED or in
 * a pool run on threads of their own.
 *
 * The thread that created the system may make the calls that wait, such as ward_system_ask() and
 * ward_system_destroy(): they run the system until they return. On other threads they wait until
 * it is polled.
 */
#ifndef WARD_LOOP_H
#define WARD_LOOP_H

#include <ward/system.h>

WARD_BEGIN

/**
 * Returns a descriptor that is readable when ward_system_poll() has something to do: a message came
 * from another thread, a timer is due, a watched descriptor is ready, the last call had no time
 * left for all, or all actors have ended. Watch it for reading, and never read it.
 *
 * Ownership  the system's; valid until ward_system_destroy(). Remove it from the loop before.
 * Threads    any.
 * Cost       O(1).
 * Errors     -1, with a detail: the system is NULL or not driven.
 */
WARD_API int ward_system_fd(ward_system *system);

/**
 * Runs a driven system: timers that are due, notices of watched descriptors, then actors, until
 * none is ready or about a millisecond has passed. What is left then makes the descriptor readable.
 *
 * Waits first if there is nothing to do: so a program without a loop of its own can call it in one.
 *
 *	while (ward_system_poll(system, WARD_FOREVER) == WARD_OK)
 *		continue;
 *
 * An actor in the middle of a callback is not interrupted: a callback that takes long holds up the
 * loop of the program.
 *
 * Units      timeout_ms milliseconds, how long to wait; 0: does not wait; WARD_FOREVER: no limit.
 * Threads    the one that created the system, and not in a callback of one of its actors.
 * Cost       one system call where descriptors are watched; one more where the next timer has
 *            become an earlier one.
 * Errors     WARD_ESTOPPING all actors have ended: call ward_system_destroy(); WARD_ETHREAD;
 *            WARD_EINVAL the system is NULL or not driven; WARD_EFORKED; WARD_ESYS the operating
 *            system does not let it wait.
 */
WARD_API WARD_MUST_USE ward_err ward_system_poll(ward_system *system, int64_t timeout_ms);

WARD_END

#endif
