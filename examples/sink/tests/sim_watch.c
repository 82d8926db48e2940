/* SPDX-License-Identifier: MIT
 *
 * sim_watch.c - what must hold after each turn of a simulated run; see sim_inside.h.
 *
 * The spectator sees the ledger's state through the ledger's own callbacks: it calls them, and
 * notes where the state is, as long as there is one.
 */
#include "../messages.h"
#include "fake_store.h"
#include "sim_inside.h"

static void forget_ledger(void *arg)
{
	(void)arg;
	playing->ledger = NULL;
}

static ward_result watched_init(ward_self *self, void *state, const void *args)
{
	ward_defer(self, forget_ledger, NULL);
	ward_result result = ledger_behavior.init(self, state, args);
	if (result == WARD_DONE)
		playing->ledger = state;
	return result;
}

/* Whether all that the ledger takes for safe is committed. */
static bool all_committed(const struct story *story)
{
	for (uint32_t i = 0; story->ledger && i < story->ledger->account.count; i++) {
		const struct place *place = &story->ledger->account.places[i];
		if (place->acked > fake_store_end_of(place->id))
			return false;
	}
	return true;
}

static ward_result watched_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct line *line = ward_match(msg, line);
	bool ready = ward_match(msg, store_ready);
	if ((line && !line->condemned && world_strike(AT_LINE)) ||
	    (ward_match(msg, stored) && world_strike(AT_STORED)))
		return WARD_DONE;
	ward_result result = ledger_behavior.receive(self, state, msg);
	/* It has heard what the database holds, and it is so. */
	if (ready && all_committed(playing))
		playing->excused = false;
	return result;
}

static bool nothing_is_acknowledged_that_is_not_committed(void *arg)
{
	struct story *story = arg;
	if (fake_store_losses() != story->losses)
		story->excused = true;
	story->losses = fake_store_losses();
	return story->excused || all_committed(story);
}

static bool no_row_is_there_twice(void *arg)
{
	(void)arg;
	return !fake_store_has_overlap();
}

static bool the_account_is_consistent(void *arg)
{
	const struct story *story = arg;
	if (!story->ledger)
		return true;
	const struct account *account = &story->ledger->account;
	const struct window *window = &account->window;
	uint32_t out = 0;
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < account->count; i++) {
		const struct place *place = &account->places[i];
		/* While it opens, the database tells how far each source is, bit by bit; and lines
		 * of a request may be stored before it is answered. */
		bool settled = story->ledger->writer_ready && !account->asking;
		if (place->acked < 0 || (settled && place->asked < place->acked))
			return false;
	}
	if (window->first > window->next || window->next - window->first > WINDOW_MAX)
		return false;
	for (uint64_t number = window->first; number < window->next; number++) {
		const struct flight *flight = &window->ring[number & (WINDOW_MAX - 1)];
		out += flight->state == FLIGHT_OUT;
		bytes += flight->state == FLIGHT_OUT ? flight->length : 0;
	}
	return out == window->out && bytes == window->bytes;
}

const ward_behavior *sim_watched_ledger(void)
{
	static ward_behavior watched;
	watched = ledger_behavior;
	watched.init = watched_init;
	watched.receive = watched_receive;
	return &watched;
}

void sim_watch(struct story *story)
{
	ward_simulation_invariant(story->kit, nothing_is_acknowledged_that_is_not_committed, story,
				  "nothing is acknowledged that is not committed");
	ward_simulation_invariant(story->kit, no_row_is_there_twice, story,
				  "no row is there twice");
	ward_simulation_invariant(story->kit, the_account_is_consistent, story,
				  "the account is consistent");
}
