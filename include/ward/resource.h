/* SPDX-License-Identifier: MIT
 *
 * ward/resource.h - resources that an incarnation owns: memory, deferred calls, descriptors.
 *
 * All of them are released when the incarnation ends: at a restart, at a stop, and after a failed
 * init. A failure by itself releases nothing, since a resume keeps everything. Deferred calls and
 * descriptors are released first, in reverse order, after pre_restart or post_stop and after the
 * last child that stops with them; then the memory (S35, S46).
 *
 * If memory runs out, ward_alloc, ward_strdup, ward_scratch, ward_defer, ward_adopt_fd and
 * ward_adopt_fd_copy make the actor fail with ward_out_of_memory by a jump, as ward_fail() does.
 * ward_try_alloc and ward_try_defer return instead; the others have no such form.
 */
#ifndef WARD_RESOURCE_H
#define WARD_RESOURCE_H

#include <ward/types.h>

WARD_BEGIN

/** Returns zeroed memory that the incarnation owns, aligned for any type. Never NULL: it jumps
 *  instead, as ward_fail() does, also if props.memory_max is reached. Cost: O(size); taken from
 *  chunks of up to 64 KiB, blocks of more than 16 KiB directly from the allocator. */
WARD_API void *ward_alloc(ward_self *self, size_t size);
/** Returns zeroed memory that the incarnation owns. NULL: out of memory, or props.memory_max is
 *  reached. Cost: as ward_alloc(). */
WARD_API WARD_MUST_USE void *ward_try_alloc(ward_self *self, size_t size);
/** Returns a copy of the text, in memory that the incarnation owns. Never NULL: it jumps instead,
 *  as ward_alloc() does. Cost: O(length of the text), as ward_alloc(). */
WARD_API char *ward_strdup(ward_self *self, const char *text);
/** Returns zeroed memory that is valid until the callback returns; it does not count in
 *  props.memory_max. Never NULL: it jumps instead. Cost: as ward_alloc(); the last chunk, if it is
 *  small, is kept for later callbacks. */
WARD_API void *ward_scratch(ward_self *self, size_t size);

/** Identifies a deferred call. All zero: none. */
typedef struct ward_deferred {
	uint64_t id;
} ward_deferred;

/**
 * Defers a call: release(arg) runs when the incarnation ends. Deferred calls run in reverse order.
 *
 * `release` must not fail, jump or send. Functions that take a ward_self have no effect in it.
 * Only ward_stop_reason() answers there, with NULL as well: it says whether a restart, a failure or
 * a stop ends the incarnation.
 *
 * Ownership  takes arg, always.
 * Threads    release runs on the thread that ends the incarnation.
 * Cost       O(1), and 48 bytes of the incarnation, which are reused after ward_undefer() or
 *            ward_run_deferred().
 * Errors     if memory runs out or release is NULL, release(arg), if any, runs at once and the
 *            actor fails by a jump.
 */
WARD_API ward_deferred ward_defer(ward_self *self, void (*release)(void *arg) WARD_NOEXCEPT,
				  void *arg);
/** Defers a call like ward_defer(); *ret_deferred (NULL: not wanted) identifies it. Cost: as
 *  ward_defer(). Errors: WARD_EINVAL no function; WARD_ENOMEM. arg is still the caller's then. */
WARD_API WARD_MUST_USE ward_err ward_try_defer(ward_self *self,
					       void (*release)(void *arg) WARD_NOEXCEPT, void *arg,
					       ward_deferred *ret_deferred);
/** Cancels a deferred call without running it. An unknown one is ignored. Cost: O(calls and
 *  descriptors that the incarnation deferred or adopted after it); for an unknown one O(all of
 *  them). */
WARD_API void ward_undefer(ward_self *self, ward_deferred deferred);
/** Runs a deferred call now instead of later. An unknown one is ignored. Cost: as ward_undefer(),
 *  and the call. */
WARD_API void ward_run_deferred(ward_self *self, ward_deferred deferred);

/** Makes the incarnation the owner of a descriptor, and returns the descriptor: `me->fd =
 *  ward_adopt_fd(self, socket(...))`. It is closed when the incarnation ends, and if memory runs
 *  out. A negative descriptor makes the actor fail by a jump with ward_os_failure and the text of
 *  errno, one that is adopted already with ward_misuse. Cost: O(calls and descriptors of the
 *  incarnation), and memory as ward_defer(). */
WARD_API int ward_adopt_fd(ward_self *self, int fd);
/** Duplicates a descriptor (F_DUPFD_CLOEXEC), such as that of a ward_fd (fd.h) in the arguments,
 *  adopts the duplicate as ward_adopt_fd() does, and returns it. If the system refuses to duplicate
 *  it, the actor fails as with a negative descriptor. Cost: as ward_adopt_fd(), and a system call.
 */
WARD_API int ward_adopt_fd_copy(ward_self *self, int fd);
/** Closes an adopted descriptor now, and ends a watch of it (fd.h). After WARD_ESYS the incarnation
 *  no longer owns it. Cost: as ward_undefer() and ward_fd_unwatch(). Errors: WARD_ENOENT not
 *  adopted; WARD_ESYS close() failed. */
WARD_API WARD_MUST_USE ward_err ward_close_fd(ward_self *self, int fd);
/** Ends the ownership of an adopted descriptor, and a watch of it (fd.h): the caller closes it.
 *  Cost: as ward_undefer() and ward_fd_unwatch(). Errors: WARD_ENOENT not adopted. */
WARD_API WARD_MUST_USE ward_err ward_release_fd(ward_self *self, int fd);

WARD_END
#endif
