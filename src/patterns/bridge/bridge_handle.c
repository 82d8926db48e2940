/* SPDX-License-Identifier: MIT
 *
 * bridge_handle.c - the handle through which a subsystem reports its death, one for each
 * incarnation of a bridge.
 *
 *	           a death                   closed
 *	OPEN ------------------> HEARD ----------------> CLOSED, and the report stays
 *	  +------------------------------------------------^
 *
 * A report is stored here, then the descriptor wakes the bridge. That takes no memory, cannot meet
 * a full mailbox, and needs no system: the handle may outlive it. The bridge closes the handle
 * before the descriptor, so a write always goes to its own descriptor.
 *
 * Threads                count      any thread
 *                        the rest   under mu; nothing but that write is called with it
 *
 *                        Pairs      release              acquire
 *   count                [P1]       unref                the last unref, before it frees
 *
 * All calls may run at the same time.
 */
#include "patterns/bridge/bridge_handle.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ward/extend.h>
#include <ward/text.h>

#include "common/uncancelled.h"
#include "patterns/bridge/bridge.h"

enum { TRIES = 10 /* to wake the bridge */ };

struct ward_bridge {
	_Atomic uint32_t count;
	pthread_mutex_t mu;
	/* under mu */
	int fd; /* -1: closed */
	bool heard;
	struct wardi_death death;
};

/* ---- for the bridge ---------------------------------------------------------------------- */

ward_bridge *wardi_bridge_create(int fd)
{
	ward_bridge *bridge = calloc(1, sizeof *bridge);

	if (bridge == NULL)
		return NULL;
	atomic_init(&bridge->count, 1);
	pthread_mutex_init(&bridge->mu, NULL);
	bridge->fd = fd;
	return bridge;
}

bool wardi_bridge_close(ward_bridge *bridge)
{
	bool heard;

	pthread_mutex_lock(&bridge->mu);
	bridge->fd = -1;
	heard = bridge->heard;
	pthread_mutex_unlock(&bridge->mu);
	return heard;
}

bool wardi_bridge_heard(ward_bridge *bridge, struct wardi_death *ret_death)
{
	bool heard;

	pthread_mutex_lock(&bridge->mu);
	heard = bridge->heard;
	if (heard)
		*ret_death = bridge->death;
	pthread_mutex_unlock(&bridge->mu);
	return heard;
}

/* ---- shares ------------------------------------------------------------------------------ */

ward_bridge *ward_bridge_ref(ward_bridge *bridge)
{
	if (bridge != NULL)
		atomic_fetch_add_explicit(&bridge->count, 1, memory_order_relaxed);
	return bridge;
}

void ward_bridge_unref(ward_bridge *bridge)
{
	/* Release: the accesses of this share; acquire: before the last share frees it. [P1] */
	if (bridge == NULL ||
	    atomic_fetch_sub_explicit(&bridge->count, 1, memory_order_acq_rel) != 1)
		return;
	pthread_mutex_destroy(&bridge->mu);
	free(bridge);
}

/* ---- reports ----------------------------------------------------------------------------- */

/* An eventfd at zero accepts the write, unless the system refuses the call itself. */
static bool wake(const ward_bridge *bridge)
{
	WARDI_UNCANCELLED;
	static const uint64_t one = 1;
	bool done = false;

	for (int tries = 0; tries < TRIES && !done; tries++)
		done = write(bridge->fd, &one, sizeof one) == sizeof one;
	return done;
}

static ward_err report(ward_bridge *bridge, const struct wardi_death *death)
{
	ward_err err = WARD_OK;
	int error = 0;

	pthread_mutex_lock(&bridge->mu);
	if (bridge->fd < 0) {
		err = WARD_EDEAD;
	} else if (bridge->heard) {
		err = WARD_EEXIST;
	} else {
		bridge->death = *death;
		bridge->heard = true;
		if (!wake(bridge)) {
			error = errno;
			err = WARD_ESYS;
		}
	}
	pthread_mutex_unlock(&bridge->mu);
	if (err == WARD_EDEAD)
		return ward_refused(err, "the bridge of this subsystem is closed: it is stopping, "
					 "has restarted or has ended");
	if (err == WARD_EEXIST)
		return ward_refused(err, "the death of this subsystem is already reported");
	if (err == WARD_ESYS)
		return ward_refused(err,
				    "the bridge cannot be woken: %s (%s); it handles the death "
				    "with its next message",
				    strerrordesc_np(error), strerrorname_np(error));
	return err;
}

/* Copies a text, cut to fit and terminated. */
static void copy_text(char *to, size_t max, const char *from)
{
	size_t length = strnlen(from, max - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

ward_err ward_bridge_died(ward_bridge *bridge, const ward_failure_class *failure_class,
			  const char *text, ...)
{
	struct wardi_death death = {.failure_class = failure_class,
				    .reason.kind = WARD_EXIT_FAILURE};
	va_list args;

	if (bridge == NULL || failure_class == NULL)
		return ward_refused(WARD_EINVAL, "ward_bridge_died: %s",
				    bridge == NULL ? "no bridge" : "no failure class");
	va_start(args, text);
	ward_text_vformat(death.text, sizeof death.text, text, args);
	va_end(args);
	copy_text(death.reason.name, sizeof death.reason.name, failure_class->name);
	copy_text(death.reason.text, sizeof death.reason.text, death.text);
	return report(bridge, &death);
}

static bool has_end(const char *text, size_t max)
{
	return memchr(text, '\0', max) != NULL;
}

static ward_err check_reason(const ward_exit_reason *reason)
{
	if (reason->kind > WARD_EXIT_UNREACHED)
		return ward_refused(WARD_EINVAL, "ward_bridge_ended: %u is not a ward_exit_kind",
				    reason->kind);
	if (!has_end(reason->name, sizeof reason->name) ||
	    !has_end(reason->text, sizeof reason->text))
		return ward_refused(
			WARD_EINVAL,
			"ward_bridge_ended: the name or text of the reason is not terminated");
	if ((reason->kind == WARD_EXIT_FAILURE || reason->kind == WARD_EXIT_OTHER) &&
	    reason->name[0] == '\0')
		return ward_refused(WARD_EINVAL, "ward_bridge_ended: the reason needs a name");
	return WARD_OK;
}

ward_err ward_bridge_ended(ward_bridge *bridge, const ward_exit_reason *reason)
{
	struct wardi_death death = {.failure_class = NULL};
	ward_err err;

	if (bridge == NULL)
		return ward_refused(WARD_EINVAL, "ward_bridge_ended: no bridge");
	if (reason != NULL) {
		err = check_reason(reason);
		if (err != WARD_OK)
			return err;
		death.reason = *reason;
	}
	return report(bridge, &death);
}
