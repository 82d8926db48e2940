/* SPDX-License-Identifier: MIT
 *
 * test_watches.c - what the kernel knows about watched descriptors, and which of its reports count.
 *
 * Method: the test looks itself, and counts the calls of epoll_ctl(). A look has two halves: the
 * kernel's answer, and what is made of it.
 */
#include "watch_scene.h"

/* ---- calls ------------------------------------------------------------------------------- */

WARD_TEST(standing_watch_is_armed_again_without_a_call)
{
	struct scene scene;

	start(&scene);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	int first = calls;
	for (int i = 0; i < 100; i++) {
		say(scene.ends);
		ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
		ward_assert_eq(scene.notice.owner, 1);
		ward_assert(scene.notice.token == &scene.lists[1]);
		ward_assert(!rearm(&scene, scene.ends[0], 1)); /* its notice is under way */
		ward_assert(handle(&scene));
		hear(scene.ends);
		ward_assert(rearm(&scene, scene.ends[0], 1));
	}
	ward_assert_eq(calls, first);
	ask_kernel(&scene);
	ward_assert_eq(scene.count, 0);
	ward_assert(wardi_watch_end(&scene.watches, scene.ends[0], 1) == &scene.lists[1]);
	finish(&scene);
}

WARD_TEST(one_shot_watch_is_armed_again_by_one_call)
{
	struct scene scene;

	start(&scene);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, false), WARD_OK);
	say(scene.ends);
	int first = calls;
	for (int i = 0; i < 100; i++) {
		ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
		ask_kernel(&scene);
		ward_assert_eq(scene.count, 0); /* the kernel has disarmed it */
		ward_assert(handle(&scene));
		ward_assert(!rearm(&scene, scene.ends[0], 1));
		ward_assert_eq(arm(&scene, scene.ends[0], 1, false), WARD_OK);
	}
	ward_assert_eq(calls, first + 100);
	finish(&scene);
}

WARD_TEST(standing_watch_for_other_events_is_told_to_the_kernel)
{
	struct scene scene;
	struct wardi_watch_request request;
	void *replaced;

	start(&scene);
	request = request_of(&scene, scene.ends[1], 1);
	ward_assert_eq(arm(&scene, scene.ends[1], 1, true), WARD_OK);
	request.events = WARD_FD_WRITE;
	ward_assert(!wardi_watch_rearm(&scene.watches, &request));
	ward_assert_eq(wardi_watch_arm(&scene.watches, &scene.alloc, &request, &replaced), WARD_OK);
	ward_assert(replaced == &scene.lists[1]);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	ward_assert_eq(scene.notice.events, WARD_FD_WRITE);
	finish(&scene);
}

/* ---- no memory for a notice -------------------------------------------------------------- */

static void check_notice_that_cannot_be_made(bool standing)
{
	struct scene scene;

	start(&scene);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, standing), WARD_OK);
	say(scene.ends);
	for (int i = 0; i < 3; i++) {
		ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
		ward_assert(scene.notice.token == &scene.lists[1]);
		wardi_watch_wait_on(&scene.watches, &scene.notice);
		ward_assert(!handle(&scene));
		ward_assert_eq(wardi_watches_count(&scene.watches), 1);
		ward_assert_eq(atomic_load(&scene.watches.expected), 1);
	}
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	ward_assert(handle(&scene));
	ward_assert_eq(wardi_watches_count(&scene.watches), 0);
	finish(&scene);
}

WARD_TEST(watch_without_memory_for_its_notice_is_found_by_the_next_look)
{
	check_notice_that_cannot_be_made(true);
	check_notice_that_cannot_be_made(false);
}

WARD_TEST(watch_that_ended_before_its_notice_could_be_made_stays_ended)
{
	struct scene scene;

	start(&scene);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, false), WARD_OK);
	say(scene.ends);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	ward_assert(wardi_watch_end(&scene.watches, scene.ends[0], 1) == NULL);
	wardi_watch_wait_on(&scene.watches, &scene.notice);
	ward_assert_eq(wardi_watches_count(&scene.watches), 0);
	ask_kernel(&scene);
	ward_assert_eq(scene.count, 0);
	finish(&scene);
}

/* ---- old news ---------------------------------------------------------------------------- */

WARD_TEST(look_that_began_before_the_owner_has_read_does_not_notify_the_next_watch)
{
	struct scene scene;

	start(&scene);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	say(scene.ends);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	ask_kernel(&scene); /* another worker */
	ward_assert(handle(&scene));
	hear(scene.ends);
	ward_assert(rearm(&scene, scene.ends[0], 1));
	ward_assert_eq(make_of_it(&scene), WARDI_FOUND_NOTHING);
	ask_kernel(&scene);
	ward_assert_eq(scene.count, 0);
	say(scene.ends);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	finish(&scene);
}

WARD_TEST(what_came_in_the_meantime_is_found_by_the_next_look)
{
	struct scene scene;

	start(&scene);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	say(scene.ends);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	ask_kernel(&scene);
	ward_assert(handle(&scene)); /* reads nothing */
	ward_assert(rearm(&scene, scene.ends[0], 1));
	ward_assert_eq(make_of_it(&scene), WARDI_FOUND_NOTHING);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	finish(&scene);
}

WARD_TEST(notice_of_a_watch_that_was_replaced_is_not_handled)
{
	struct scene scene;

	start(&scene);
	for (int standing = 0; standing < 2; standing++) {
		ward_assert_eq(arm(&scene, scene.ends[0], 1, standing), WARD_OK);
		say(scene.ends);
		ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
		ward_assert_eq(arm(&scene, scene.ends[0], 1, standing), WARD_OK);
		ward_assert(!handle(&scene));
		ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
		ward_assert(handle(&scene));
		ward_assert(!handle(&scene));
		ward_assert(wardi_watch_end(&scene.watches, scene.ends[0], 1) == NULL);
	}
	finish(&scene);
}

static struct scene *looking;

static void look_now(void)
{
	ward_assert_eq(look(looking), WARDI_FOUND_NOTICE);
}

WARD_TEST(report_that_comes_before_the_call_has_returned_is_not_lost)
{
	for (int standing = 0; standing < 2; standing++) {
		struct scene scene;

		start(&scene);
		say(scene.ends);
		looking = &scene;
		during_call = look_now;
		ward_assert_eq(arm(&scene, scene.ends[0], 1, standing), WARD_OK);
		during_call = NULL;
		ward_assert_eq(scene.notice.owner, 1);
		ward_assert(scene.notice.token == &scene.lists[1]);
		ward_assert(handle(&scene));
		finish(&scene);
	}
}

/* ---- nobody waits ------------------------------------------------------------------------ */

WARD_TEST(ready_descriptor_that_nobody_waits_for_is_forgotten_by_the_kernel_until_it_is_watched)
{
	struct scene scene;
	int finds = 0;

	start(&scene);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	say(scene.ends);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	for (ask_kernel(&scene); scene.count > 0; ask_kernel(&scene)) {
		ward_assert_eq(make_of_it(&scene), WARDI_FOUND_VAIN);
		ward_assert(silence(&scene));
		ward_assert(++finds < 10);
	}
	ward_assert(finds > 1); /* the owner may be about to run */
	ward_assert(handle(&scene));
	ward_assert(!rearm(&scene, scene.ends[0], 1));
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	finish(&scene);
}

/* As for a busy worker, which no descriptor rouses: each look would find it beside others. */
WARD_TEST(ready_descriptor_that_nobody_waits_for_is_forgotten_later_where_it_rouses_nobody)
{
	struct scene scene;
	int finds = 0;

	start(&scene);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	say(scene.ends);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	for (ask_kernel(&scene); scene.count > 0; ask_kernel(&scene)) {
		ward_assert_eq(make_of_it(&scene), WARDI_FOUND_VAIN);
		ward_assert(wardi_watch_silence(&scene.watches, scene.notice.fd, scene.notice.id,
						false));
		ward_assert(++finds < 100);
	}
	ward_assert(finds > 10);
	ward_assert(handle(&scene));
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	finish(&scene);
}

/* Else it would end each sleep from then on, since nobody would try again. */
WARD_TEST(closed_descriptor_with_a_duplicate_is_found_in_vain_until_the_set_is_renewed)
{
	struct scene scene;
	int duplicate, failed = 0;

	start(&scene);
	duplicate = fcntl(scene.ends[0], F_DUPFD_CLOEXEC, 0);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	say(scene.ends);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	ward_assert(handle(&scene));
	close(scene.ends[0]);
	/* Nobody can make a new set now. */
	for (int tries = 0; tries < 20; tries++) {
		ward_assert_eq(look(&scene), WARDI_FOUND_VAIN);
		failed += !silence(&scene);
	}
	ward_assert(failed > 1);
	ward_assert(wardi_watches_renew(&scene.watches, scene.wake_ends[0], UINT64_MAX));
	ask_kernel(&scene);
	ward_assert_eq(scene.count, 0);
	close(duplicate);
	scene.ends[0] = -1;
	finish(&scene);
}

WARD_TEST(closed_descriptor_with_a_duplicate_is_forgotten_with_the_whole_set)
{
	/* Closed after its notice, and closed while it is watched, then unwatched. */
	for (int unwatched = 0; unwatched < 2; unwatched++) {
		struct scene scene;
		bool forgotten = true;
		int duplicate, tries = 0;

		start(&scene);
		duplicate = fcntl(scene.ends[0], F_DUPFD_CLOEXEC, 0);
		ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
		ward_assert_eq(arm(&scene, scene.other_ends[0], 2, true), WARD_OK);
		if (!unwatched) {
			say(scene.ends);
			ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
			ward_assert(handle(&scene));
		}
		close(scene.ends[0]);
		if (unwatched) {
			ward_assert(wardi_watch_end(&scene.watches, scene.ends[0], 1) != NULL);
			say(scene.ends);
			ward_assert_eq(look(&scene), WARDI_FOUND_STALE);
			ward_assert_eq(scene.notice.owner, 1);
		}
		while (forgotten && tries++ < 10) {
			ward_assert_eq(look(&scene), WARDI_FOUND_VAIN);
			forgotten = silence(&scene);
		}
		ward_assert(!forgotten);
		int epoll_fd = scene.watches.epoll_fd;
		ward_assert(wardi_watches_renew(&scene.watches, scene.wake_ends[0], UINT64_MAX));
		ward_assert_eq(scene.watches.epoll_fd, epoll_fd);
		ask_kernel(&scene);
		ward_assert_eq(scene.count, 0);
		say(scene.other_ends);
		ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
		ward_assert_eq(scene.notice.owner, 2);
		hear(scene.other_ends);
		say(scene.wake_ends);
		ask_kernel(&scene);
		ward_assert_eq(scene.count, 1);
		ward_assert(scene.events[0].data.u64 == UINT64_MAX);
		scene.ends[0] = duplicate;
		finish(&scene);
	}
}

/* ---- numbers that are used again --------------------------------------------------------- */

WARD_TEST(number_that_was_closed_and_opened_again_between_two_watches_is_watched)
{
	for (int round = 0; round < 2; round++) {
		struct scene scene;
		int again[2];

		start(&scene);
		ward_assert_eq(arm(&scene, scene.ends[0], 1, false), WARD_OK);
		if (round == 0) { /* else it is armed all the time */
			say(scene.ends);
			ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
			ward_assert(handle(&scene));
		}
		close_both(scene.ends);
		ward_assert_eq(pipe2(again, O_CLOEXEC | O_NONBLOCK), 0);
		ward_assert_eq(again[0], scene.ends[0]);
		ward_assert_eq(arm(&scene, again[0], 1, false), WARD_OK);
		say(again);
		ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
		finish(&scene);
	}
}

WARD_TEST(descriptor_that_is_handed_over_belongs_to_the_next_owner_alone)
{
	struct scene scene;
	void *token;

	start(&scene);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	ward_assert_eq(arm(&scene, scene.ends[0], 2, true), WARD_EEXIST);
	say(scene.ends);
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	ward_assert(handle(&scene));
	ward_assert_eq(arm(&scene, scene.ends[0], 2, true), WARD_OK);
	ward_assert(!rearm(&scene, scene.ends[0], 1));
	ward_assert(wardi_watch_end(&scene.watches, scene.ends[0], 1) == NULL);
	ward_assert(!wardi_watch_end_any(&scene.watches, &scene.lists[1], &token));
	ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
	ward_assert_eq(scene.notice.owner, 2);
	ward_assert(handle(&scene));
	ward_assert(wardi_watch_end_any(&scene.watches, &scene.lists[2], &token));
	ward_assert(token == NULL);
	ask_kernel(&scene);
	ward_assert_eq(scene.count, 0);
	finish(&scene);
}

WARD_TEST(notice_that_waits_when_another_owner_watches_is_still_handled_once)
{
	for (int way = 0; way < 3; way++) {
		struct scene scene;
		struct wardi_notice first, second;

		start(&scene);
		ward_assert_eq(arm(&scene, scene.ends[0], 1, false), WARD_OK);
		say(scene.ends);
		ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
		first = scene.notice;
		ward_assert_eq(arm(&scene, scene.ends[0], 2, false), WARD_OK);
		ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
		second = scene.notice;
		scene.notice = first;
		if (way == 1) /* its owner has unwatched it since */
			ward_assert(wardi_watch_end(&scene.watches, scene.ends[0], 1) == NULL);
		if (way == 2) /* or replaced it, and the second notice waits */
			ward_assert_eq(arm(&scene, scene.ends[0], 1, false), WARD_OK);
		ward_assert_eq(handle(&scene), way == 0);
		ward_assert(!handle(&scene));
		scene.notice = second;
		ward_assert(handle(&scene));
		finish(&scene);
	}
}

WARD_TEST(closed_descriptor_is_refused_with_the_reason)
{
	struct scene scene;
	int closed;

	start(&scene);
	closed = fcntl(scene.ends[0], F_DUPFD_CLOEXEC, 40);
	close(closed);
	/* Beyond the table, then in it: both are the kernel's answer. */
	for (int round = 0; round < 2; round++) {
		ward_assert_eq(arm(&scene, closed, 1, round == 0), WARD_ESYS);
		ward_assert_part(ward_err_detail(), "it is not open: Bad file descriptor");
		ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_OK);
	}
	/* It was watched before, and is not any more. */
	close(scene.ends[0]);
	ward_assert_eq(arm(&scene, scene.ends[0], 1, true), WARD_ESYS);
	ward_assert_part(ward_err_detail(), "it is not open: Bad file descriptor");
	ward_assert_eq(wardi_watches_count(&scene.watches), 0);
	ward_assert_eq(atomic_load(&scene.watches.expected), 0);
	finish(&scene);
}

WARD_TEST(place_of_a_number_is_its_own_and_stays)
{
	struct scene scene;
	static const int numbers[] = {63, 64, 191, 192, 500, 1000};
	const struct wardi_watch *places[6];

	start(&scene);
	for (int i = 0; i < 6; i++) {
		ward_assert_eq(dup2(scene.ends[0], numbers[i]), numbers[i]);
		ward_assert_eq(arm(&scene, numbers[i], 1, true), WARD_OK);
		places[i] = wardi_watch_at(&scene.watches, numbers[i]);
		for (int before = 0; before < i; before++) {
			ward_assert(places[before] != places[i]);
			ward_assert(wardi_watch_at(&scene.watches, numbers[before]) ==
				    places[before]);
		}
	}
	ward_assert_eq(wardi_watches_count(&scene.watches), 6);
	ward_assert(wardi_watch_at(&scene.watches, 1 << 30) == NULL);
	ward_assert(wardi_watch_at(&scene.watches, INT32_MAX) == NULL);
	ward_assert(wardi_watch_at(&scene.watches, -1) == NULL);
	for (void *token; wardi_watch_end_any(&scene.watches, &scene.lists[1], &token);)
		ward_assert(token == &scene.lists[1]);
	ward_assert_eq(wardi_watches_count(&scene.watches), 0);
	ask_kernel(&scene);
	say(scene.ends);
	ask_kernel(&scene);
	ward_assert_eq(scene.count, 0);
	for (int i = 0; i < 6; i++)
		close(numbers[i]);
	finish(&scene);
}

WARD_TEST_MAIN
