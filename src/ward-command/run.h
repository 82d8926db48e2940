/* SPDX-License-Identifier: MIT
 *
 * run.h - `ward run FILE`.
 */
#ifndef WARD_COMMAND_RUN_H
#define WARD_COMMAND_RUN_H

#include "ward-command/options.h"

/* Runs the tree of the file until its end. Returns the exit status. */
int run(const struct options *options);

#endif
