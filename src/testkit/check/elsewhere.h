/* SPDX-License-Identifier: MIT
 *
 * elsewhere.h - WARD_FAR and WARD_LOOP: whether children live in a second system, and whether only
 * bytes go from one system to another. Empty is as if not set.
 */
#ifndef WARDI_TESTKIT_ELSEWHERE_H
#define WARDI_TESTKIT_ELSEWHERE_H

#include <stdbool.h>

/* WARD_FAR=1, or WARD_FAR=bytes. */
bool wardi_testkit_far(void);
bool wardi_testkit_far_by_bytes(void);
/* WARD_LOOP=bytes. */
bool wardi_testkit_loop_by_bytes(void);

/* False: the variable has another value. */
bool wardi_testkit_far_is_sound(void);
bool wardi_testkit_loop_is_sound(void);

#endif
