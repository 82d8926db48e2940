/* SPDX-License-Identifier: MIT
 *
 * test_kit.c - moving, looking, failing allocations and the record of events; on threads, too.
 */
#include "support/script.h"
#include "testkit/kit/kit.h"

WARD_SIGNAL(ball);
struct serve {
	ward_ref partner;
};
WARD_MESSAGE_FLAT(serve);

enum { EXCHANGES = 2000 };

/* Two that play: each ball goes back until there were so many. */
struct player {
	ward_ref partner;
	uint32_t balls;
};

static ward_result play(ward_self *self, void *state, const ward_msg *msg)
{
	struct player *player = state;
	const struct serve *serve = ward_match(msg, serve);
	if (serve != NULL)
		player->partner = serve->partner;
	else if (++player->balls == EXCHANGES)
		return WARD_UNHANDLED;
	ward_tell(self, player->partner, ball);
	return WARD_DONE;
}

static const ward_behavior player = {
	.name = "player", .state_size = sizeof(struct player), .receive = play};

/* ---- simulated --------------------------------------------------------------------------- */

WARD_TEST(nothing_moves_but_by_the_kit)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_assert(!ward_kit_step(kit));
	script_say(kit, a.ref, "one");
	script_say(kit, a.ref, "two");
	journal_clear();
	ward_assert(ward_kit_step(kit));
	assert_journal("a:one");
	ward_kit_run(kit);
	assert_journal("a:one;a:two");
	ward_assert_eq(ward_kit_now_ns(kit), 0);
	script_finish(kit);
}

static ward_result start_timer(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_timer_start(self, &(ward_timer){.key = 1, .after_ms = 3600 * 1000},
					    &ward_type_ball, NULL, 0));
	return WARD_DONE;
}

static bool is_counted(void *arg)
{
	return ward_kit_stats(arg).unhandled > 0;
}

WARD_TEST(time_passes_as_far_as_it_is_told_to)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_do(kit, a.ref, start_timer, NULL);
	ward_kit_advance(kit, 1000);
	ward_assert_eq(ward_kit_now_ns(kit), INT64_C(1000) * 1000000);
	ward_assert(!ward_kit_run_until(kit, 3598 * 1000, is_counted, kit));
	ward_assert_eq(ward_kit_now_ns(kit), INT64_C(3599) * 1000000000);
	ward_assert(ward_kit_run_until(kit, WARD_FOREVER, is_counted, kit));
	ward_assert_eq(ward_kit_now_ns(kit), INT64_C(3600) * 1000000000);
	script_finish(kit);
}

WARD_TEST(actors_are_looked_at)
{
	struct script a = {.name = "a"};
	ward_actor_info info;
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_assert(ward_kit_info(kit, a.ref, &info));
	ward_assert(!info.ready && !info.has_mail);
	script_say(kit, a.ref, "one");
	ward_assert(ward_kit_info(kit, a.ref, &info));
	ward_assert(info.ready && info.has_mail);
	ward_assert_state(kit, a.ref, WARD_STATE_RUNNING);
	uint64_t turns = ward_kit_stats(kit).turns;
	ward_assert(ward_kit_step(kit));
	ward_assert_eq(ward_kit_stats(kit).turns, turns + 1);
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_kit_run_until_state(kit, a.ref, WARD_STATE_GONE);
	ward_assert(!ward_kit_info(kit, a.ref, &info));
	script_finish(kit);
}

/* ---- events ------------------------------------------------------------------------------ */

static void count_event(void *arg, const ward_event *event)
{
	*(uint32_t *)arg |= event->kind;
}

WARD_TEST(events_are_counted_by_kind_and_path)
{
	struct script a = {.name = "a"}, b = {.name = "b"};
	uint32_t heard = 0;
	ward_kit *kit = script_start(&(ward_kit_options){.log = count_event, .log_arg = &heard});
	script_spawn(kit, &a);
	script_spawn(kit, &b);
	ward_kit_forget_events(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_ALL, "*"), 0);
	for (int i = 0; i < 300; i++)
		ward_system_tell(ward_kit_system(kit), i % 3 == 0 ? a.ref : b.ref, ball);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/user/a"), 100);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_UNHANDLED, "sim/*"), 300);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	/* One that is given stays where it is. */
	const ward_event *first = ward_kit_event(kit, WARD_EVENT_UNHANDLED, "*/b", 0);
	const ward_event *last = ward_kit_event(kit, WARD_EVENT_UNHANDLED, "*/b", 199);
	ward_assert(first != last);
	script_break(kit, a.ref, &ward_exception);
	ward_kit_run(kit);
	ward_assert_str(first->path, "sim/user/b");
	ward_assert_str(first->message_type, "ball");
	ward_assert((heard & WARD_EVENT_UNHANDLED) != 0 && (heard & WARD_EVENT_FAILURE) != 0);
	script_finish(kit);
}

WARD_TEST(kit_hears_only_the_kinds_that_are_chosen)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(&(ward_kit_options){.event_kinds = WARD_EVENT_FAILURE});
	script_spawn(kit, &a);
	script_break(kit, a.ref, &ward_exception);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_ALL, "*"), 1);
	script_finish(kit);
}

/* ---- memory ------------------------------------------------------------------------------ */

WARD_TEST(allocations_fail_where_they_are_told_to)
{
	ward_kit *kit = ward_kit_start(NULL);
	const ward_allocator *allocator = &kit->memory.allocator;
	uint64_t before = ward_kit_allocations(kit), blocks = ward_kit_blocks(kit);
	unsigned char *given[3];

	ward_kit_fail_allocation(kit, 2);
	for (int i = 0; i < 3; i++)
		given[i] = allocator->alloc(allocator->arg, 10);
	ward_assert(given[0] != NULL && given[1] == NULL && given[2] != NULL);
	ward_assert_eq(given[2][9], 0xa5);
	ward_assert_eq(ward_kit_allocations(kit), before + 3);
	ward_assert_eq(ward_kit_blocks(kit), blocks + 2);
	allocator->free(allocator->arg, given[0], 10);
	allocator->free(allocator->arg, given[2], 10);
	ward_assert_eq(ward_kit_blocks(kit), blocks);

	ward_kit_fail_allocation(kit, 1);
	ward_kit_fail_allocation(kit, 0);
	ward_ref ref = ward_kit_spawn(kit, &player);
	ward_kit_run(kit);
	ward_kit_fail_all_allocations(kit, true);
	for (int i = 0; i < 3; i++)
		ward_assert_err(ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&player), &ref),
				WARD_ENOMEM);
	ward_kit_fail_all_allocations(kit, false);
	ward_kit_spawn(kit, &player);
	ward_assert_eq(ward_kit_bytes(kit), ward_kit_stats(kit).memory_bytes);
	ward_assert_eq(ward_kit_blocks(kit), ward_kit_stats(kit).memory_blocks);
	ward_kit_finish(kit);
}

WARD_TEST(allocation_of_all_addresses_fails)
{
	static const ward_behavior huge = {
		.name = "huge", .state_size = SIZE_MAX - 7, .receive = play};
	ward_kit *kit = ward_kit_start(NULL);
	const ward_allocator *allocator = &kit->memory.allocator;
	uint64_t blocks = ward_kit_blocks(kit);
	ward_ref ref;

	for (volatile size_t less = 0; less < 32; less++)
		ward_assert(allocator->alloc(allocator->arg, SIZE_MAX - less) == NULL);
	ward_assert_eq(ward_kit_blocks(kit), blocks);
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&huge), &ref),
			WARD_ENOMEM);
	ward_kit_finish(kit);
}

WARD_TEST(refused_start_is_answered_and_leaves_nothing)
{
	ward_kit *kit = NULL;
	ward_assert_err(ward_kit_try_start(&(ward_kit_options){.system.actors_max = 1}, &kit),
			WARD_EINVAL);
	ward_assert_err(ward_kit_try_start(&(ward_kit_options){.fail_allocation = 1}, &kit),
			WARD_ENOMEM);
	ward_assert_err(
		ward_kit_try_start(&(ward_kit_options){.fail_allocation = 3, .real_threads = true},
				   &kit),
		WARD_ENOMEM);
	ward_assert(kit == NULL);
}

/* ---- on threads -------------------------------------------------------------------------- */

static void play_match(ward_kit *kit)
{
	ward_ref a = ward_kit_spawn(kit, &player);
	ward_ref b = ward_kit_spawn(kit, &player);
	ward_system_tell(ward_kit_system(kit), a, serve, .partner = b);
	ward_system_tell(ward_kit_system(kit), b, serve, .partner = a);
}

WARD_TEST(threads_are_waited_for_until_nobody_moves)
{
	for (int pairs = 1; pairs <= 8; pairs *= 2) {
		ward_kit *kit = ward_kit_start(
			&(ward_kit_options){.real_threads = true, .system.workers = 2});
		for (int i = 0; i < pairs; i++)
			play_match(kit);
		ward_kit_run(kit);
		/* Of each pair one has come to the end; the other has the last ball to play, or
		 * has come to it, too. */
		size_t ended = ward_kit_count(kit, WARD_EVENT_UNHANDLED, "*");
		ward_assert(ended >= (size_t)pairs && ended <= 2 * (size_t)pairs);
		uint64_t turns = ward_kit_stats(kit).turns;
		ward_kit_run(kit);
		ward_assert_eq(ward_kit_stats(kit).turns, turns);
		ward_kit_finish(kit);
	}
}

WARD_TEST(time_on_threads_is_real)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.real_threads = true});
	int64_t before_ns = ward_kit_now_ns(kit);
	ward_kit_advance(kit, 5);
	ward_assert(ward_kit_now_ns(kit) - before_ns >= 5 * 1000000);
	ward_assert(!ward_kit_run_until(kit, 1, is_counted, kit));
	ward_system_tell(ward_kit_system(kit), ward_kit_spawn(kit, &player), ball);
	ward_kit_finish(kit);
}

WARD_TEST(kits_live_side_by_side)
{
	ward_kit *kits[] = {ward_kit_start(NULL),
			    ward_kit_start(&(ward_kit_options){.real_threads = true}),
			    ward_kit_start(&(ward_kit_options){.pooled = true})};
	for (int i = 0; i < 3; i++)
		play_match(kits[i]);
	for (int i = 0; i < 3; i++) {
		ward_kit_run(kits[i]);
		ward_assert(ward_kit_count(kits[i], WARD_EVENT_UNHANDLED, "sim/user/*") > 0);
		ward_kit_finish(kits[i]);
	}
}

WARD_TEST_MAIN
