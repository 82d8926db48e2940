/* SPDX-License-Identifier: MIT
 *
 * fake_inside.h - what the files of the fake store share.
 */
#ifndef SINK_TESTS_FAKE_INSIDE_H
#define SINK_TESTS_FAKE_INSIDE_H

#include "fake_rows.h"
#include "fake_store.h"

enum { FAKE_FILES_MAX = 16 };

/* One database: at its path, or set aside. */
struct fake_file {
	struct fake_rows rows;
	bool rotten; /* a check finds damage */
};

struct fake_disk {
	/* The first is at the path; then those that were set aside, oldest first. */
	struct fake_file files[FAKE_FILES_MAX];
	int count;
	int64_t locked_until, away_until, full_until; /* ms */
	uint64_t losses;
	int connections;
};
extern struct fake_disk fake_disk;

struct store {
	struct fake_file *file;
	struct fake_rows pending;
	bool in_transaction;
	bool squeezed;
	uint64_t puts_left; /* while it is squeezed */
};

struct store *fake_connect(struct fake_file *file);
enum store_result fake_tell(enum store_result result, const char *text, struct why *why);
/* Lets happen what the plan has for this call. STORE_OK: nothing, or nothing that shows at once. */
enum store_result fake_strike(enum spot place, struct why *why);

#endif
