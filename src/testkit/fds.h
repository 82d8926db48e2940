/* SPDX-License-Identifier: MIT
 *
 * fds.h - which descriptors the process has open.
 */
#ifndef WARDI_TESTKIT_FDS_H
#define WARDI_TESTKIT_FDS_H

#include <stddef.h>

struct wardi_kit_fds {
	int *numbers;
	size_t count;
};

/* Fails the test if that cannot be known. */
void wardi_kit_fds_take(struct wardi_kit_fds *fds);
void wardi_kit_fds_finish(struct wardi_kit_fds *fds);
/* Gives how many are open now that were not then, and writes "7 -> pipe:[42], ..." about them. */
size_t wardi_kit_fds_new(const struct wardi_kit_fds *then, char *text, size_t max);

#endif
