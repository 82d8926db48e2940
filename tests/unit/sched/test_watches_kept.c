/* SPDX-License-Identifier: MIT
 *
 * test_watches_kept.c - descriptors that their owner promises to keep open.
 *
 * Method: as test_watches.c.
 */
#include "watch_scene.h"

WARD_TEST(promised_watch_is_armed_again_without_a_call_as_long_as_it_is_promised, "S130")
{
	struct scene scene;
	struct wardi_watch_request request;
	void *replaced;

	start(&scene);
	request = request_of(&scene, scene.ends[0], 1);
	request.promised = true;
	ward_assert_ok(wardi_watch_arm(&scene.watches, &scene.alloc, &request, &replaced));
	int first = calls;
	for (int i = 0; i < 100; i++) {
		say(scene.ends);
		ward_assert(look(&scene) == WARDI_FOUND_NOTICE && handle(&scene));
		hear(scene.ends);
		ward_assert(wardi_watch_rearm(&scene.watches, &request));
	}
	ward_assert_eq(calls, first);
	say(scene.ends);
	ward_assert(look(&scene) == WARDI_FOUND_NOTICE && handle(&scene));
	ward_assert(!rearm(&scene, scene.ends[0], 1)); /* perhaps closed and opened again */
	ward_assert_ok(arm(&scene, scene.ends[0], 1, false));
	ward_assert_eq(calls, first + 1);
	ward_assert(look(&scene) == WARDI_FOUND_NOTICE && handle(&scene));
	ward_assert(!wardi_watch_rearm(&scene.watches, &request));
	finish(&scene);
}

WARD_TEST(broken_promise_notifies_no_other_owner, "S130")
{
	/* Closed after its notice, and while it is watched, with and without a duplicate. */
	for (int way = 0; way < 4; way++) {
		struct scene scene;
		struct wardi_watch_request request;
		void *replaced;
		int again[2], duplicate = -1;

		start(&scene);
		request = request_of(&scene, scene.ends[0], 1);
		request.promised = true;
		if (way & 1)
			duplicate = fcntl(scene.ends[0], F_DUPFD_CLOEXEC, 40);
		ward_assert_eq(wardi_watch_arm(&scene.watches, &scene.alloc, &request, &replaced),
			       WARD_OK);
		if (way & 2) {
			say(scene.ends);
			ward_assert_eq(look(&scene), WARDI_FOUND_NOTICE);
			ward_assert(handle(&scene));
			hear(scene.ends);
		}
		close(scene.ends[0]);
		ward_assert_eq(pipe2(again, O_CLOEXEC | O_NONBLOCK), 0);
		ward_assert_eq(again[0], scene.ends[0]);
		if (!(way & 2)) {
			ward_assert_eq(arm(&scene, again[0], 2, true), WARD_EEXIST);
			ward_assert(wardi_watch_end(&scene.watches, again[0], 1) != NULL);
		}
		ward_assert_eq(arm(&scene, again[0], 2, true), WARD_OK);
		ward_assert(!wardi_watch_rearm(&scene.watches, &request));
		if (duplicate >= 0)
			say(scene.ends); /* to the old pipe */
		ask_kernel(&scene);
		if (scene.count > 0)
			ward_assert(make_of_it(&scene) != WARDI_FOUND_NOTICE);
		ward_assert_eq(write(again[1], "y", 1), 1);
		ask_kernel(&scene);
		bool told = false;
		for (int i = 0; i < scene.count; i++)
			told |= wardi_watch_found(&scene.watches, scene.events[i].data.u64,
						  scene.events[i].events,
						  &scene.notice) == WARDI_FOUND_NOTICE &&
				scene.notice.owner == 2;
		ward_assert(told);
		close_both(again);
		scene.ends[0] = duplicate;
		finish(&scene);
	}
}

WARD_TEST_MAIN
