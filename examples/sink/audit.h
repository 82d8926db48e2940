/* SPDX-License-Identifier: MIT
 *
 * audit.h - the last word: every accepted line is in the database exactly once, or it is not.
 */
#ifndef SINK_AUDIT_H
#define SINK_AUDIT_H

#include <stdint.h>

#include "sources.h"
#include "store.h"

struct audit {
	int64_t read; /* lines accepted, in this run or an earlier one */
	int64_t stored;
	int64_t quarantined;
	int64_t lost;       /* not there, or not as they were read */
	int64_t duplicated; /* there more than once, or never read */
};

/*
 * Opens the database again, checks it, and holds it against the input: each source that is still
 * there is read again from its beginning to `acked`, and each line must meet its one row; what lies
 * beyond is still to be stored, by the next run. Of a source that is gone the rows are counted and
 * must be as many as were ever accepted.
 *
 * Sets `lines` and `verified` of each source, and `acked` where that is unknown. Anything but
 * STORE_OK: no verdict, and why.
 */
enum store_result audit_run(const char *path, struct sources *sources, size_t line_max,
			    struct audit *ret_audit, struct why *why);

/* Whether nothing was lost and nothing is there twice. */
static inline bool audit_is_clean(const struct audit *audit)
{
	return audit->lost == 0 && audit->duplicated == 0 &&
	       audit->read == audit->stored + audit->quarantined;
}

#endif
