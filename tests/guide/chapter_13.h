/* SPDX-License-Identifier: MIT
 *
 * chapter_13.h - what chapter 13 leaves out: a bank, a library and a warehouse.
 */
#include <inttypes.h>
#include <stdio.h>

#include <ward/breaker.h>
#include <ward/delivery.h>
#include <ward/retry.h>
#include <ward/ward.h>

struct check_card {
	uint64_t customer;
};
WARD_MESSAGE(check_card);
WARD_SIGNAL(card_is_good);
WARD_REPLY(check_card, card_is_good);

enum { BUSY_AT_FIRST = 3, BOOKS = 4 };
struct borrow {
	uint64_t book;
};
WARD_MESSAGE(borrow);
struct lent {
	bool busy;
};
WARD_MESSAGE(lent);
WARD_REPLY(borrow, lent);

struct order {
	uint64_t id;
};
WARD_MESSAGE(order);
struct shop_args {
	ward_ref warehouse;
};

struct reader {
	struct ward_retry retry;
};
struct shop {
	struct ward_delivery out;
};

void tell_people(ward_self *self, void *state, ward_breaker *breaker, ward_breaker_state from);
static bool comes_again(const ward_msg *msg);

static struct {
	struct ward_breaker breaker;
	struct ward_retry retry;
	struct ward_delivery out;
	ward_ref bank;
	uint64_t customer;
} * me;
static const struct shop_args *args;
static const struct borrow *borrow;
static const struct order *order;
static ward_ref at;
static int times;
static ward_err err;
