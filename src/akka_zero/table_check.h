/* SPDX-License-Identifier: MIT
 *
 * table_check.h - the tables of the Akka 0.x profile: whether they could be started.
 */
#ifndef WARDI_TABLE_CHECK_H
#define WARDI_TABLE_CHECK_H

#include <ward/types.h>
#include <ward/zero.h>
#include <ward/zero_factory.h>

ward_err wardi_zero_check_component(const ward_zero_component *component);

ward_err wardi_zero_check_strategy(const ward_zero_strategy *strategy);

/* Whether the table, or one below it, has a component of this kind. */
bool wardi_zero_has(const ward_zero_factory *factory, const ward_behavior *behavior);

/* Whether it is the one that ends a table. */
bool wardi_zero_is_end(const ward_zero_component *component);

/* What it takes to spawn it. */
ward_props wardi_zero_props(const ward_zero_component *component);

#endif
