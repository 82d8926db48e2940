/* SPDX-License-Identifier: MIT
 *
 * test_backoff_args.c - options of a back-off supervisor: what does not fit together is refused at
 * the spawn with a text that says why, and what fits is copied.
 */
#include <math.h>

#include "supervisor_between_probes.h"

static void refused_by(ward_props props, ward_err wanted, const char *part)
{
	ward_ref ref;

	ward_assert_err(ward_system_spawn(ward_kit_system(nest.kit), &props, &ref), wanted);
	ward_assert_part(ward_err_detail(), part);
}

/* By both kinds. */
static void refused(struct ward_backoff options, const char *part)
{
	refused_by(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &options)}),
		   WARD_EINVAL, part);
	refused_by(
		*WARD_PROPS(&ward_backoff_on_failure, .args = {WARD_COPY(ward_backoff, &options)}),
		WARD_EINVAL, part);
}

/* All as it should be, but for one field. */
#define REFUSED_WITH(field, value, part)                                                           \
	do {                                                                                       \
		struct ward_backoff with_ = nest_options();                                        \
		with_.field = (value);                                                             \
		refused(with_, (part));                                                            \
	} while (0)

WARD_TEST(options_without_a_child_are_refused, "S94")
{
	nest_begin();
	refused((struct ward_backoff){0}, ".child has no behavior");
	refused_by((ward_props){.behavior = &ward_backoff_on_stop}, WARD_EINVAL, "needs arguments");
	refused_by((ward_props){.behavior = &ward_backoff_on_failure}, WARD_EINVAL,
		   "needs arguments");
	nest_end();
}

WARD_TEST(delays_that_are_none_are_refused, "S93", "S98")
{
	nest_begin();
	REFUSED_WITH(min_backoff_ms, 0, ".min_backoff_ms is 0: it must be above 0");
	REFUSED_WITH(min_backoff_ms, -1, ".min_backoff_ms is -1");
	REFUSED_WITH(max_backoff_ms, 2999,
		     ".max_backoff_ms 2999 is less than .min_backoff_ms 3000");
	REFUSED_WITH(random_factor, -0.01, ".random_factor is -0.01");
	REFUSED_WITH(random_factor, 1.01, ".random_factor is 1.01");
	REFUSED_WITH(random_factor, (double)NAN, ".random_factor is");
	REFUSED_WITH(auto_reset_ms, 2999,
		     ".auto_reset_ms is 2999: it must be between .min_backoff_ms 3000 and "
		     ".max_backoff_ms "
		     "30000");
	REFUSED_WITH(auto_reset_ms, 30001, ".auto_reset_ms is 30001");
	REFUSED_WITH(auto_reset_ms, -1, ".auto_reset_ms is -1");
	REFUSED_WITH(manual_reset, true, ".manual_reset and .auto_reset_ms exclude each other");
	nest_end();
}

WARD_TEST(limits_that_are_none_are_refused, "S95", "S96", "S103")
{
	static const ward_strategy no_number = {.window_ms = 1000};
	static const ward_strategy slides = {
		.limit = WARD_LIMIT_SLIDING, .restarts_max = 1, .window_ms = 1000};
	struct ward_backoff both = nest_options(), uncounted = nest_options();

	both.default_stopping_strategy = true;
	both.strategy = &ward_default_strategy;
	uncounted.window_ms = 1000;
	nest_begin();
	REFUSED_WITH(retries_max, -2, ".retries_max is -2: 0 means no limit");
	REFUSED_WITH(window_ms, -1, ".window_ms is -1");
	REFUSED_WITH(strategy, &no_number, "there is no restarts_max: what would it count to?");
	REFUSED_WITH(strategy, &slides, ".strategy.limit is not WARD_LIMIT_PER_CHILD");
	refused(both, ".strategy and .default_stopping_strategy exclude each other");
	REFUSED_WITH(reserved[3], 1, "a reserved word is not zero");
	refused_by(
		*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &uncounted)}),
		WARD_EINVAL, ".window_ms is 1000, but .retries_max is not set");
	nest_end();
}

static bool never(const ward_msg *msg)
{
	return msg == NULL;
}

static void drop_nothing(void *body)
{
	(void)body;
}

WARD_TEST(ways_with_mail_that_are_none_are_refused, "S101", "S102")
{
	static const ward_type owner = {.name = "owner", .size = 4, .drop = drop_nothing};
	struct ward_backoff both = nest_options(), cut = nest_options(), final = nest_options();
	struct ward_backoff bare = nest_options();

	both.reply_while_stopped = (ward_constant){WARD_BODY(task_done)};
	cut.reply_while_stopped = (ward_constant){&ward_type_task_done, "x", 1};
	bare.reply_while_stopped = (ward_constant){.type = &ward_type_task_done, .size = 4};
	final.final_stop = never;
	nest_begin();
	both.handler_while_stopped = ward_probe_ref(nest.client);
	refused(both, ".reply_while_stopped and .handler_while_stopped exclude each other");
	REFUSED_WITH(reply_while_stopped, ((ward_constant){NULL, "x", 1}),
		     ".reply_while_stopped has no type");
	REFUSED_WITH(reply_while_stopped, ((ward_constant){&owner, NULL, 0}),
		     ".reply_while_stopped is a \"owner\", which owns things");
	refused_by(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &cut)}),
		   WARD_ESIZE, "of 1 bytes does not fit \"task_done\"");
	refused_by(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, &bare)}),
		   WARD_ESIZE, "of 4 bytes does not fit \"task_done\"");
	refused_by(*WARD_PROPS(&ward_backoff_on_failure, .args = {WARD_COPY(ward_backoff, &final)}),
		   WARD_EINVAL, ".final_stop is for ward_backoff_on_stop()");
	nest_end();
}

/* ---- the copy ---------------------------------------------------------------------------- */

struct hoard {
	bool full;
};
static int hoards;
static void hoard_drop(void *body)
{
	hoards -= ((struct hoard *)body)->full;
}
static ward_err hoard_clone(void *to, const void *from)
{
	memcpy(to, from, sizeof(struct hoard));
	hoards += ((const struct hoard *)from)->full;
	return WARD_OK;
}
static ward_err hoard_decode(const void *bytes, size_t count, void *body, size_t size)
{
	ward_err err = raw_decode(bytes, count, body, size);
	hoards += err == WARD_OK && ((struct hoard *)body)->full;
	return err;
}
RAW_MESSAGE_OWNED(hoard, hoard_drop, hoard_clone, hoard_decode);

static ward_result miser_init(ward_self *self, void *state, const void *args)
{
	(void)self, (void)state;
	ward_assert(((const struct hoard *)args)->full);
	return WARD_DONE;
}
static const ward_behavior miser = {.name = "miser",
				    .args = &ward_type_hoard,
				    .init = miser_init,
				    .pre_start = pupil_start,
				    .receive = pupil_receive};

WARD_TEST(options_are_copied_with_all_that_they_point_to, "S94")
{
	struct hoard args = {.full = true};
	struct ward_backoff options = nest_options();
	char name[] = "pupil";

	hoards = 0;
	options.child =
		(ward_props){.behavior = &miser, .name = name, .args = {WARD_COPY(hoard, &args)}};
	nest_on_stop(&options);
	args.full = false;
	memset(name, 'x', 5);
	memset(&options, 0xff, sizeof options);
	ward_assert_eq(hoards, 2); /* the supervisor's and its child's */
	nest_tell(task, .deed = END_WITH_IT);
	ward_assert_eq(hoards, 1);
	nest_advance(3000);
	ward_assert_eq(hoards, 2);
	ward_assert_str(nest_log(), "+0 0 +3000");
	nest_end();
	ward_assert_eq(hoards, 0);
}

/* ---- the name ---------------------------------------------------------------------------- */

static const struct {
	const char *behavior, *path;
} unnamed[] = {
	{"pupil", "sim/user/parent/nest/pupil"},
	{"the $1st pupil", "sim/user/parent/nest/the__1st_pupil"},
	{"..", "sim/user/parent/nest/_."},
	{"", "sim/user/parent/nest/actor"},
};

WARD_TEST(child_without_a_name_has_that_of_its_behaviour_each_time, "S94")
{
	for (size_t i = 0; i < sizeof unnamed / sizeof unnamed[0]; i++) {
		ward_behavior named = pupil;
		struct ward_backoff options = nest_options();
		char path[WARD_EVENT_PATH];

		named.name = unnamed[i].behavior;
		options.child = (ward_props){.behavior = &named};
		nest_on_stop(&options);
		for (int times = 0; times < 2; times++) {
			ward_kit_path(nest.kit, nest.child, path);
			ward_assert_str(path, unnamed[i].path);
			nest_tell(task, .deed = END_WITH_IT);
			nest_advance(3000);
		}
		ward_assert_str(nest_log(), "+0 0 - +3000 0 -");
		nest_end();
	}
}

WARD_TEST_MAIN
