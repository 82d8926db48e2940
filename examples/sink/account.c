/* SPDX-License-Identifier: MIT
 *
 * account.c - what was asked for, what is acknowledged, what comes next; see ledger.h.
 *
 * For each source: 0 <= acked <= asked <= limit. Lines between acked and asked are on their way, in
 * the window; those of a request that is out may be acknowledged before asked has moved. When
 * anything goes wrong, asked falls back to acked: nothing is lost by forgetting, since what is not
 * acknowledged is still in the input, and what comes twice is stored once.
 */
#include "ledger.h"

void account_init(struct account *account, struct place *places, const struct sources *sources)
{
	*account = (struct account){
		.places = places, .count = (uint32_t)sources->count, .out_max = WINDOW_MAX};
	for (uint32_t i = 0; i < account->count; i++) {
		const struct source *source = &sources->all[i];
		places[i] = (struct place){
			.id = source->id,
			.readable = source->fd >= 0,
			.complete = source->complete,
			.limit = source->limit,
		};
	}
}

void account_open(struct account *account)
{
	account->known = true;
	for (uint32_t i = 0; i < account->count; i++)
		account->places[i].acked = 0;
}

void account_mark(struct account *account, uint32_t id, int64_t end, int64_t tail)
{
	for (uint32_t i = 0; i < account->count; i++) {
		struct place *place = &account->places[i];
		if (place->id != id)
			continue;
		/* A last line that had no end may have got one: then it is read again. */
		place->acked = tail >= 0 && place->limit > end ? tail : end;
	}
}

void account_rewind(struct account *account)
{
	window_forget(&account->window);
	account->asking = false;
	for (uint32_t i = 0; i < account->count; i++) {
		account->places[i].asked = account->places[i].acked;
		account->places[i].at_end = false;
	}
}

static bool has_more(const struct place *place)
{
	return place->readable && !place->at_end && place->asked < place->limit;
}

static int choose(const struct account *account, int first)
{
	if (first >= 0 && has_more(&account->places[first]))
		return first;
	for (uint32_t i = 0; i < account->count; i++)
		if (has_more(&account->places[i]))
			return (int)i;
	return NO_SOURCE;
}

bool account_ask(struct account *account, int first, struct request *ret_request)
{
	int source = choose(account, first);
	if (source == NO_SOURCE || account->asking || window_room(&account->window) < REQUEST_MAX ||
	    account->window.out >= account->out_max || account->window.bytes >= BYTES_OUT_MAX)
		return false;
	const struct place *place = &account->places[source];
	account->asking = true;
	account->request = (struct request){
		.number = window_reserve(&account->window, REQUEST_MAX),
		.source = (uint32_t)source,
		.count = REQUEST_MAX,
		.offset = place->asked,
		.limit = place->limit,
		.complete = place->complete,
	};
	*ret_request = account->request;
	return true;
}

bool account_line(struct account *account, uint64_t number, uint32_t source, uint32_t length,
		  int64_t end)
{
	return window_send(&account->window, number, source, length, end);
}

/* Takes settled lines out, in order; the last of each source says how far that is acknowledged. */
static void advance(struct account *account)
{
	struct flight flight;
	while (window_advance(&account->window, &flight))
		if (flight.end >= 0)
			account->places[flight.source].acked = flight.end;
}

/* A line without end is read from its beginning each time. So a long one is looked at again only
 * when it has grown to twice its length: thus each byte is read a few times, however long it is. */
static bool is_worth_a_look(const struct place *place)
{
	int64_t unread = place->limit - place->asked;
	return place->complete || unread < TAIL_SHORT || unread >= 2 * place->tail;
}

bool account_read(struct account *account, uint64_t number, uint32_t sent, int64_t next,
		  bool at_end)
{
	const struct request *request = &account->request;
	struct place *place = &account->places[request->source];
	if (!account->asking || number != request->number)
		return false;
	/* Its answer comes behind its lines. One that is not here by now was lost, and its number
	 * would hold up all behind it. */
	if (window_is_missing(&account->window, number, sent)) {
		account_rewind(account);
		return true;
	}
	account->asking = false;
	place->asked = next;
	place->tail = request->limit - next;
	/* If the source has grown, the end that the reader met is no longer its end. */
	bool grew = request->limit != place->limit || request->complete != place->complete;
	place->at_end = at_end && !(grew && is_worth_a_look(place));
	/* What is complete has no tail. It was cut since we looked at its size. */
	if (at_end && request->complete)
		place->limit = next;
	window_skip(&account->window, number + sent, request->count - sent);
	advance(account);
	return true;
}

void account_grow(struct account *account, uint32_t source, int64_t size, bool complete)
{
	struct place *place = &account->places[source];
	place->limit = size;
	place->complete = complete;
	if (is_worth_a_look(place))
		place->at_end = false;
}

void account_complete(struct account *account, uint32_t source)
{
	account_grow(account, source, account->places[source].limit, true);
}

bool account_stored(struct account *account, uint64_t number)
{
	if (!window_settle(&account->window, number))
		return false;
	advance(account);
	return true;
}

bool account_is_idle(const struct account *account)
{
	return !account->asking && account->window.out == 0 &&
	       choose(account, NO_SOURCE) == NO_SOURCE;
}

bool account_is_done(const struct account *account)
{
	for (uint32_t i = 0; i < account->count; i++)
		if (account->places[i].readable && !account->places[i].complete)
			return false;
	return account_is_idle(account);
}
