/* SPDX-License-Identifier: MIT
 *
 * test_inbox.c - inboxes on threads: what came before the end is received before it, a descriptor
 * is readable when it must be, a system goes down with inboxes in use, and of two threads that
 * receive at once one is refused.
 */
#include <poll.h>

#include "support/stress.h"

struct note {
	uint64_t number; /* from 1 */
};
WARD_MESSAGE(note);

enum { READERS = 4 };

struct reader {
	ward_kit *kit;
	ward_inbox *inbox;
	bool polls;
	uint64_t last; /* note */
	pthread_t thread;
};

/* Takes all there is; true: the end was told. */
static bool read_all(struct reader *reader, int64_t timeout_ms)
{
	const ward_msg *msg;
	ward_err err;

	while ((err = ward_inbox_receive(reader->inbox, timeout_ms, &msg)) == WARD_OK) {
		const struct note *note = ward_match(msg, note);

		ward_assert(note != NULL);
		ward_assert_eq(note->number, reader->last + 1);
		reader->last = note->number;
	}
	ward_assert(err == WARD_ETIMEDOUT || err == WARD_ESTOPPING);
	return err == WARD_ESTOPPING;
}

static void *read_until_end(void *arg)
{
	struct reader *reader = arg;
	struct pollfd poller = {.events = POLLIN};

	if (reader->polls)
		ward_assert_ok(ward_inbox_fd(reader->inbox, &poller.fd));
	while (!read_all(reader, 0))
		if (reader->polls)
			ward_assert_eq(poll(&poller, 1, (int)(stress_patience_ns() / 1000000)), 1);
	return NULL;
}

static void *read_waiting(void *arg)
{
	while (!read_all(arg, 1))
		;
	return NULL;
}

static void open_reader(struct reader *reader, ward_kit *kit, int way)
{
	*reader = (struct reader){.kit = kit, .polls = way % 3 == 0};
	ward_assert_ok(ward_inbox_create(ward_kit_system(kit), NULL, &reader->inbox));
	reader->thread = stress_thread(way % 3 == 1 ? read_waiting : read_until_end, reader);
}

static void send_notes(const struct reader *reader, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i <= to; i++)
		ward_system_tell(ward_kit_system(reader->kit), ward_inbox_ref(reader->inbox), note,
				 .number = i);
}

static void all_before_the_end(uint32_t workers)
{
	uint64_t rounds = stress_size(STRESS_SANITIZED ? 200 : 1000, 50000);
	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = workers});

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t count = 1 + i % 40;
		struct reader reader;

		open_reader(&reader, kit, (int)i);
		send_notes(&reader, 1, count);
		/* Behind the notes, not before them as a stop. */
		ward_system_tell(ward_kit_system(kit), ward_inbox_ref(reader.inbox),
				 ward_poison_pill);
		stress_join(reader.thread);
		ward_assert_eq(reader.last, count);
		ward_inbox_destroy(reader.inbox);
	}
	ward_kit_finish(kit);
}

WARD_TEST(what_came_before_the_end_is_received_before_it_1_worker)
{
	all_before_the_end(1);
}

WARD_TEST(what_came_before_the_end_is_received_before_it_4_workers)
{
	all_before_the_end(4);
}

WARD_TEST(readers_whose_system_goes_down_are_all_told)
{
	uint64_t rounds = stress_size(30, 1000);

	for (uint64_t i = 0; i < rounds; i++) {
		ward_kit *kit = stress_start(
			&(ward_kit_options){.system.workers = 2, .may_leave_mail = true});
		struct reader readers[READERS];

		for (int j = 0; j < READERS; j++)
			open_reader(&readers[j], kit, j);
		for (int j = 0; j < READERS; j++)
			send_notes(&readers[j], 1, 10);
		ward_system_shutdown(ward_kit_system(kit), NULL);
		for (int j = 0; j < READERS; j++)
			send_notes(&readers[j], 11, 20);
		for (int j = 0; j < READERS; j++)
			stress_join(readers[j].thread);
		/* One half goes with the system, unread notes in it. */
		for (int j = 0; j < READERS / 2; j++)
			ward_inbox_destroy(readers[j].inbox);
		ward_kit_finish(kit);
	}
}

/* ---- threads in each other's way --------------------------------------------------------- */

struct crowd {
	ward_inbox *inbox;
	_Atomic uint64_t received;
};

/* Looks at no message: the next one who receives gives it back. */
static void *receive_in_a_crowd(void *arg)
{
	struct crowd *crowd = arg;

	for (uint32_t i = 0;; i++) {
		const ward_msg *msg = NULL;
		ward_err err = ward_inbox_receive(crowd->inbox, i % 2, &msg);

		if (err == WARD_ESTOPPING)
			return NULL;
		if (err == WARD_OK) {
			ward_assert(msg != NULL);
			stress_add(&crowd->received, 1);
			continue;
		}
		ward_assert(err == WARD_ETIMEDOUT || err == WARD_ETHREAD);
	}
}

WARD_TEST(of_threads_that_receive_at_once_each_message_goes_to_one)
{
	uint64_t rounds = stress_size(20, 2000), count = 1000;
	ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = 2});

	for (uint64_t i = 0; i < rounds; i++) {
		struct crowd crowd = {0};
		pthread_t threads[READERS];

		ward_assert_ok(ward_inbox_create(ward_kit_system(kit), NULL, &crowd.inbox));
		for (int j = 0; j < READERS; j++)
			threads[j] = stress_thread(receive_in_a_crowd, &crowd);
		for (uint64_t j = 1; j <= count; j++)
			ward_system_tell(ward_kit_system(kit), ward_inbox_ref(crowd.inbox), note,
					 .number = j);
		ward_system_tell(ward_kit_system(kit), ward_inbox_ref(crowd.inbox),
				 ward_poison_pill);
		for (int j = 0; j < READERS; j++)
			stress_join(threads[j]);
		ward_assert_eq(stress_get(&crowd.received), count);
		ward_inbox_destroy(crowd.inbox);
	}
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
