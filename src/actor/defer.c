/* SPDX-License-Identifier: MIT
 *
 * defer.c - deferred calls and adopted descriptors: released last first, each exactly once.
 *
 * The record of a deferred call lies in the arena, so the end of the incarnation allocates nothing;
 * the record of a call that was taken back is reused. An adopted descriptor is a deferred close.
 *
 * Threads: runs only on the holder's worker.
 */
#include "actor/defer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

struct wardi_defer {
	struct wardi_defer *next;
	uint64_t id;
	void (*release)(void *arg); /* NULL: an adopted descriptor */
	void *arg;
	int fd;
};

static void run_one(struct ward_self *self, const struct wardi_defer *defer)
{
	if (defer->release != NULL) {
		bool callback = self->callback;

		self->callback = false; /* nothing to jump to from inside */
		defer->release(defer->arg);
		self->callback = callback;
		return;
	}
	ward_fd_unwatch(self, defer->fd);
	close(defer->fd);
	atomic_fetch_sub_explicit(&self->system->counters.fds_adopted, 1, memory_order_relaxed);
}

void wardi_defers_run(struct ward_self *self, struct wardi_arena *arena)
{
	while (arena->defers != NULL) {
		struct wardi_defer *defer = arena->defers;

		arena->defers = defer->next;
		run_one(self, defer);
	}
}

static struct wardi_defer *new_record(struct ward_self *self, struct wardi_arena *arena)
{
	struct wardi_defer *spare = arena->spare;

	if (spare == NULL)
		return wardi_chunk_alloc(&self->system->alloc, &arena->chunks, sizeof *spare);
	arena->spare = spare->next;
	return spare;
}

static struct wardi_defer *add(struct ward_self *self)
{
	struct wardi_arena *arena = wardi_arena_of(self);
	struct wardi_defer *defer = arena == NULL ? NULL : new_record(self, arena);

	if (defer == NULL)
		return NULL;
	*defer = (struct wardi_defer){.next = arena->defers, .id = ++arena->defer_ids};
	arena->defers = defer;
	return defer;
}

/* Takes out of the list the call with this id or, with id 0, the one that closes this descriptor.
 * False: there is none. */
static bool take(struct ward_self *self, uint64_t id, int fd, struct wardi_defer *ret_defer)
{
	struct wardi_arena *arena = wardi_self_usable(self) ? self->cell->rare->arena : NULL;

	if (arena == NULL)
		return false;
	for (struct wardi_defer **at = &arena->defers; *at != NULL; at = &(*at)->next) {
		struct wardi_defer *defer = *at;

		if (id != 0 ? defer->id == id : (defer->release == NULL && defer->fd == fd)) {
			*ret_defer = *defer;
			*at = defer->next;
			defer->next = arena->spare;
			arena->spare = defer;
			return true;
		}
	}
	return false;
}

ward_err ward_try_defer(ward_self *self, void (*release)(void *arg), void *arg,
			ward_deferred *ret_deferred)
{
	struct wardi_defer *defer;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (release == NULL)
		return wardi_error(WARD_EINVAL, "ward_defer: no function to call");
	defer = add(self);
	if (defer == NULL)
		return wardi_no_memory(self->system, "no memory for a deferred call");
	defer->release = release;
	defer->arg = arg;
	if (ret_deferred != NULL)
		ret_deferred->id = defer->id;
	return WARD_OK;
}

ward_deferred ward_defer(ward_self *self, void (*release)(void *arg), void *arg)
{
	ward_deferred deferred = {0};
	ward_err err = ward_try_defer(self, release, arg, &deferred);

	if (err == WARD_OK)
		return deferred;
	if (release != NULL)
		release(arg);
	ward_fail(self, err == WARD_ENOMEM ? &ward_out_of_memory : &ward_misuse, "%s",
		  ward_err_detail());
}

void ward_undefer(ward_self *self, ward_deferred deferred)
{
	struct wardi_defer defer;

	if (deferred.id != 0)
		(void)take(self, deferred.id, -1, &defer);
}

void ward_run_deferred(ward_self *self, ward_deferred deferred)
{
	struct wardi_defer defer;

	if (deferred.id != 0 && take(self, deferred.id, -1, &defer))
		run_one(self, &defer);
}

bool wardi_fd_is_adopted(const struct ward_self *self, int fd)
{
	if (self->cell->rare->arena == NULL)
		return false;
	for (const struct wardi_defer *at = self->cell->rare->arena->defers; at != NULL;
	     at = at->next)
		if (at->release == NULL && at->fd == fd)
			return true;
	return false;
}

bool wardi_fd_adopt(struct ward_self *self, int fd)
{
	struct wardi_defer *defer = add(self);

	if (defer == NULL)
		return false;
	defer->fd = fd;
	wardi_count(&self->system->counters.fds_adopted);
	return true;
}

bool wardi_fd_disown(struct ward_self *self, int fd)
{
	struct wardi_defer defer;

	if (!take(self, 0, fd, &defer))
		return false;
	ward_fd_unwatch(self, fd);
	atomic_fetch_sub_explicit(&self->system->counters.fds_adopted, 1, memory_order_relaxed);
	return true;
}

int ward_adopt_fd(ward_self *self, int fd)
{
	int error = errno;

	if (wardi_self_usable(self) && fd < 0)
		ward_fail(self, &ward_os_failure, "no descriptor to adopt: %s",
			  wardi_os_text(error));
	if (wardi_self_usable(self) && wardi_fd_is_adopted(self, fd))
		ward_fail(self, &ward_misuse,
			  "cannot adopt descriptor %d twice: it would be closed twice", fd);
	if (!wardi_self_usable(self) || !wardi_fd_adopt(self, fd)) {
		close(fd);
		if (wardi_self_usable(self))
			wardi_count(&self->system->counters.shortages);
		ward_fail(self, &ward_out_of_memory, "no memory to adopt descriptor %d", fd);
	}
	return fd;
}

int ward_adopt_fd_copy(ward_self *self, int fd)
{
	return ward_adopt_fd(self, fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

ward_err ward_release_fd(ward_self *self, int fd)
{
	if (!wardi_fd_disown(self, fd))
		return wardi_error(WARD_ENOENT, "descriptor %d was not adopted", fd);
	return WARD_OK;
}

ward_err ward_close_fd(ward_self *self, int fd)
{
	ward_err err = ward_release_fd(self, fd);

	if (err == WARD_OK && close(fd) != 0)
		return wardi_error(WARD_ESYS, "close %d: %s", fd, wardi_os_text(errno));
	return err;
}
