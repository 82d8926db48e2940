/* SPDX-License-Identifier: MIT
 *
 * orders_in_c.c - the message of orders.h, as C has it.
 */
#include "cpp/orders.h"

const ward_type *orders_in_c(void)
{
	return &ward_type_order;
}
