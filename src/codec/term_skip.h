/* SPDX-License-Identifier: MIT
 *
 * term_skip.h - goes behind any term.
 */
#ifndef WARDI_TERM_SKIP_H
#define WARDI_TERM_SKIP_H

#include "codec/get.h"

/* Goes behind any term, however deep: O(its bytes), without recursion. */
ward_err wardi_term_skip(struct wardi_get *get, const ward_field *field);

#endif
