/* SPDX-License-Identifier: MIT
 *
 * ward/resource.h - what an incarnation owns: memory, deferred calls, descriptors.
 *
 * All of it is released in full when the incarnation ends: at a restart, at a stop, after a failed
 * init. A failure by itself releases nothing, since a resume keeps all. Deferred calls and
 * descriptors go first, last one first, after pre_restart or post_stop and after the last dying
 * child; then the memory (S35, S46).
 *
 * ward_alloc, ward_scratch, ward_defer, ward_adopt_fd and ward_adopt_fd_copy fail the actor (they
 * jump, as ward_fail does) when memory is out; the try_ forms answer instead.
 */
#ifndef WARD_RESOURCE_H
#define WARD_RESOURCE_H

#include <ward/types.h>

WARD_BEGIN

/** Returns zeroed memory of the incarnation, aligned for any type. Never NULL: it jumps instead.
 *  Cost: O(size); it comes from chunks of up to 64 KiB, and what is larger than 16 KiB by itself
 *  from the allocator. */
WARD_API void *ward_alloc(ward_self *self, size_t size);
/** Returns zeroed memory of the incarnation, or NULL: no memory, or over props.memory_max. Cost: as
 *  ward_alloc(). */
WARD_API WARD_MUST_USE void *ward_try_alloc(ward_self *self, size_t size);
/** Returns a copy of the text in memory of the incarnation. Never NULL: it jumps instead. Cost:
 *  O(length of the text), as ward_alloc(). */
WARD_API char *ward_strdup(ward_self *self, const char *text);
/** Returns zeroed memory until the callback returns. Never NULL: it jumps instead. Cost: as
 *  ward_alloc(); the last chunk, if it is a small one, is kept for the callbacks that come. */
WARD_API void *ward_scratch(ward_self *self, size_t size);

/** A deferred call, to take it back with. All zero is none. */
typedef struct ward_deferred {
	uint64_t id;
} ward_deferred;

/**
 * Runs release(arg) when the incarnation ends; last deferred, first run.
 *
 * The function must not fail, jump or send. Out of memory: it runs at once and the actor fails.
 *
 * Ownership  takes arg, always.
 * Cost       O(1), and 48 bytes of the incarnation, which the next one gets when it is taken back.
 */
WARD_API ward_deferred ward_defer(ward_self *self, void (*release)(void *arg) WARD_NOEXCEPT,
				  void *arg);
/** The same, answering a code; on an error arg is still the caller's. Cost: the same. */
WARD_API WARD_MUST_USE ward_err ward_try_defer(ward_self *self,
					       void (*release)(void *arg) WARD_NOEXCEPT, void *arg,
					       ward_deferred *ret_deferred);
/** Forgets a deferred call without running it. One that is gone already is ignored. Cost: O(calls
 *  and descriptors of the incarnation that were deferred or adopted after it); of one that is gone
 *  O(all of them). */
WARD_API void ward_undefer(ward_self *self, ward_deferred deferred);
/** Runs a deferred call now instead of later. One that is gone already is ignored. Cost: as
 *  ward_undefer(), and the call. */
WARD_API void ward_run_deferred(ward_self *self, ward_deferred deferred);

/** Makes the descriptor the incarnation's, and returns it: me->fd = ward_adopt_fd(self,
 *  socket(...)). It is closed when the incarnation ends, and also when memory is out. A negative
 *  one fails the actor with ward_os_failure and the words of errno, one that is adopted already
 *  with ward_misuse. Cost: O(calls and descriptors of the incarnation), and memory as
 *  ward_defer(). */
WARD_API int ward_adopt_fd(ward_self *self, int fd);
/** Makes a duplicate (F_DUPFD_CLOEXEC), and adopts it as ward_adopt_fd() does: of a ward_fd in the
 *  arguments. Cost: the same, and a system call. */
WARD_API int ward_adopt_fd_copy(ward_self *self, int fd);
/** Closes an adopted descriptor now. Cost: as ward_undefer() and ward_fd_unwatch(). Errors:
 *  WARD_ENOENT not adopted, WARD_ESYS close said no. */
WARD_API WARD_MUST_USE ward_err ward_close_fd(ward_self *self, int fd);
/** Takes the descriptor back: the caller closes it. Cost: as ward_undefer() and ward_fd_unwatch().
 *  Errors: WARD_ENOENT not adopted. */
WARD_API WARD_MUST_USE ward_err ward_release_fd(ward_self *self, int fd);

WARD_END
#endif
