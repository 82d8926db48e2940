/* SPDX-License-Identifier: MIT
 *
 * delivery_snapshot.c - saves unconfirmed messages over a restart and longer.
 *
 * Threads: a state belongs to its holder.
 */
#include "patterns/delivery/delivery_snapshot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ward/actor.h>

#include "common/refusal.h"
#include "patterns/delivery/delivery.h"
#include "patterns/delivery/delivery_ids.h"

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
	ward_err refused; /* the error of the first clone that refused */
	struct kept at[];
};

/* Carries a state over a restart: the body of a message to the actor itself. */
struct wardi_delivery_pack {
	uint64_t place; /* identifies the ward_delivery within the actor */
	ward_delivery_state *state;
	struct wardi_delivery_pack *next; /* in the list of those that arrived before the start */
};

/* ---- saving a state ---------------------------------------------------------------------- */

static ward_err copy_body(struct kept *kept, const void *body)
{
	void *copy = malloc(kept->size > 0 ? kept->size : 1);
	ward_err err = WARD_OK;

	if (copy == NULL)
		return ward_refused(WARD_ENOMEM, "no memory to keep a message");
	memcpy(copy, body, kept->size);
	if (kept->type->drop != NULL)
		err = wardi_clone(kept->type, copy, body);
	if (err == WARD_OK)
		kept->body = copy;
	else
		free(copy);
	return err;
}

/* Adds a copy. Returns WARD_ENOMEM; a message whose clone refuses for good is left out, and noted
 * in the state. */
static ward_err copy_one(ward_delivery_state *state, const struct kept *from)
{
	struct kept *kept = &state->at[state->count];
	ward_err err = WARD_OK;

	*kept = *from;
	kept->body = NULL;
	if (from->body != NULL)
		err = copy_body(kept, from->body);
	if (err == WARD_OK)
		state->count++;
	if (err == WARD_OK || err == WARD_ENOMEM)
		return err;
	if (state->refused == WARD_OK)
		state->refused = err;
	return WARD_OK;
}

static ward_err copy_list(ward_delivery_state *state, const struct wardi_delivery *one)
{
	ward_err err = WARD_OK;

	for (; one != NULL && err == WARD_OK; one = one->next) {
		const struct kept kept = {.id = one->id.tag,
					  .series = one->series,
					  .to = one->to,
					  .type = one->type,
					  .body = one->body,
					  .size = one->size};

		err = copy_one(state, &kept);
	}
	return err;
}

static size_t count_of(const struct wardi_delivery_pack *packs)
{
	size_t count = 0;

	for (const struct wardi_delivery_pack *pack = packs; pack != NULL; pack = pack->next)
		count += pack->state == NULL ? 0 : pack->state->count;
	return count;
}

size_t wardi_delivery_packed(const ward_delivery *delivery)
{
	return count_of(delivery->packs);
}

static ward_err copy_packs(ward_delivery_state *state, const struct wardi_delivery_pack *pack)
{
	ward_err err = WARD_OK;

	for (; pack != NULL; pack = pack->next) {
		const ward_delivery_state *from = pack->state;

		if (from == NULL)
			continue;
		if (state->next_id < from->next_id)
			state->next_id = from->next_id;
		for (size_t i = 0; i < from->count && err == WARD_OK; i++)
			err = copy_one(state, &from->at[i]);
	}
	return err;
}

static void drop_one(struct kept *kept)
{
	wardi_drop_unsent(kept->type, kept->body, kept->size);
	free(kept->body);
}

static int by_id(const void *a, const void *b)
{
	uint64_t one = ((const struct kept *)a)->id, other = ((const struct kept *)b)->id;

	return one < other ? -1 : one > other;
}

/* Sorts by id, and drops duplicates. */
static void put_in_order(ward_delivery_state *state)
{
	size_t count = 0;

	qsort(state->at, state->count, sizeof(state->at[0]), by_id);
	for (size_t i = 0; i < state->count; i++) {
		if (count > 0 && state->at[count - 1].id == state->at[i].id)
			drop_one(&state->at[i]);
		else
			state->at[count++] = state->at[i];
	}
	state->count = count;
}

/* Copies all unconfirmed messages, with those in `packs`, which arrived before the start. Returns
 * WARD_ENOMEM; see also state->refused. */
static ward_err take(const ward_delivery *delivery, const struct wardi_delivery_pack *packs,
		     ward_delivery_state **ret_state)
{
	size_t count = delivery->count + count_of(packs);
	ward_delivery_state *state = calloc(1, sizeof *state + count * sizeof(state->at[0]));
	ward_err err;

	if (state == NULL)
		return ward_refused(WARD_ENOMEM, "no memory to keep %zu messages", count);
	state->next_id = delivery->next_id;
	err = copy_list(state, delivery->sent[0]);
	if (err == WARD_OK)
		err = copy_list(state, delivery->waiting[0]);
	if (err == WARD_OK)
		err = copy_packs(state, packs);
	if (err != WARD_OK) {
		ward_delivery_state_drop(state);
		return err;
	}
	put_in_order(state);
	*ret_state = state;
	return WARD_OK;
}

ward_err ward_delivery_take(const ward_delivery *delivery, ward_delivery_state **ret_state)
{
	ward_delivery_state *state = NULL;
	ward_err err = take(delivery, delivery->packs, &state);

	if (err == WARD_OK)
		err = state->refused;
	if (err == WARD_OK)
		*ret_state = state;
	else
		ward_delivery_state_drop(state);
	return err;
}

void ward_delivery_state_drop(ward_delivery_state *state)
{
	if (state == NULL)
		return;
	for (size_t i = 0; i < state->count; i++)
		drop_one(&state->at[i]);
	free(state);
}

/* ---- restoring a state ------------------------------------------------------------------- */

/* All that restoring a state needs, made before anything changes. */
struct intake {
	struct wardi_delivery *ends[2]; /* the messages that are not here yet, linked by `next` */
	struct wardi_tag *notes;        /* of the ids of these messages */
};

/* Returns a message that cannot be restored because its id is taken, or NULL. */
static const struct kept *clash(const ward_delivery *delivery, const ward_delivery_state *state)
{
	for (size_t i = 0; i < state->count; i++)
		if (wardi_delivery_id_is_taken(delivery, state->at[i].id, state->at[i].series))
			return &state->at[i];
	return NULL;
}

/* Makes a message without its body if its clone refuses for good, so that the others need not wait
 * for it. */
static ward_err make_one(ward_self *self, const struct kept *kept, struct wardi_delivery **ret_one)
{
	ward_err err =
		wardi_delivery_make(self, kept->to, kept->type, kept->body, kept->size, ret_one);

	if (err == WARD_OK || err == WARD_ENOMEM)
		return err;
	err = wardi_delivery_make(self, kept->to, kept->type, NULL, 0, ret_one);
	if (err == WARD_OK)
		(*ret_one)->refused = true;
	return err;
}

/* False: no memory. */
static bool make_all(ward_self *self, const ward_delivery *delivery,
		     const ward_delivery_state *state, struct intake *intake)
{
	for (size_t i = 0; i < state->count; i++) {
		const struct kept *kept = &state->at[i];
		struct wardi_delivery *one = NULL;

		if (wardi_tags_find(delivery->ids, kept->id) != NULL)
			continue;
		if (make_one(self, kept, &one) != WARD_OK)
			return false;
		one->id.tag = kept->id;
		one->series = kept->series;
		wardi_delivery_link(intake->ends, one, NULL);
		if (!one->refused &&
		    !wardi_delivery_id_note(self, delivery, kept->id, kept->series, &intake->notes))
			return false;
	}
	return true;
}

static void discard_all(ward_self *self, const struct intake *intake)
{
	struct wardi_delivery *first = intake->ends[0];

	for (struct wardi_delivery *next; first != NULL; first = next) {
		next = first->next;
		wardi_delivery_discard(self, first);
	}
	wardi_delivery_ids_forget(self, intake->notes);
}

static void give_up_one(ward_self *self, struct wardi_delivery *one)
{
	wardi_delivery_dead(self, one->type);
	wardi_delivery_discard(self, one);
}

/* Inserts them in front of the waiting messages, in order. Cannot fail: without memory the tables
 * only have longer lists. */
static void take_up(ward_self *self, ward_delivery *delivery, const struct intake *intake)
{
	struct wardi_delivery *first = intake->ends[0], *before = delivery->waiting[0];

	wardi_delivery_ids_enter(self, delivery, intake->notes);
	for (struct wardi_delivery *next; first != NULL; first = next) {
		next = first->next;
		if (first->refused) {
			give_up_one(self, first);
			continue;
		}
		(void)wardi_tags_reserve(self, &delivery->ids);
		wardi_tags_insert(delivery->ids, &first->id, first->id.tag);
		wardi_delivery_link(delivery->waiting, first, before);
		delivery->count++;
	}
}

ward_err ward_try_delivery_restore(ward_self *self, ward_delivery *delivery,
				   const ward_delivery_state *state)
{
	struct intake intake = {{NULL, NULL}, NULL};
	const struct kept *other = state == NULL ? NULL : clash(delivery, state);

	if (delivery->options == NULL)
		return ward_refused(WARD_EINVAL, "ward_delivery_restore before ward_delivery_init");
	if (state == NULL)
		return WARD_OK;
	if (other != NULL)
		return ward_refused(WARD_EEXIST,
				    "ward_delivery_restore: another message had the id %" PRIu64
				    " of the state here: restore first, then deliver",
				    other->id);
	if (!wardi_tags_reserve(self, &delivery->ids) ||
	    !wardi_tags_reserve(self, &delivery->brought) ||
	    !wardi_delivery_ready(self, delivery) || !make_all(self, delivery, state, &intake) ||
	    !wardi_delivery_ids_begin_above(self, delivery, state->next_id)) {
		discard_all(self, &intake);
		wardi_delivery_rest(self, delivery);
		return ward_refused(WARD_ENOMEM, "no memory to restore %zu messages", state->count);
	}
	take_up(self, delivery, &intake);
	wardi_delivery_rest(self, delivery);
	(void)wardi_delivery_go_on(self, delivery); /* the timer is already early enough */
	return WARD_OK;
}

/* ---- in a message to the actor itself ---------------------------------------------------- */

/* Returns the offset in the state of the actor, which is the same in each incarnation. */
static uint64_t place_of(ward_self *self, const ward_delivery *delivery)
{
	return (uint64_t)((uintptr_t)delivery - (uintptr_t)ward_state(self));
}

static void drop_pack(void *body)
{
	ward_delivery_state_drop(((struct wardi_delivery_pack *)body)->state);
}

const ward_type wardi_type_delivery_kept = {.name = "ward.delivery_kept",
					    .size = sizeof(struct wardi_delivery_pack),
					    .flags = WARD_TYPE_QUIET | WARD_TYPE_NOT_INFLUENCING,
					    .drop = drop_pack};

/* Moves the state into a new message. On an error the pack keeps it. */
static ward_err pass_on(ward_self *self, struct wardi_delivery_pack *pack)
{
	ward_err err;

	if (pack->state == NULL)
		return WARD_OK;
	err = ward_try_send(self, ward_self_ref(self), &wardi_type_delivery_kept, pack,
			    sizeof *pack);
	if (err == WARD_OK)
		pack->state = NULL;
	return err;
}

/* The message owns its body, so the state may be moved out of it. */
static struct wardi_delivery_pack *pack_in(const ward_msg *msg)
{
	return (struct wardi_delivery_pack *)(uintptr_t)ward_msg_body(msg,
								      &wardi_type_delivery_kept);
}

/* Returns the first error of the two. */
static ward_err either(ward_err one, ward_err other)
{
	return one != WARD_OK ? one : other;
}

static ward_err pass_on_own(ward_self *self, const ward_delivery *delivery)
{
	struct wardi_delivery_pack pack = {.place = place_of(self, delivery)};
	ward_err err;

	if (delivery->count == 0)
		return WARD_OK;
	err = take(delivery, NULL, &pack.state);
	if (err != WARD_OK)
		return err;
	err = pack.state->refused;
	err = either(pass_on(self, &pack), err);
	ward_delivery_state_drop(pack.state);
	return err;
}

ward_err ward_try_delivery_keep(ward_self *self, const ward_delivery *delivery, const ward_msg *msg)
{
	struct wardi_delivery_pack *failed = msg == NULL ? NULL : pack_in(msg);
	ward_err err = failed == NULL ? WARD_OK : pass_on(self, failed);

	for (struct wardi_delivery_pack *pack = delivery->packs; pack != NULL; pack = pack->next)
		err = either(err, pass_on(self, pack));
	return either(err, pass_on_own(self, delivery));
}

ward_result wardi_delivery_failed(ward_self *self, ward_err err)
{
	return ward_failed(self, err == WARD_ENOMEM ? &ward_out_of_memory : &ward_misuse, "%s",
			   ward_err_detail());
}

/* The state can never be restored. The message may come again, so it is emptied. */
static ward_result give_up(ward_self *self, struct wardi_delivery_pack *pack)
{
	ward_result result = wardi_delivery_failed(self, WARD_EEXIST);

	ward_delivery_state_drop(pack->state);
	pack->state = NULL;
	return result;
}

/* Without memory the state is sent again, to this or a later incarnation. If that finds no memory
 * either, ward_delivery_keep() finds the state in the message that failed. */
static ward_result come_again(ward_self *self, struct wardi_delivery_pack *pack)
{
	ward_result result = wardi_delivery_failed(self, WARD_ENOMEM);

	(void)!pass_on(self, pack);
	return result;
}

/* Queues the pack behind earlier ones. It is freed with the incarnation, like all that is taken. */
static ward_result put_by(ward_self *self, ward_delivery *delivery,
			  struct wardi_delivery_pack *received)
{
	struct wardi_delivery_pack **end = &delivery->packs;
	struct wardi_delivery_pack *pack = ward_take_body(self, &wardi_type_delivery_kept);

	if (pack == NULL)
		return come_again(self, received);
	while (*end != NULL)
		end = &(*end)->next;
	pack->next = NULL;
	*end = pack;
	return WARD_DONE;
}

ward_err wardi_delivery_unpack(ward_self *self, ward_delivery *delivery)
{
	ward_err err = WARD_OK;

	while (delivery->packs != NULL && err == WARD_OK) {
		struct wardi_delivery_pack *pack = delivery->packs;

		err = ward_try_delivery_restore(self, delivery, pack->state);
		if (err == WARD_ENOMEM)
			return err;
		delivery->packs = pack->next;
		ward_discard(self, pack);
	}
	return err;
}

ward_result wardi_delivery_kept(ward_self *self, ward_delivery *delivery, const ward_msg *msg)
{
	struct wardi_delivery_pack *pack = pack_in(msg);
	ward_err err;

	if (pack->place != place_of(self, delivery))
		return WARD_UNHANDLED;
	if (delivery->options == NULL)
		return put_by(self, delivery, pack);
	err = ward_try_delivery_restore(self, delivery, pack->state);
	if (err == WARD_OK)
		return WARD_DONE;
	return err == WARD_ENOMEM ? come_again(self, pack) : give_up(self, pack);
}
