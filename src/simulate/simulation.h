/* SPDX-License-Identifier: MIT
 *
 * simulation.h - what the runtime asks the driver of a simulation, at its points.
 */
#ifndef WARDI_SIMULATION_H
#define WARDI_SIMULATION_H

#include <ward/simulation.h>

#include "cell/self.h"

/* The scheduler's hook; NULL: it draws by itself. */
size_t (*wardi_simulation_chooser(const ward_system *system))(struct wardi_worker *worker,
							      size_t count);

#endif
