/* SPDX-License-Identifier: MIT
 *
 * delivery_state.c - what is unconfirmed, kept over a restart and longer.
 *
 * single-threaded: a state is its holder's alone.
 */
#include "patterns/delivery.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ward/actor.h>

struct kept {
	uint64_t id, series;
	ward_ref to;
	const ward_type *type;
	void *body; /* NULL: all zero */
	size_t size;
};

struct ward_delivery_state {
	uint64_t next_id;
	size_t count;
	struct kept at[];
};

/* ---- making one -------------------------------------------------------------------------- */

static ward_err copy_body(struct kept *kept, const void *body)
{
	void *copy = malloc(kept->size > 0 ? kept->size : 1);
	ward_err err = WARD_OK;

	if (copy == NULL)
		return ward_refused(WARD_ENOMEM, "no memory to keep a message");
	memcpy(copy, body, kept->size);
	if (kept->type->drop != NULL)
		err = kept->type->clone(copy, body);
	if (err == WARD_OK)
		kept->body = copy;
	else
		free(copy);
	return err;
}

static ward_err copy_one(ward_delivery_state *state, const struct wardi_delivery *one)
{
	struct kept *kept = &state->at[state->count];

	*kept = (struct kept){.id = one->id.tag,
			      .series = one->series,
			      .to = one->to,
			      .type = one->type,
			      .size = one->size};
	state->count++;
	return one->body == NULL ? WARD_OK : copy_body(kept, one->body);
}

static int by_id(const void *a, const void *b)
{
	uint64_t one = ((const struct kept *)a)->id, other = ((const struct kept *)b)->id;

	return one < other ? -1 : one > other;
}

ward_err ward_delivery_take(const ward_delivery *delivery, ward_delivery_state **ret_state)
{
	ward_delivery_state *state =
		calloc(1, sizeof *state + delivery->count * sizeof(state->at[0]));
	struct wardi_delivery *const lists[] = {delivery->sent[0], delivery->waiting[0]};
	ward_err err = WARD_OK;

	if (state == NULL)
		return ward_refused(WARD_ENOMEM, "no memory to keep %u messages", delivery->count);
	state->next_id = delivery->next_id;
	for (int i = 0; i < 2; i++)
		for (const struct wardi_delivery *one = lists[i]; one != NULL && err == WARD_OK;
		     one = one->next)
			err = copy_one(state, one);
	if (err != WARD_OK) {
		ward_delivery_state_drop(state);
		return err;
	}
	qsort(state->at, state->count, sizeof(state->at[0]), by_id);
	*ret_state = state;
	return WARD_OK;
}

void ward_delivery_state_drop(ward_delivery_state *state)
{
	if (state == NULL)
		return;
	for (size_t i = 0; i < state->count; i++) {
		struct kept *kept = &state->at[i];

		wardi_drop_unsent(kept->type, kept->body, kept->size);
		free(kept->body);
	}
	free(state);
}

/* ---- and taking it up -------------------------------------------------------------------- */

/* Whether the id is that of another message here, also of one that is confirmed: its receiver
 * would take this one for that. */
static bool is_taken(const ward_delivery *delivery, const struct kept *kept)
{
	const struct wardi_delivery *here =
		(struct wardi_delivery *)wardi_tags_find(delivery->ids, kept->id);

	if (here != NULL)
		return here->series != kept->series;
	return kept->series != delivery->series && kept->id >= delivery->own_from &&
	       kept->id < delivery->next_id;
}

/* One that cannot be taken up. NULL: there is none. */
static const struct kept *clash(const ward_delivery *delivery, const ward_delivery_state *state)
{
	for (size_t i = 0; i < state->count; i++)
		if (is_taken(delivery, &state->at[i]))
			return &state->at[i];
	return NULL;
}

/* Those that are not here yet, linked by `next`. False: no memory. */
static bool make_all(ward_self *self, const ward_delivery *delivery,
		     const ward_delivery_state *state, struct wardi_delivery *ends[2])
{
	for (size_t i = 0; i < state->count; i++) {
		const struct kept *kept = &state->at[i];
		struct wardi_delivery *one;

		if (wardi_tags_find(delivery->ids, kept->id) != NULL)
			continue;
		one = wardi_delivery_make(self, kept->to, kept->type, kept->body, kept->size);
		if (one == NULL)
			return false;
		one->id.tag = kept->id;
		one->series = kept->series;
		wardi_delivery_link(ends, one, NULL);
	}
	return true;
}

static void discard_all(ward_self *self, struct wardi_delivery *first)
{
	for (struct wardi_delivery *next; first != NULL; first = next) {
		next = first->next;
		wardi_delivery_discard(self, first);
	}
}

/* In front of what waits, in order. Nothing can fail: the lists of the table may only be long. */
static void take_up(ward_self *self, ward_delivery *delivery, struct wardi_delivery *first)
{
	struct wardi_delivery *before = delivery->waiting[0];

	for (struct wardi_delivery *next; first != NULL; first = next) {
		next = first->next;
		(void)wardi_tags_reserve(self, &delivery->ids);
		wardi_tags_insert(delivery->ids, &first->id, first->id.tag);
		wardi_delivery_link(delivery->waiting, first, before);
		delivery->count++;
	}
}

static void begin_above(ward_delivery *delivery, uint64_t next_id)
{
	if (delivery->next_id >= next_id)
		return;
	if (delivery->own_from == delivery->next_id)
		delivery->own_from = next_id;
	delivery->next_id = next_id;
}

ward_err ward_delivery_restore(ward_self *self, ward_delivery *delivery,
			       const ward_delivery_state *state)
{
	struct wardi_delivery *ends[2] = {NULL, NULL};
	const struct kept *other = state == NULL ? NULL : clash(delivery, state);

	if (delivery->options == NULL)
		return ward_refused(WARD_EINVAL,
				    "ward_delivery_restore before ward_delivery_start");
	if (state == NULL)
		return WARD_OK;
	if (other != NULL)
		return ward_refused(WARD_EEXIST,
				    "ward_delivery_restore: another message had the id %" PRIu64
				    " of the state here: restore first, then deliver",
				    other->id);
	if (!wardi_tags_reserve(self, &delivery->ids) || !wardi_delivery_ready(self, delivery) ||
	    !make_all(self, delivery, state, ends)) {
		discard_all(self, ends[0]);
		wardi_delivery_rest(self, delivery);
		return ward_refused(WARD_ENOMEM, "no memory to take up %zu messages", state->count);
	}
	take_up(self, delivery, ends[0]);
	begin_above(delivery, state->next_id);
	wardi_delivery_rest(self, delivery);
	(void)wardi_delivery_go_on(self, delivery); /* the timer is early enough */
	return WARD_OK;
}

/* ---- in a message to oneself ------------------------------------------------------------- */

struct message {
	uint64_t place; /* tells several of one actor apart */
	ward_delivery_state *state;
};

/* The same in each incarnation. */
static uint64_t place_of(ward_self *self, const ward_delivery *delivery)
{
	return (uint64_t)((uintptr_t)delivery - (uintptr_t)ward_state(self));
}

static void drop_message(void *body)
{
	ward_delivery_state_drop(((struct message *)body)->state);
}

const ward_type wardi_type_delivery_kept = {.name = "ward.delivery_kept",
					    .size = sizeof(struct message),
					    .flags = WARD_TYPE_QUIET | WARD_TYPE_NOT_INFLUENCING,
					    .drop = drop_message};

/* Moves what it has into a new message. It keeps it where that is refused. */
static ward_err pass_on(ward_self *self, struct message *message)
{
	ward_err err = ward_try_send(self, ward_self_ref(self), &wardi_type_delivery_kept, message,
				     sizeof *message);

	if (err == WARD_OK)
		message->state = NULL;
	return err;
}

/* What a message has is its own, and may go from there. */
static struct message *message_of(const ward_msg *msg)
{
	return (struct message *)(uintptr_t)ward_msg_body(msg, &wardi_type_delivery_kept);
}

ward_err ward_delivery_keep(ward_self *self, const ward_delivery *delivery, const ward_msg *msg)
{
	struct message message = {.place = place_of(self, delivery)};
	struct message *failed = msg == NULL ? NULL : message_of(msg);
	ward_err err_of_failed = WARD_OK, err;

	if (failed != NULL && failed->state != NULL)
		err_of_failed = pass_on(self, failed);
	err = ward_delivery_take(delivery, &message.state);
	if (err == WARD_OK)
		err = pass_on(self, &message);
	ward_delivery_state_drop(message.state);
	return err != WARD_OK ? err : err_of_failed;
}

/* They never can be taken up. Since the message may come again, it is left without them. */
static ward_result give_up(ward_self *self, struct message *message)
{
	ward_result result = ward_failed(self, &ward_misuse, "%s", ward_err_detail());

	ward_delivery_state_drop(message->state);
	message->state = NULL;
	return result;
}

/* Without memory it comes again, in whatever incarnation; and where there is none for that, either,
 * ward_delivery_keep() finds it in the message that failed. */
static ward_result come_again(ward_self *self, struct message *message)
{
	ward_result result = ward_failed(self, &ward_out_of_memory, "%s", ward_err_detail());

	(void)!pass_on(self, message);
	return result;
}

ward_result wardi_delivery_kept(ward_self *self, ward_delivery *delivery, const ward_msg *msg)
{
	struct message *message = message_of(msg);
	ward_err err;

	if (message->place != place_of(self, delivery))
		return WARD_UNHANDLED;
	err = ward_delivery_restore(self, delivery, message->state);
	if (err == WARD_OK)
		return WARD_DONE;
	return err == WARD_ENOMEM ? come_again(self, message) : give_up(self, message);
}
