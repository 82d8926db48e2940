/* SPDX-License-Identifier: MIT
 *
 * test_mailbox.c - what mailbox.pml models, on real threads: pushes, giving up, suspending and
 * resuming, stopping, late mail, and the next life of the same cell.
 *
 * Method: a keeper has few places with an actor in each, in a system with no more cells than that.
 * Threads outside send them numbered letters, some by refs of earlier lives, and stop them and
 * await their end; some letters make them fail, and they are suspended until the keeper resumes
 * them. A letter carries the life that it is meant for. Each is handled once or a dead letter once,
 * in the order of its sender; each await ends.
 */
#include <string.h>

#include <ward/extend.h>

#include "message_fates.h"
#include "support/stress.h"

enum { PLACES = 3, SENDERS = 3, OLD = 4, CREDIT = 500, STOP_ONE_IN = 32, GUARDIANS = 3 };

struct letter {
	uint64_t index;
	uint64_t meant; /* uid */
	uint32_t sender;
	bool fails;
};

static void drop_letter(void *body)
{
	fate_note(((const struct letter *)body)->index, DROPPED);
}

/* Flat, so that a dead letter's event has the bytes; the drop only counts. */
static const ward_type ward_type_letter = {
	"letter", sizeof(struct letter), 0, 0, WARD_TYPE_FLAT, drop_letter, NULL, NULL, NULL, NULL,
	{0, 0}};

struct place {
	uint32_t number;
};
WARD_MESSAGE(place);

static ward_kit *kit;
static ward_ref keeper;
static _Atomic uint64_t living[PLACES]; /* uids; 0: nobody yet */
static _Atomic uint64_t next, lives;
static uint64_t wanted;

static void hear(void *arg, const ward_event *event)
{
	struct letter letter;

	(void)arg;
	if (event->kind != WARD_EVENT_DEAD_LETTER || strcmp(event->message_type, "letter") != 0)
		return;
	memcpy(&letter, event->bytes, sizeof letter);
	fate_note(letter.index, DEAD);
}

/* ---- the actors in the places ------------------------------------------------------------ */

struct reader {
	uint64_t after[SENDERS]; /* the index behind the last one of each; kept by a resume */
};

static ward_result reader_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct letter *letter = ward_match(msg, letter);
	struct reader *me = state;

	ward_assert(letter != NULL);
	ward_assert_eq(letter->meant, ward_self_ref(self).uid);
	ward_assert(letter->index >= me->after[letter->sender]);
	me->after[letter->sender] = letter->index + 1;
	fate_note(letter->index, letter->fails ? FAILING : HANDLED);
	return letter->fails ? ward_failed(self, &ward_exception, "as told") : WARD_DONE;
}

static const ward_behavior reader = {
	.name = "reader", .state_size = sizeof(struct reader), .receive = reader_receive};

/* ---- the keeper -------------------------------------------------------------------------- */

struct keeper {
	ward_ref readers[PLACES];
};

/* Each life may belong on other threads, and have another mailbox, than the one before. */
static void fill(ward_self *self, struct keeper *me, uint32_t number)
{
	ward_props props = {.behavior = &reader};

	if (ward_random(self) % 4 == 0)
		props.dispatcher = WARD_BLOCKING;
	if (ward_random(self) % 4 == 0)
		props.mailbox =
			(ward_mailbox){.messages_max = 2, .overflow = WARD_OVERFLOW_DROP_OLDEST};

	/* At the limit, where free cells may have late mail just now. */
	ward_assert_ok(ward_try_spawn(self, &props, &me->readers[number]));
	ward_assert_ok(ward_try_watch(self, me->readers[number]));
	stress_add(&lives, 1);
	atomic_store_explicit(&living[number], me->readers[number].uid, memory_order_relaxed);
}

static ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct place *place = ward_match(msg, place);
	struct keeper *me = state;

	if (place != NULL) {
		fill(self, me, place->number);
		return WARD_DONE;
	}
	ward_assert(gone != NULL);
	for (uint32_t i = 0; i < PLACES; i++)
		if (ward_ref_equal(me->readers[i], gone->who))
			fill(self, me, i);
	return WARD_DONE;
}

static const ward_strategy resumes = {.rules = {{&ward_exception, WARD_RESUME}}, .quiet = true};

static const ward_behavior keeper_behavior = {.name = "keeper",
					      .state_size = sizeof(struct keeper),
					      .receive = keeper_receive,
					      .child_strategy = &resumes};

/* ---- threads outside --------------------------------------------------------------------- */

static ward_ref ref_of(uint64_t uid)
{
	return ward_ref_at(ward_ref_place(keeper), WARD_REF_ACTOR, uid);
}

static void *send_letters(void *arg)
{
	uint32_t sender = (uint32_t)(uintptr_t)arg;
	uint64_t random = sender, old[OLD] = {0}, index;

	while ((index = stress_add(&next, 1)) < wanted) {
		uint64_t dice = stress_random(&random);
		uint64_t uid = stress_get(&living[dice % PLACES]);
		struct letter letter = {.index = index, .sender = sender};

		if (dice >> 62 == 0 && old[dice / 64 % OLD] != 0)
			uid = old[dice / 64 % OLD];
		old[dice / 1024 % OLD] = uid;
		letter.meant = uid;
		letter.fails = dice / 4096 % 16 == 0;
		ward_system_send(ward_kit_system(kit), ref_of(uid), &ward_type_letter, &letter,
				 sizeof letter);
		if (dice / 65536 % STOP_ONE_IN == 0) {
			ward_system_stop(ward_kit_system(kit), ref_of(uid));
			if (dice >> 63 == 0)
				ward_assert_ok(ward_system_wait_for(ward_kit_system(kit),
								    ref_of(uid), WARD_MINUTE));
			/* Else most letters would be for the dead; the others send on. */
			STRESS_UNTIL(kit, stress_get(&living[dice % PLACES]) != uid);
		}
		while (index > fates_decided() + CREDIT)
			ward_kit_advance(kit, 1);
	}
	return NULL;
}

static void letters(uint32_t workers)
{
	pthread_t threads[SENDERS];

	wanted = stress_size(100000, 5000000);
	fates_make(wanted);
	kit = stress_start(&(ward_kit_options){.system.workers = workers,
					       .system.actors_max = GUARDIANS + 1 + PLACES,
					       .log = hear});
	ward_assert_ok(
		ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&keeper_behavior), &keeper));
	for (uint32_t i = 0; i < PLACES; i++)
		ward_system_tell(ward_kit_system(kit), keeper, place, .number = i);
	for (uint32_t i = 0; i < PLACES; i++)
		STRESS_UNTIL(kit, stress_get(&living[i]) != 0);
	for (uint32_t i = 0; i < SENDERS; i++)
		threads[i] = stress_thread(send_letters, (void *)(uintptr_t)i);
	for (uint32_t i = 0; i < SENDERS; i++)
		stress_join(threads[i]);
	/* Before the end, which would wake who was left asleep with mail. */
	STRESS_UNTIL(kit, fates_decided() == wanted);
	printf("%llu lives in %u cells\n", (unsigned long long)stress_get(&lives), PLACES);
	ward_assert(stress_get(&lives) > 10 * PLACES);
	ward_kit_finish(kit);
	fates_check(wanted);
}

STRESS_WORKERS(letters, "S4", "S5", "S49", "S57")

WARD_TEST_MAIN
