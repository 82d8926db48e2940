/* SPDX-License-Identifier: MIT
 *
 * guardian.h - the actors at the top of a system.
 */
#ifndef WARDI_GUARDIAN_H
#define WARDI_GUARDIAN_H

#include <ward/types.h>

#include "cell/self.h"

/* Before the threads run. After an error some guardians may exist, to be abandoned. */
ward_err wardi_guardians_create(ward_system *system);
/* Makes them run, when all threads are there. */
void wardi_guardians_start(ward_system *system);
/* Frees what guardians own that were never started; their cells go with the table. */
void wardi_guardians_abandon(ward_system *system);

#endif
