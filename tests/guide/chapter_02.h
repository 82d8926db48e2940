/* SPDX-License-Identifier: MIT
 *
 * chapter_02.h - what chapter 2 leaves out: the actors around its pieces.
 */
#include <ward/ward.h>

extern const ward_behavior logging;

static ward_system *system;
static struct store *me;
