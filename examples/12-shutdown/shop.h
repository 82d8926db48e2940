/* SPDX-License-Identifier: MIT
 *
 * shop.h - the actors of the shop, for main.
 */
#ifndef SHOP_H
#define SHOP_H

#include <ward/ward.h>

struct line {
	char text[80];
};
WARD_MESSAGE(line);
WARD_SIGNAL(order);
WARD_SIGNAL(accepted);
WARD_REPLY(order, accepted);

extern const ward_behavior logger, counter, signals;
extern ward_ref logger_ref; /* set before the other actors are started */

#endif
