/* SPDX-License-Identifier: MIT
 *
 * empty.c - a shared object that has no module in it.
 */
#include <ward/types.h>

WARD_API extern const int not_a_module;
WARD_API const int not_a_module = 1;
