/* SPDX-License-Identifier: MIT
 *
 * test_conduct.c - actors that stash, fail and time out on threads: each message is handled once,
 * and a receive timeout is never early.
 *
 * Method: threads outside send items to desks. A desk draws whether it stashes one, handles it, or
 * fails of it; whether it un-stashes; and how long its receive timeout is from now on. In the end
 * all desks are told to handle everything. What a desk knows over restarts is in its file.
 */
#include "support/stress.h"

enum { DESKS = 32, SENDERS = 2, NS_PER_MS = 1000 * 1000 };

struct item {
	uint64_t owner; /* which sender */
};

static _Atomic int64_t items_left;

static void item_drop(struct item *item)
{
	(void)item;
	atomic_fetch_sub_explicit(&items_left, 1, memory_order_relaxed);
}
WARD_MESSAGE_DROP(item, item_drop);
WARD_SIGNAL(finish_all);

struct file {
	int64_t handled_ns; /* when the last message was; the desk's worker */
	int64_t timeout_ns; /* 0: none */
	bool finishing;
};
struct desk_args {
	struct file *file;
};
WARD_MESSAGE(desk_args);

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static ward_kit *kit;
static ward_ref desks[DESKS];
static struct file files[DESKS];
static _Atomic uint64_t handled, timed_out, failed;

static void draw_timeout(ward_self *self, struct file *file)
{
	uint64_t drawn = ward_random(self) % 16;

	if (drawn == 0) {
		ward_receive_timeout_set(self, 0);
		file->timeout_ns = 0;
	} else if (drawn < 4) {
		ward_assert_ok(ward_try_receive_timeout_set(self, (int64_t)drawn));
		file->timeout_ns = (int64_t)drawn * NS_PER_MS;
		file->handled_ns = ward_now_ns(self);
	}
}

static ward_result on_item(ward_self *self, struct file *file)
{
	uint64_t drawn = file->finishing ? 0 : ward_random(self) % 64;

	if (drawn >= 32) {
		ward_assert_ok(ward_try_stash(self));
	} else {
		stress_add(&handled, 1);
		if (drawn == 1)
			(void)ward_unstash_all(self);
		else if (drawn < 8)
			(void)ward_unstash(self);
	}
	if (drawn != 31)
		return WARD_DONE;
	stress_add(&failed, 1);
	return ward_failed(self, &bad_luck, "drawn");
}

static ward_result desk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct file *file = ((const struct desk_args *)ward_args(self))->file;
	ward_result result = WARD_DONE;

	(void)state;
	if (ward_match(msg, item) != NULL) {
		result = on_item(self, file);
	} else if (ward_match(msg, ward_receive_timeout) != NULL) {
		ward_assert(file->timeout_ns > 0);
		ward_assert(ward_now_ns(self) - file->handled_ns >= file->timeout_ns);
		stress_add(&timed_out, 1);
	} else {
		ward_assert(ward_match(msg, finish_all) != NULL);
		file->finishing = true;
		(void)ward_unstash_all(self);
		if (file->timeout_ns == 0)
			ward_assert_ok(ward_try_receive_timeout_set(self, 1));
		file->timeout_ns = file->timeout_ns == 0 ? NS_PER_MS : file->timeout_ns;
	}
	file->handled_ns = ward_now_ns(self);
	if (!file->finishing)
		draw_timeout(self, file);
	return result;
}

static const ward_behavior desk = {
	.name = "desk", .args = &ward_type_desk_args, .receive = desk_receive};

static void *send_items(void *arg)
{
	uint64_t number = (uint64_t)(uintptr_t)arg;
	uint64_t random = ward_test_seed() + number;
	uint64_t count = stress_size(20000, 2000000);

	for (uint64_t i = 0; i < count; i++) {
		atomic_fetch_add_explicit(&items_left, 1, memory_order_relaxed);
		ward_kit_tell(kit, desks[stress_random(&random) % DESKS], item, .owner = number);
	}
	return NULL;
}

static void stash_fail_and_time_out(uint32_t workers)
{
	pthread_t senders[SENDERS];
	uint64_t sent = SENDERS * stress_size(20000, 2000000);

	/* Desks without work time out again and again: there may be one on its way at the end. */
	kit = stress_start(&(ward_kit_options){.system.workers = workers, .may_leave_mail = true});
	for (int i = 0; i < DESKS; i++)
		desks[i] = ward_kit_spawn(kit, &desk, .args = WARD_ARGS(desk_args, &files[i]),
					  .mailbox.messages_max = i % 4 == 0 ? UINT32_MAX : 0);
	for (uintptr_t i = 0; i < SENDERS; i++)
		senders[i] = stress_thread(send_items, (void *)i);
	for (int i = 0; i < SENDERS; i++)
		stress_join(senders[i]);
	for (int i = 0; i < DESKS; i++)
		ward_kit_tell(kit, desks[i], finish_all);
	STRESS_UNTIL(kit, stress_get(&handled) == sent);
	STRESS_UNTIL(kit, stress_get(&timed_out) >= DESKS);
	STRESS_UNTIL(kit, atomic_load_explicit(&items_left, memory_order_relaxed) == 0);
	ward_assert(stress_get(&failed) > 0);
	ward_kit_finish(kit);
	ward_assert_eq(stress_get(&handled), sent);
}
STRESS_WORKERS(stash_fail_and_time_out, "S86", "S88")

WARD_TEST_MAIN
