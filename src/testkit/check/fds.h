/* SPDX-License-Identifier: MIT
 *
 * fds.h - which descriptors the process has open.
 */
#ifndef WARDI_TESTKIT_FDS_H
#define WARDI_TESTKIT_FDS_H

#include <stdbool.h>
#include <stddef.h>

struct wardi_kit_fds {
	int *numbers;
	size_t count;
};

/* False: errno says why it cannot be known; there are none in it then. */
bool wardi_kit_fds_take(struct wardi_kit_fds *fds);
void wardi_kit_fds_finish(struct wardi_kit_fds *fds);
/* Returns how many of them were not open then, and are the program's; writes "7 -> pipe:[42], ..."
 * about these. */
size_t wardi_kit_fds_new(const struct wardi_kit_fds *now, const struct wardi_kit_fds *then,
			 char *text, size_t max);

#endif
