/* SPDX-License-Identifier: MIT
 *
 * living_kits.c - the kits of the process: shown when a case hangs, counted for their descriptors.
 *
 * Descriptors belong to the process. A leak by a kit shows only when no other kit lives, so the
 * first kit notes the open descriptors, and the last one compares.
 */
#include "testkit/kit/living_kits.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "testkit/check/fds.h"
#include "testkit/check/shortage.h"
#include "testkit/check/watchdog.h"
#include "testkit/kit/kit.h"

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
/* under mu */
static ward_kit *living;
static struct wardi_kit_fds fds_before;

/* The lock keeps the systems alive. */
static void show_all(void)
{
	pthread_mutex_lock(&mu);
	for (const ward_kit *kit = living; kit != NULL; kit = kit->next_living) {
		if (kit->shown)
			ward_kit_print_tree(kit, STDERR_FILENO);
	}
	pthread_mutex_unlock(&mu);
}

__attribute__((noreturn)) static void fail_fds(int error)
{
	ward_test_fail(__FILE__, __LINE__, "which descriptors are open cannot be told: %s",
		       strerror(error));
}

void wardi_kit_enter(ward_kit *kit)
{
	bool known = true;
	int error;

	wardi_testkit_on_hang(show_all);
	pthread_mutex_lock(&mu);
	if (living == NULL)
		known = wardi_kit_fds_take(&fds_before);
	error = errno;
	kit->next_living = living;
	living = kit;
	pthread_mutex_unlock(&mu);
	if (!known)
		fail_fds(error);
}

static void set_shown(ward_kit *kit, bool shown)
{
	pthread_mutex_lock(&mu);
	kit->shown = shown;
	pthread_mutex_unlock(&mu);
}

void wardi_kit_show(ward_kit *kit)
{
	set_shown(kit, true);
}

void wardi_kit_hide(ward_kit *kit)
{
	set_shown(kit, false);
}

void wardi_kit_leave(ward_kit *kit)
{
	struct wardi_kit_fds now;
	char text[512];
	size_t left = 0;
	bool known = true;
	int error;

	pthread_mutex_lock(&mu);
	ward_kit **at = &living;
	while (*at != kit)
		at = &(*at)->next_living;
	*at = kit->next_living;
	/* Under the lock: the next kit that starts opens descriptors. */
	if (living == NULL) {
		known = wardi_kit_fds_take(&now);
		left = wardi_kit_fds_new(&now, &fds_before, text, sizeof text);
		wardi_kit_fds_finish(&now);
		wardi_kit_fds_finish(&fds_before);
	}
	error = errno;
	pthread_mutex_unlock(&mu);
	if (!known)
		fail_fds(error);
	if (left > 0 && !wardi_shortage_looks_after())
		wardi_kit_complain(kit, "%zu descriptors are left open: %s", left, text);
}

ward_kit *wardi_kit_next_living(const ward_kit *kit)
{
	pthread_mutex_lock(&mu);
	ward_kit *next = kit == NULL ? living : kit->next_living;
	while (next != NULL && !next->shown)
		next = next->next_living;
	pthread_mutex_unlock(&mu);
	return next;
}

ward_kit *wardi_kit_of_system(const ward_system *system)
{
	ward_kit *kit = NULL;

	do
		kit = wardi_kit_next_living(kit);
	while (kit != NULL && kit->system != system);
	return kit;
}

void wardi_kit_check_none_lives(void)
{
	pthread_mutex_lock(&mu);
	bool some = living != NULL;
	struct wardi_location place = some ? living->started : (struct wardi_location){0};
	pthread_mutex_unlock(&mu);
	if (some)
		ward_test_fail(place.file, place.line, "a kit was started and not finished");
}
