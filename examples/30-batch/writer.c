/* SPDX-License-Identifier: MIT
 *
 * writer.c - writes a batch, and fails when the store fails; and the store.
 *
 * It keeps nothing, so its restart loses nothing: the collector sends the batch again.
 */
#include <errno.h>

#include "batch.h"

int store_write(struct store *store, const struct batch *batch)
{
	if (store->failures > 0) {
		store->failures--;
		errno = ENOSPC;
		return -1;
	}
	if (batch->number <= store->last_batch)
		return 0;
	for (int i = 0; i < batch->count && store->row_count < STORE_MAX; i++)
		store->rows[store->row_count++] = batch->rows[i].number;
	store->last_batch = batch->number;
	store->batch_count++;
	return 0;
}

static ward_result writer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct store_args *args = ward_args(self);
	const struct batch *batch = ward_match(msg, batch);

	(void)state;
	if (!batch)
		return WARD_UNHANDLED;
	if (store_write(args->store, batch))
		return ward_failed_errno(self, "batch %d", (int)batch->number);
	return ward_answer(self, msg, batch);
}

const ward_behavior writer = {
	.name = "writer", .args = &ward_type_store_args, .receive = writer_receive};
