/* SPDX-License-Identifier: MIT
 *
 * foreign_call.c - the depth of calls of foreign code on this thread.
 */
#include "base/foreign_call.h"

_Thread_local uint32_t wardi_foreign_calls;
