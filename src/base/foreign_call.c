/* SPDX-License-Identifier: MIT
 *
 * foreign_call.c - how many calls of foreign code this thread is in.
 */
#include "base/foreign_call.h"

_Thread_local uint32_t wardi_foreign_calls;
