/* SPDX-License-Identifier: MIT
 *
 * test_message_bodies.c - plain messages, on threads: of every size, of types with the mark of the
 * macros, without it, and with one that is false. What is sent arrives whole, also when it is
 * passed on.
 *
 * Method: one actor sends a body of each size and kind to a second, which passes it on to a third.
 * Both compare what they got with what it must be. A simulation would send in another way.
 */
#include <stdatomic.h>
#include <string.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { SIZES = 300 };
enum kind { MARKED, UNMARKED, FALSE_MAX, FALSE_DROP, KINDS };

WARD_SIGNAL(all_came);

static ward_type types[KINDS][SIZES];
static _Atomic int drops;
static ward_ref host_ref, last_ref; /* written before anybody else runs */

static void count_drop(void *body)
{
	(void)body;
	atomic_fetch_add_explicit(&drops, 1, memory_order_relaxed);
}

static void make_types(void)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (uint32_t size = 0; size < SIZES; size++)
			types[kind][size] =
				(ward_type){.name = "sized",
					    .size = size,
					    .layout = (uint32_t)(kind + 1) << 16,
					    .size_max = kind == FALSE_MAX ? SIZES : 0,
					    .flags = kind == UNMARKED ? 0 : WARD_TYPE_PLAIN_,
					    .drop = kind == FALSE_DROP ? count_drop : NULL};
}

static void fill(unsigned char *body, size_t kind, size_t size)
{
	for (size_t i = 0; i < size; i++)
		body[i] = (unsigned char)(i * 7 + kind * 31 + size);
}

/* Whether it is the next one, whole, and in the name of the first actor. */
static bool is_next(const ward_msg *msg, const int *count)
{
	size_t kind = (size_t)*count / SIZES, size = (size_t)*count % SIZES;
	ward_type twin = types[kind][size];
	unsigned char body[SIZES];

	fill(body, kind, size);
	return ward_msg_type(msg) == &types[kind][size] && ward_msg_size(msg) == size &&
	       ward_msg_match_(msg, &types[kind][size]) == ward_msg_body(msg, &twin) &&
	       ward_msg_match_(msg, &types[kind][(size + 1) % SIZES]) == NULL &&
	       memcmp(ward_msg_body(msg, &twin), body, size) == 0 &&
	       ward_ref_equal(ward_msg_sender(msg), host_ref);
}

static ward_result middle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int *count = state;

	if (!is_next(msg, count))
		return ward_failed(self, &ward_exception, "wrong: number %d", *count);
	++*count;
	ward_forward(self, last_ref);
	ward_forward(self, last_ref); /* once only */
	if (ward_take_body(self, ward_msg_type(msg)) != NULL ||
	    !ward_ref_equal(ward_msg_sender(msg), host_ref))
		return ward_failed(self, &ward_exception, "wrong: number %d is here yet", *count);
	return WARD_DONE;
}

static ward_result last_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int *count = state;

	if (!is_next(msg, count))
		return ward_failed(self, &ward_exception, "wrong: number %d", *count);
	if (++*count == KINDS * SIZES)
		ward_tell(self, host_ref, all_came);
	return WARD_DONE;
}

static const ward_behavior middle = {
	.name = "middle", .state_size = sizeof(int), .receive = middle_receive};
static const ward_behavior last = {
	.name = "last", .state_size = sizeof(int), .receive = last_receive};

/* ---- the actor that sends ---- */

static ward_result host_start(ward_self *self, void *state)
{
	unsigned char body[SIZES];
	ward_ref to;

	(void)state;
	host_ref = ward_self_ref(self);
	if (ward_try_spawn(self, WARD_PROPS(&last), &last_ref) ||
	    ward_try_spawn(self, WARD_PROPS(&middle), &to))
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	for (size_t kind = 0; kind < KINDS; kind++)
		for (size_t size = 0; size < SIZES; size++) {
			fill(body, kind, size);
			ward_send(self, to, &types[kind][size], body, size);
		}
	return WARD_DONE;
}

static ward_result host_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, all_came))
		return WARD_UNHANDLED;
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_strategy all_the_way_up = {.otherwise = WARD_ESCALATE};
static const ward_behavior host = {
	.name = "host",
	.child_strategy = &all_the_way_up,
	.pre_start = host_start,
	.receive = host_receive,
};

WARD_TEST(plain_messages_of_every_size_arrive_whole_and_are_passed_on_whole)
{
	atomic_store_explicit(&drops, 0, memory_order_relaxed);
	make_types();
	ward_assert_eq(
		ward_run(WARD_PROPS(&host),
			 &(ward_options){.workers = 2, .user_strategy = &ward_stopping_strategy}),
		0);
	ward_assert_eq(atomic_load_explicit(&drops, memory_order_relaxed), SIZES);
}

/* ---- one that passes on, and then fails or ends ---- */

enum end { ENDS_WELL, ENDS_FAILED, ENDS_BY_JUMP, ENDS_UNHANDLED, ENDS_STOPPED, ENDS };

struct handed {
	int64_t end;
};
WARD_MESSAGE(handed);

static _Atomic int hooks, wrong;

static void look(const ward_msg *msg)
{
	atomic_fetch_add_explicit(&hooks, 1, memory_order_relaxed);
	if (msg != NULL)
		atomic_fetch_add_explicit(&wrong, 1, memory_order_relaxed);
}

static ward_result hander_pre_restart(ward_self *self, void *state, const ward_failure *why,
				      const ward_msg *msg)
{
	(void)state;
	(void)self;
	(void)why;
	look(msg);
	return WARD_DONE;
}

static ward_result hander_post_stop(ward_self *self, void *state)
{
	(void)state;
	(void)self;
	look(NULL);
	return WARD_DONE;
}

static ward_result hander_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct handed *handed = ward_match(msg, handed);
	int64_t end;

	(void)state;
	if (handed == NULL)
		return WARD_UNHANDLED;
	end = handed->end;
	ward_forward(self, last_ref);
	switch (end) {
	case ENDS_FAILED:
		return ward_failed(self, &ward_exception, "as told");
	case ENDS_BY_JUMP:
		ward_fail(self, &ward_exception, "as told");
	case ENDS_UNHANDLED:
		return WARD_UNHANDLED;
	case ENDS_STOPPED:
		ward_stop_self(self);
		break;
	default:
		break;
	}
	return WARD_DONE;
}

static ward_result taker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct handed *handed = ward_match(msg, handed);
	int64_t *count = state;

	if (handed == NULL || handed->end != (*count)++ % ENDS ||
	    !ward_ref_equal(ward_msg_sender(msg), host_ref))
		return ward_failed(self, &ward_exception, "wrong: number %d", (int)*count);
	if (handed->end == ENDS_STOPPED)
		ward_tell(self, host_ref, all_came);
	return WARD_DONE;
}

static ward_result chief_start(ward_self *self, void *state)
{
	static const ward_behavior taker = {
		.name = "taker", .state_size = sizeof(int64_t), .receive = taker_receive};
	static const ward_behavior hander = {.name = "hander",
					     .receive = hander_receive,
					     .pre_restart = hander_pre_restart,
					     .post_stop = hander_post_stop};
	ward_ref to;

	(void)state;
	host_ref = ward_self_ref(self);
	if (ward_try_spawn(self, WARD_PROPS(&taker), &last_ref) ||
	    ward_try_spawn(self, WARD_PROPS(&hander), &to))
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	for (int64_t end = 0; end < ENDS; end++)
		ward_tell(self, to, handed, end);
	return WARD_DONE;
}

WARD_TEST(message_that_was_passed_on_leaves_nothing_behind)
{
	static const ward_behavior chief = {
		.name = "chief", .pre_start = chief_start, .receive = host_receive};

	atomic_store_explicit(&hooks, 0, memory_order_relaxed);
	atomic_store_explicit(&wrong, 0, memory_order_relaxed);
	ward_assert_eq(ward_run(WARD_PROPS(&chief), &(ward_options){.workers = 2}), 0);
	ward_assert_eq(atomic_load_explicit(&hooks, memory_order_relaxed), 3);
	ward_assert_eq(atomic_load_explicit(&wrong, memory_order_relaxed), 0);
}

WARD_TEST_MAIN
