/* SPDX-License-Identifier: MIT
 *
 * points.h - makes and frees what only a simulated system has. The points are in cell/points.h.
 */
#ifndef WARDI_POINTS_H
#define WARDI_POINTS_H

#include <ward/simulation.h>
#include <ward/types.h>

#include "cell/self.h"

/* WARD_OK, or WARD_ENOMEM. Before any thread runs. */
ward_err wardi_seam_create(ward_system *system);
/* Takes NULL and half-built. */
void wardi_seam_destroy(ward_system *system);

#endif
