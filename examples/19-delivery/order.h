/* SPDX-License-Identifier: MIT
 *
 * order.h - what a shop sends to its warehouse.
 */
#ifndef ORDER_H
#define ORDER_H

#include <ward/ward.h>

struct order {
	uint64_t id; /* of the delivery: to confirm it, and to recognise it */
	char what[16];
};
WARD_MESSAGE(order);

extern const ward_behavior warehouse;

#endif
