/* SPDX-License-Identifier: MIT
 *
 * segments.h - a crowd that fills the first segment that may go, and a test that tidies: it says
 * what the time is.
 */
#ifndef UNIT_CELL_SEGMENTS_H
#define UNIT_CELL_SEGMENTS_H

#include "cell/segments.h"

#include "cell/self.h"
#include "support/script.h"

enum {
	GUARDIANS = 3,
	CELLS = 2048, /* of the segment */
	CROWD = WARDI_TABLE_KEPT + CELLS - GUARDIANS,
	SLOT = 3000 /* one of the segment */
};

/* As long as there is something to do at this time. */
static inline void tidy(ward_system *system, int64_t now_ns)
{
	while (wardi_segments_tidy(system, now_ns) <= now_ns)
		continue;
}

static inline bool is_gone(ward_system *system)
{
	bool gone;

	wardi_mutex_lock(&system->table.mu);
	gone = system->table.gone != NULL;
	wardi_mutex_unlock(&system->table.mu);
	return gone;
}

static inline bool is_leaving(ward_system *system)
{
	bool leaving;

	wardi_mutex_lock(&system->table.mu);
	leaving = !wardi_list_empty(&system->table.leaving);
	wardi_mutex_unlock(&system->table.mu);
	return leaving;
}

/* Returns the one of SLOT. */
static inline ward_ref spawn_crowd(ward_system *system, const ward_behavior *behavior,
				   ward_ref crowd[CROWD])
{
	ward_ref old = ward_nobody();

	for (int i = 0; i < CROWD; i++) {
		ward_assert_ok(ward_system_spawn(system, WARD_PROPS(behavior), &crowd[i]));
		if (wardi_uid_slot(crowd[i].uid) == SLOT)
			old = crowd[i];
	}
	return old;
}

#endif
