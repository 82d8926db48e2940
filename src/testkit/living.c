/* SPDX-License-Identifier: MIT
 *
 * living.c - the kits of the process: shown when a case hangs, counted for their descriptors.
 *
 * Descriptors belong to the process. Which of them a kit has left can be told only when no other
 * kit lives, so the first one notes what is open, and the last one compares.
 */
#include <pthread.h>
#include <unistd.h>

#include "testkit/fds.h"
#include "testkit/kit.h"
#include "testkit/watchdog.h"

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
/* under mu */
static ward_kit *living;
static struct wardi_kit_fds fds_before;

/* The lock keeps the systems from going meanwhile. */
static void show_all(void)
{
	pthread_mutex_lock(&mu);
	for (const ward_kit *kit = living; kit != NULL; kit = kit->next_living) {
		if (kit->shown)
			ward_kit_print_tree(kit, STDERR_FILENO);
	}
	pthread_mutex_unlock(&mu);
}

void wardi_kit_enter(ward_kit *kit)
{
	struct wardi_kit_fds now;

	wardi_testkit_on_hang(show_all);
	wardi_kit_fds_take(&now);
	pthread_mutex_lock(&mu);
	if (living == NULL) {
		fds_before = now;
		now = (struct wardi_kit_fds){0};
	}
	kit->next_living = living;
	living = kit;
	pthread_mutex_unlock(&mu);
	wardi_kit_fds_finish(&now);
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
	struct wardi_kit_fds before = {0};
	char text[512];
	size_t left;

	pthread_mutex_lock(&mu);
	ward_kit **at = &living;
	while (*at != kit)
		at = &(*at)->next_living;
	*at = kit->next_living;
	bool last = living == NULL;
	if (last)
		before = fds_before;
	pthread_mutex_unlock(&mu);
	if (!last)
		return;
	left = wardi_kit_fds_new(&before, text, sizeof text);
	wardi_kit_fds_finish(&before);
	if (left > 0)
		ward_test_fail(__FILE__, __LINE__, "%zu descriptors are left open: %s", left, text);
}
