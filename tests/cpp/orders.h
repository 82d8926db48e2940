/* SPDX-License-Identifier: MIT
 *
 * orders.h - a message that C and C++ share, and what the files of these tests have by one name.
 */
#ifndef ORDERS_H
#define ORDERS_H

#include <ward/ward.h>

struct order {
	int number;
};
WARD_MESSAGE(order);

WARD_BEGIN

/* The type as C has it. */
const ward_type *orders_in_c(void);

WARD_END

#ifdef __cplusplus
/* Those of orders.cc, by the names of test_names.cc. */
const ward_type *orders_of_shop(void);
const ward_type *orders_unnamed(void);
const ward_type *orders_within(void);
#endif

#endif
