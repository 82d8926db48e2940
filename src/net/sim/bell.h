/* SPDX-License-Identifier: MIT
 *
 * bell.h - a descriptor that is readable while it rings: what an actor waits for in place of a
 * socket. It allocates nothing and needs no actor to ring it.
 */
#ifndef WARDI_SIM_BELL_H
#define WARDI_SIM_BELL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct wardi_bell {
	int fd; /* -1: none */
	bool rings;
};

/* False: errno. */
static inline bool wardi_bell_make(struct wardi_bell *bell)
{
	*bell = (struct wardi_bell){eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), false};
	return bell->fd >= 0;
}

static inline void wardi_bell_set(struct wardi_bell *bell, bool rings)
{
	uint64_t count = 1;

	if (bell->fd < 0 || bell->rings == rings)
		return;
	bell->rings = rings;
	if (rings)
		(void)!write(bell->fd, &count, sizeof count);
	else
		(void)!read(bell->fd, &count, sizeof count);
}

static inline void wardi_bell_close(struct wardi_bell *bell)
{
	if (bell->fd >= 0)
		close(bell->fd);
	bell->fd = -1;
}

#endif
