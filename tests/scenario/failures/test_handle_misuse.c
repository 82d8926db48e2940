/* SPDX-License-Identifier: MIT
 *
 * test_handle_misuse.c - the handle of an actor outside its callbacks: each call refuses it, and
 * does no harm.
 *
 * Method: a scripted actor keeps its handle; the test then makes every call with it, and with NULL.
 */
#include <unistd.h>

#include <ward/extend.h>

#include "support/script.h"

struct coin {
	int cents;
};
WARD_MESSAGE(coin);

struct scene {
	ward_kit *kit;
	struct script a, b;
	ward_self *kept;
	int ran;    /* deferred calls */
	void *body; /* made by a */
};

static ward_result keep(ward_self *self, void *arg)
{
	struct scene *scene = arg;

	scene->kept = self;
	scene->body = ward_make_body(self, &ward_type_coin, sizeof(struct coin));
	return WARD_DONE;
}

static void start(struct scene *scene)
{
	*scene = (struct scene){.a = {.name = "a"}, .b = {.name = "b"}};
	scene->kit = script_start(NULL);
	script_spawn(scene->kit, &scene->a);
	script_spawn(scene->kit, &scene->b);
	script_do(scene->kit, scene->a.ref, keep, scene);
	ward_kit_run(scene->kit);
	ward_assert(scene->kept != NULL && scene->body != NULL);
	journal_clear();
}

/* Nothing has come of it: nobody got anything, nothing has failed or ended. */
static void finish(struct scene *scene)
{
	ward_kit_run(scene->kit);
	assert_journal("");
	ward_assert(ward_kit_is_alive(scene->kit, scene->a.ref));
	ward_assert(ward_kit_is_alive(scene->kit, scene->b.ref));
	ward_assert_eq(scene->ran, 0);
	script_finish(scene->kit);
}

/* A call that answers a code says what is wrong. */
static void refused(ward_err err)
{
	ward_assert_err(err, WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "valid only inside the callbacks");
}

static void run(void *arg)
{
	((struct scene *)arg)->ran++;
}

static void ask_about_itself(ward_self *self)
{
	ward_ref refs[1];

	ward_assert(ward_ref_is_nobody(ward_self_ref(self)));
	ward_assert(ward_ref_is_nobody(ward_parent(self)));
	ward_assert(ward_ref_is_nobody(ward_child(self, "b")));
	ward_assert_eq(ward_children(self, refs, 1), 0);
	ward_assert(ward_self_system(self) == NULL);
	ward_assert(ward_state(self) == NULL);
	ward_assert(ward_args(self) == NULL);
	ward_assert_eq(ward_incarnation(self), 0);
	ward_assert_eq(ward_now_ns(self), 0);
	ward_assert_eq(ward_random(self), 0);
	ward_assert(!ward_timer_open(self, 1));
	ward_assert_eq(ward_timer_periods(self), 0);
}

static void order(ward_self *self, struct scene *scene)
{
	ward_ref ref;

	refused(ward_try_spawn(self, script_props(&(struct script){.name = "c"}), &ref));
	ward_stop(self, scene->b.ref);
	ward_stop_self(self);
	ward_assert_eq(ward_default_pre_restart(self), WARD_DONE);
	ward_assert_eq(ward_default_post_restart(self), WARD_DONE);
	refused(ward_decide(self, scene->b.ref, WARD_RESTART));
	refused(ward_try_subscribe(self, WARD_EVENT_FAILURE));
	refused(ward_try_watch(self, scene->b.ref));
	refused(ward_try_watch_with_send(self, scene->b.ref, WARD_BODY(coin, .cents = 1)));
	ward_unwatch(self, scene->b.ref);
	refused(ward_try_timer_start(self, &(ward_timer){.key = 1}, &ward_type_coin,
				     &(struct coin){1}, sizeof(struct coin)));
	ward_timer_cancel(self, 1);
	ward_assert_eq(ward_failed(self, &ward_exception, "why"), WARD_FAILED);
	ward_assert_eq(ward_failed_body(self, &ward_exception, &ward_type_coin, &(struct coin){1},
					sizeof(struct coin), "why"),
		       WARD_FAILED);
}

static void send(ward_self *self, struct scene *scene)
{
	struct coin coin = {1};

	ward_send(self, scene->b.ref, &ward_type_coin, &coin, sizeof coin);
	refused(ward_try_send(self, scene->b.ref, &ward_type_coin, &coin, sizeof coin));
	ward_forward(self, scene->b.ref);
	ward_assert(ward_make_body(self, &ward_type_coin, sizeof coin) == NULL);
	ward_assert(ward_take_body(self, &ward_type_coin) == NULL);
	ward_discard(self, NULL);
	/* What an actor has made stays its own. */
	ward_give_body(self, scene->b.ref, &ward_type_coin, scene->body);
	ward_give_body_from(self, scene->b.ref, scene->b.ref, &ward_type_coin, scene->body);
	ward_discard(self, scene->body);
}

static void own(ward_self *self, struct scene *scene)
{
	ward_deferred deferred = {0};
	int fd = dup(STDOUT_FILENO);

	ward_assert(fd >= 0);
	ward_assert(ward_try_alloc(self, 1) == NULL);
	refused(ward_try_defer(self, run, scene, &deferred));
	ward_assert_eq(deferred.id, 0);
	ward_undefer(self, deferred);
	ward_run_deferred(self, deferred);
	/* Of whoever it is: not adopted. */
	ward_assert_err(ward_close_fd(self, fd), WARD_ENOENT);
	ward_assert_err(ward_release_fd(self, fd), WARD_ENOENT);
	refused(ward_try_fd_watch(self, fd, 1));
	ward_fd_unwatch(self, fd);
	ward_assert_eq(close(fd), 0); /* nobody has */
}

WARD_TEST(handle_that_was_kept_tells_nothing)
{
	struct scene scene;

	start(&scene);
	ask_about_itself(scene.kept);
	ask_about_itself(NULL);
	finish(&scene);
}

WARD_TEST(handle_that_was_kept_gives_no_orders)
{
	struct scene scene;

	start(&scene);
	order(scene.kept, &scene);
	order(NULL, &scene);
	finish(&scene);
}

WARD_TEST(handle_that_was_kept_sends_nothing)
{
	struct scene scene;

	start(&scene);
	send(scene.kept, &scene);
	send(NULL, &scene);
	finish(&scene);
}

WARD_TEST(handle_that_was_kept_owns_nothing)
{
	struct scene scene;

	start(&scene);
	own(scene.kept, &scene);
	own(NULL, &scene);
	finish(&scene);
}

WARD_TEST_MAIN
