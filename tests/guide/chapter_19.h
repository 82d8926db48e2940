/* SPDX-License-Identifier: MIT
 *
 * chapter_19.h - what chapter 19 leaves out: the behaviours of a shop.
 */
#include <ward/bridge.h>
#include <ward/config.h>
#include <ward/ward.h>

extern const ward_failure_class jammed;
extern const ward_behavior journal, till;
extern const ward_subsystem shed;

static const struct house {
	const ward_config_children *children;
} * args;
