/* SPDX-License-Identifier: MIT
 *
 * backoff_args.h - the options of a back-off supervisor: whether they fit together, and the copy
 * that it keeps.
 */
#ifndef WARDI_BACKOFF_ARGS_H
#define WARDI_BACKOFF_ARGS_H

#include <ward/types.h>

struct ward_backoff;

/* The limits of the options, or of their strategy; WARD_RESTARTS_NONE as 0 with *ret_max. False:
 * there is no limit. */
bool wardi_backoff_max(const struct ward_backoff *args, uint32_t *ret_max);

/* 0: no window. */
int64_t wardi_backoff_window_ms(const struct ward_backoff *args);

extern const ward_type wardi_type_backoff_on_failure;

/* The arguments of each kind; a copy is checked. */
extern const ward_type wardi_type_backoff_on_stop;

#endif
