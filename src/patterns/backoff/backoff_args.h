/* SPDX-License-Identifier: MIT
 *
 * backoff_args.h - checks and copies the options of a back-off supervisor.
 */
#ifndef WARDI_BACKOFF_ARGS_H
#define WARDI_BACKOFF_ARGS_H

#include <ward/types.h>

struct ward_backoff;

/* Returns whether there is a limit, of the options or else of their strategy. *ret_max: the limit;
 * WARD_RESTARTS_NONE is 0. */
bool wardi_backoff_max(const struct ward_backoff *args, uint32_t *ret_max);

/* Returns the window of the options, or else of their strategy. 0: none. */
int64_t wardi_backoff_window_ms(const struct ward_backoff *args);

extern const ward_type wardi_type_backoff_on_failure;

/* The argument types of the two kinds; cloning checks the arguments. */
extern const ward_type wardi_type_backoff_on_stop;

#endif
