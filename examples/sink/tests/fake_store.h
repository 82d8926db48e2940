/* SPDX-License-Identifier: MIT
 *
 * fake_store.h - store.h on a database in memory, to which the world of the test happens.
 *
 * It is linked in the place of store.c, store_files.c and store_walk.c, and means by each call what
 * they mean. The database outlives its connections, the systems and the jobs, until
 * fake_store_begin() makes an empty disk again.
 */
#ifndef SINK_TESTS_FAKE_STORE_H
#define SINK_TESTS_FAKE_STORE_H

#include "../store.h"
#include "world.h"

/* An empty disk. */
void fake_store_begin(void);
void fake_store_end(void);

/* How far a source is committed, without a gap and unharmed. */
int64_t fake_store_end_of(uint32_t source);
/* How often committed rows were harmed, or went with a database that was set aside. */
uint64_t fake_store_losses(void);
/* How many databases were set aside. */
int fake_store_asides(void);
/* Whether a check finds damage. */
bool fake_store_is_rotten(void);
/* Whether two committed rows of a source overlap. */
bool fake_store_has_overlap(void);
/* Whether somebody has a connection. */
bool fake_store_is_open(void);

/* ---- for the saboteur -------------------------------------------------------------------- */

void fake_store_lock(int64_t ms);
/* Changes rows, but none of the sources whose input is gone; nobody is told. */
void fake_store_rot(void);
/* Drops what was committed last. */
void fake_store_vanish(void);

#endif
