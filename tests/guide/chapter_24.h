/* SPDX-License-Identifier: MIT
 *
 * chapter_24.h - what chapter 24 leaves out around its pieces.
 */
#include <stdint.h>

struct session;
static struct session *me;
static uint64_t length;
