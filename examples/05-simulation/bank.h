/* SPDX-License-Identifier: MIT
 *
 * bank.h - a bank for one customer, who wants a receipt for each deposit.
 */
#ifndef BANK_H
#define BANK_H

#include <stdbool.h>
#include <ward/ward.h>

enum { DEPOSITS = 5 };

/* Outlives failures: the book of the bank on disk, and the receipts of the customer. */
struct books {
	bool booked[DEPOSITS];
	bool receipts[DEPOSITS];
};

/* The arguments of all actors. */
struct world {
	struct books *books;
	ward_ref vault; /* for the clerk */
	ward_ref clerk; /* for the customer */
};
WARD_MESSAGE(world);

extern const ward_behavior vault, clerk, customer;

#endif
