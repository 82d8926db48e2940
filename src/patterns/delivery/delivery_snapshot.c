/* SPDX-License-Identifier: MIT
 *
 * delivery_snapshot.c - what is unconfirmed, kept over a restart and longer.
 *
 * single-threaded: a state is its holder's alone.
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
	ward_err refused; /* what the first clone said that did not make one for it */
	struct kept at[];
};

/* What brings a state over a restart: the body of a message to oneself. */
struct wardi_delivery_pack {
	uint64_t place; /* tells several of one actor apart */
	ward_delivery_state *state;
	struct wardi_delivery_pack *next; /* of those that came before the start */
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
		err = wardi_clone(kept->type, copy, body);
	if (err == WARD_OK)
		kept->body = copy;
	else
		free(copy);
	return err;
}

/* WARD_ENOMEM. What there never will be a copy of is left out, and said of the state. */
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

/* In order of the ids; what was kept several times, once. */
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

/* packs: what came before the start, too. WARD_ENOMEM; and see state->refused. */
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

/* ---- and taking it up -------------------------------------------------------------------- */

/* What it takes to take up a state, all of it made before anything changes. */
struct intake {
	struct wardi_delivery *ends[2]; /* those that are not here yet, linked by `next` */
	struct wardi_tag *notes;        /* of their ids */
};

/* One that cannot be taken up. NULL: there is none. */
static const struct kept *clash(const ward_delivery *delivery, const ward_delivery_state *state)
{
	for (size_t i = 0; i < state->count; i++)
		if (wardi_delivery_id_is_taken(delivery, state->at[i].id, state->at[i].series))
			return &state->at[i];
	return NULL;
}

/* Without its body, where its clone refuses for good: the others are not to wait for it. */
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

/* In front of what waits, in order. Nothing can fail: the lists of the tables may only be long. */
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
		return ward_refused(WARD_ENOMEM, "no memory to take up %zu messages", state->count);
	}
	take_up(self, delivery, &intake);
	wardi_delivery_rest(self, delivery);
	(void)wardi_delivery_go_on(self, delivery); /* the timer is early enough */
	return WARD_OK;
}

/* ---- in a message to oneself ------------------------------------------------------------- */

/* The same in each incarnation. */
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

/* Moves what it has into a new message. It keeps it where that is refused. */
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

/* What a message has is its own, and may go from there. */
static struct wardi_delivery_pack *pack_in(const ward_msg *msg)
{
	return (struct wardi_delivery_pack *)(uintptr_t)ward_msg_body(msg,
								      &wardi_type_delivery_kept);
}

/* The first of them to speak. */
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

/* They never can be taken up. Since the message may come again, it is left without them. */
static ward_result give_up(ward_self *self, struct wardi_delivery_pack *pack)
{
	ward_result result = wardi_delivery_failed(self, WARD_EEXIST);

	ward_delivery_state_drop(pack->state);
	pack->state = NULL;
	return result;
}

/* Without memory it comes again, in whatever incarnation; and where there is none for that, either,
 * ward_delivery_keep() finds it in the message that failed. */
static ward_result come_again(ward_self *self, struct wardi_delivery_pack *pack)
{
	ward_result result = wardi_delivery_failed(self, WARD_ENOMEM);

	(void)!pass_on(self, pack);
	return result;
}

/* Behind those that came before it. It goes with the incarnation, as all that is taken. */
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
