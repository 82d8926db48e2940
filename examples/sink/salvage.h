/* SPDX-License-Identifier: MIT
 *
 * salvage.h - lines whose input is gone, out of databases that were set aside.
 */
#ifndef SINK_SALVAGE_H
#define SINK_SALVAGE_H

#include "sources.h"
#include "store.h"

/*
 * Makes whole again, as far as it can be, each source that can no longer be read: a spool that
 * was released, a file that was deleted. Looks for the missing rows in the databases that were set
 * aside, the newest first. What is whole already costs one walk over its rows.
 *
 * Returns the number of rows that were found. Anything but STORE_OK: the open database refused
 * them.
 */
enum store_result salvage(struct store *store, const char *path, const struct sources *sources,
			  int64_t *ret_rows, struct why *why);

#endif
