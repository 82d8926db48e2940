/* SPDX-License-Identifier: MIT
 *
 * table_check.h - checks the tables of the Akka 0.x profile before a start.
 */
#ifndef WARDI_TABLE_CHECK_H
#define WARDI_TABLE_CHECK_H

#include <ward/types.h>
#include <ward/zero.h>
#include <ward/zero_factory.h>

ward_err wardi_zero_check_component(const ward_zero_component *component);

ward_err wardi_zero_check_strategy(const ward_zero_strategy *strategy);

/* Whether the table, or a table nested in it, has a component with this behaviour. */
bool wardi_zero_has(const ward_zero_factory *factory, const ward_behavior *behavior);

/* Whether this entry ends a table. */
bool wardi_zero_is_end(const ward_zero_component *component);

/* Returns the props to spawn a component with. */
ward_props wardi_zero_props(const ward_zero_component *component);

#endif
