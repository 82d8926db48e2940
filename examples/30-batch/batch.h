/* SPDX-License-Identifier: MIT
 *
 * batch.h - rows, which are collected and written in batches, and the store that they go to.
 */
#ifndef BATCH_H
#define BATCH_H

#include <ward/ward.h>

enum { BATCH_MAX = 4, WAIT_MS = 200, RETRY_MS = 500, HELD_MAX = 64, STORE_MAX = 256 };

struct row {
	int number;
};
WARD_MESSAGE_FLAT(row);
WARD_SIGNAL(row_refused); /* to the sender: HELD_MAX rows wait already */

struct batch {
	uint64_t number;
	int count;
	struct row rows[BATCH_MAX];
};
WARD_MESSAGE_FLAT(batch);
WARD_SIGNAL(written);
WARD_REPLY(batch, written);

/* Stands for a database, in which a batch is one transaction. A batch that is written twice changes
 * nothing the second time. */
struct store {
	uint64_t last_batch;
	int row_count;
	int rows[STORE_MAX];
	int batch_count;
	int failures; /* the next writes fail */
};
/* Returns 0, or -1 and sets errno. */
int store_write(struct store *store, const struct batch *batch);

/* The arguments of both actors. */
struct store_args {
	struct store *store;
};
WARD_MESSAGE(store_args);
extern const ward_behavior collector, writer;

#endif
