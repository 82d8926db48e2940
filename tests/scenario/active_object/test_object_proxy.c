/* SPDX-License-Identifier: MIT
 *
 * test_object_proxy.c - typed proxies of active objects: each form of a call, each shape of a row.
 *
 * Method: one class with a row of each shape; what the proxies are given comes out again.
 */
#include <ward/akka_zero.h>

#include "support/script.h"

struct point {
	int32_t x, y;
};

#define PEN(PUT, GET)                                                                              \
	PUT(pen, lift)                                                                             \
	PUT(pen, move, (struct point, by))                                                         \
	PUT(pen, draw, (int32_t, x), (int64_t, y), (double, width))                                \
	PUT(pen, eight, (uint8_t, a), (int64_t, b), (uint8_t, c), (int16_t, d), (bool, e),         \
	    (float, f), (uint64_t, g), (struct point, h))                                          \
	GET(pen, where, struct point)                                                              \
	GET(pen, far, double, (struct point, from), (bool, squared))                               \
	GET(pen, sum, int64_t, (uint8_t, a), (int64_t, b), (uint8_t, c), (int16_t, d), (bool, e),  \
	    (float, f), (uint64_t, g), (struct point, h))                                          \
	GET(pen, lend, bool, (int32_t, fails))
WARD_OBJECT(pen, PEN);

struct pen {
	struct point at;
	int64_t sum;
};

static ward_result pen_create(ward_self *self, void *object, const void *args)
{
	struct pen *me = object;

	(void)self, (void)args;
	me->at = (struct point){1, 2};
	return WARD_DONE;
}

static ward_result pen_do_lift(ward_self *self, struct pen *me)
{
	(void)self;
	journal_note("lift at %d %d", me->at.x, me->at.y);
	return WARD_DONE;
}

static ward_result pen_do_move(ward_self *self, struct pen *me, struct point by)
{
	(void)self;
	me->at.x += by.x;
	me->at.y += by.y;
	return WARD_DONE;
}

static ward_result pen_do_draw(ward_self *self, struct pen *me, int32_t x, int64_t y, double width)
{
	(void)self, (void)me;
	journal_note("draw %d %d %.2f", x, (int)y, width);
	return WARD_DONE;
}

static int64_t sum_of(uint8_t a, int64_t b, uint8_t c, int16_t d, bool e, float f, uint64_t g,
		      struct point h)
{
	return a + b + c + d + e + (int64_t)f + (int64_t)g + h.x + h.y;
}

static ward_result pen_do_eight(ward_self *self, struct pen *me, uint8_t a, int64_t b, uint8_t c,
				int16_t d, bool e, float f, uint64_t g, struct point h)
{
	(void)self;
	me->sum = sum_of(a, b, c, d, e, f, g, h);
	return WARD_DONE;
}

static ward_result pen_do_where(ward_self *self, struct pen *me, struct point *ret_answer)
{
	(void)self;
	*ret_answer = me->at;
	return WARD_DONE;
}

static ward_result pen_do_far(ward_self *self, struct pen *me, struct point from, bool squared,
			      double *ret_answer)
{
	(void)self;
	*ret_answer = (squared ? 2 : 1) * (me->at.x - from.x + me->at.y - from.y);
	return WARD_DONE;
}

static ward_result pen_do_sum(ward_self *self, struct pen *me, uint8_t a, int64_t b, uint8_t c,
			      int16_t d, bool e, float f, uint64_t g, struct point h,
			      int64_t *ret_answer)
{
	(void)self;
	*ret_answer = me->sum * 1000 + sum_of(a, b, c, d, e, f, g, h);
	return WARD_DONE;
}

static ward_result pen_do_lend(ward_self *self, struct pen *me, int32_t fails, bool *ret_answer)
{
	(void)me;
	*ret_answer = true;
	return fails ? ward_failed(self, &ward_exception, "broken %d", fails) : WARD_DONE;
}

WARD_OBJECT_CLASS(pen, PEN, .create = pen_create);

/* A class of one row, and without further fields. */
#define CUP(TELL, ASK) ASK(cup, fill, uint8_t)
WARD_OBJECT(cup, CUP);
struct cup {
	uint8_t full;
};
static ward_result cup_do_fill(ward_self *self, struct cup *me, uint8_t *ret_answer)
{
	(void)self;
	*ret_answer = ++me->full;
	return WARD_DONE;
}
WARD_OBJECT_CLASS(cup, CUP);

static struct {
	ward_kit *kit;
	ward_objects *objects;
	pen_ref pen;
	cup_ref cup;
} desk;

static void open_desk(void)
{
	static const ward_component components[] = {
		{.object_class = &pen_class}, {.object_class = &cup_class, .id = "mug"}, {0}};

	desk.kit = script_start(NULL);
	ward_assert_ok(ward_objects_configure(NULL, components, &desk.objects));
	ward_assert_ok(
		ward_objects_supervise(desk.objects, ward_kit_system(desk.kit), WARD_SECOND));
	ward_assert_ok(pen_instance(desk.objects, NULL, &desk.pen));
	ward_assert_ok(cup_instance(desk.objects, "mug", &desk.cup));
}

static void close_desk(void)
{
	ward_kit_run(desk.kit);
	ward_objects_release(desk.objects);
	script_finish(desk.kit);
}

WARD_TEST(call_reads_like_a_call_of_c, "S124")
{
	struct point at;
	double far;
	uint8_t full;
	int64_t sum;

	open_desk();
	pen_move(desk.pen, (struct point){10, 20});
	ward_assert_ok(pen_move_try(desk.pen, (struct point){100, 200}));
	ward_assert_ok(pen_where(desk.pen, &at));
	ward_assert_eq(at.x, 111);
	ward_assert_eq(at.y, 222);
	ward_assert_ok(pen_far(desk.pen, (struct point){11, 22}, true, &far));
	ward_assert(far == 600);
	pen_lift(desk.pen);
	pen_draw(desk.pen, -3, 4, 0.5);
	pen_eight(desk.pen, 1, 2, 3, 4, true, 6, 7, (struct point){8, 9});
	ward_assert_ok(pen_sum(desk.pen, 9, 8, 7, -6, false, 4, 3, (struct point){2, 1}, &sum));
	ward_assert_eq(sum, 41028);
	assert_journal("lift at 111 222;draw -3 4 0.50");
	ward_assert_ok(cup_fill(desk.cup, &full));
	ward_assert_ok(cup_fill(desk.cup, &full));
	ward_assert_eq(full, 2);
	close_desk();
}

WARD_TEST(proxies_of_a_class_know_its_methods, "S124")
{
	ward_assert_str(pen_class.name, "pen");
	ward_assert_eq(pen_class.methods_count, 8);
	ward_assert_eq(ward_method_find(&pen_class, "lend"), pen_lend_method);
	ward_assert_eq(pen_class.methods[pen_lift_method].args_size, 0);
	ward_assert_eq(pen_class.methods[pen_lift_method].answer_size, 0);
	ward_assert_eq(pen_class.methods[pen_move_method].args_size, sizeof(struct point));
	ward_assert_eq(pen_class.methods[pen_where_method].args_size, 0);
	ward_assert_eq(pen_class.methods[pen_where_method].answer_size, sizeof(struct point));
	ward_assert_eq(cup_class.methods_count, 1);
	ward_assert_eq(cup_class.state_size, sizeof(struct cup));
}

WARD_TEST(proxy_of_another_class_is_not_given, "S124")
{
	cup_ref cup;

	open_desk();
	ward_assert_err(cup_instance(desk.objects, "pen", &cup), WARD_ETYPE);
	ward_assert_err(cup_instance(desk.objects, "cup", &cup), WARD_ENOENT);
	close_desk();
}

WARD_TEST(proxy_tells_what_failed, "S124")
{
	bool lent = false;

	open_desk();
	ward_assert_err(pen_lend(desk.pen, 3, &lent), WARD_EFAILED);
	ward_assert_part(ward_err_detail(), "pen.lend failed: ward_exception: broken 3");
	ward_assert(!lent);
	ward_assert_ok(pen_lend(desk.pen, 0, &lent));
	ward_assert(lent);
	close_desk();
}

/* ---- in an actor, and an inbox ----------------------------------------------------------- */

static ward_result call_inside(ward_self *self, void *arg)
{
	struct point at;

	(void)arg;
	pen_move_from(self, desk.pen, (struct point){4, 5});
	pen_lift_from(self, desk.pen);
	ward_assert_err(pen_where(desk.pen, &at), WARD_ETHREAD);
	ward_assert_part(ward_err_detail(), "pen_where_ask() of a proxy");
	pen_where_ask(self, desk.pen, 1);
	return ward_failed_err(self,
			       pen_far_ask_try(self, desk.pen, 2, (struct point){0, 0}, false));
}

static ward_result note_answers(ward_self *self, const ward_msg *msg)
{
	struct point at;
	double far;

	if (ward_ask_tag(self) == 1 && pen_where_answered(msg, &at) == WARD_OK)
		journal_note("at %d %d", at.x, at.y);
	else if (ward_ask_tag(self) == 2 && pen_far_answered(msg, &far) == WARD_OK)
		journal_note("far %.0f", far);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

WARD_TEST(proxy_of_an_actor_has_its_answers_come_to_receive, "S124")
{
	struct script caller = {.name = "caller", .receive = note_answers};

	open_desk();
	script_spawn(desk.kit, &caller);
	journal_clear();
	script_do(desk.kit, caller.ref, call_inside, NULL);
	ward_kit_run(desk.kit);
	assert_journal("lift at 5 7;at 5 7;far 12");
	close_desk();
}

WARD_TEST(proxy_of_an_inbox_has_its_answers_come_there, "S124")
{
	const ward_msg *msg;
	ward_inbox *inbox;
	double far = 0;

	open_desk();
	ward_assert_ok(ward_inbox_create(ward_kit_system(desk.kit), NULL, &inbox));
	ward_assert_ok(pen_far_inbox(inbox, desk.pen, (struct point){0, 0}, true));
	ward_assert_ok(ward_inbox_receive(inbox, WARD_SECOND, &msg));
	ward_assert_ok(pen_far_answered(msg, &far));
	ward_assert(far == 6);
	ward_inbox_destroy(inbox);
	close_desk();
}

WARD_TEST_MAIN
