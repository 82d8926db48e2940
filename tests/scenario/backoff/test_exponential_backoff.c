/* SPDX-License-Identifier: MIT
 *
 * test_exponential_backoff.c - exponential back-off as a value: slots, waits, resets (S104, S105).
 *
 * Method: the draws are the test's own, so each wait is exact; then many draws of a system's own
 * generator, which must be spread evenly.
 */
#include <ward/exponential.h>
#include <ward/testkit.h>
#include <ward/ward.h>

/* ---- draws that are chosen --------------------------------------------------------------- */

enum dice_kind { LARGEST, SMALLEST, FIXED, TOO_LARGE };

struct dice {
	enum dice_kind kind;
	uint32_t fixed;
	int thrown;
	uint32_t count; /* of the last throw */
};

static uint32_t throw_dice(void *arg, uint32_t count)
{
	struct dice *dice = arg;

	dice->thrown++;
	dice->count = count;
	switch (dice->kind) {
	case LARGEST:
		return count - 1;
	case SMALLEST:
		return 0;
	case TOO_LARGE:
		return UINT32_MAX;
	case FIXED:
	default:
		return dice->fixed;
	}
}

static ward_exponential make(struct dice *dice, int64_t slot_time_ms, uint32_t ceiling, bool stay)
{
	ward_exponential made;

	ward_assert_ok(ward_try_exponential_init(
		&made, &(ward_exponential_options){.slot_time_ms = slot_time_ms,
						   .ceiling = ceiling,
						   .stay_at_ceiling = stay,
						   .draw = throw_dice,
						   .draw_arg = dice}));
	return made;
}

/* ---- the state --------------------------------------------------------------------------- */

WARD_TEST(new_back_off_has_not_started_and_has_its_defaults, "S104")
{
	ward_exponential made;

	ward_assert_ok(ward_try_exponential_init(&made, NULL));
	ward_assert_eq(made.options.slot_time_ms, 10);
	ward_assert_eq(made.options.ceiling, 10);
	ward_assert(!made.options.stay_at_ceiling);
	ward_assert_eq(made.slot, 1);
	ward_assert_eq(made.wait_ms, 0);
	ward_assert_eq(made.retries, 0);
	ward_assert_eq(made.resets, 0);
	ward_assert_eq(made.total_retries, 0);
	ward_assert(!ward_exponential_started(&made));
}

/* As it is in the state of an actor. */
WARD_TEST(back_off_that_is_all_zero_has_the_defaults, "S104", "S105")
{
	struct dice dice = {.kind = LARGEST};
	const ward_exponential zero = {.options = {.draw = throw_dice, .draw_arg = &dice}};
	ward_exponential now = zero;

	ward_assert(!ward_exponential_started(&now));
	for (uint32_t slot = 1; slot < 10; slot++) {
		now = ward_exponential_next(NULL, now);
		ward_assert_eq(now.wait_ms, 10 * ((INT64_C(1) << slot) - 1));
		ward_assert_eq(now.slot, slot + 1);
		ward_assert_eq(now.retries, slot);
	}
	ward_assert_eq(now.resets, 0);
	now = ward_exponential_next(NULL, now);
	ward_assert_eq(now.resets, 1);
	ward_assert_eq(now.wait_ms, 0);

	now = ward_exponential_reset(zero);
	ward_assert_eq(now.resets, 1);
	ward_assert_eq(now.slot, 1);
	ward_assert_eq(now.options.slot_time_ms, 10);
	ward_assert_eq(now.options.ceiling, 10);
	now = ward_exponential_next(NULL, now);
	ward_assert_eq(now.wait_ms, 10);
}

WARD_TEST(options_without_an_init_have_the_default_of_the_others, "S104", "S105")
{
	struct dice dice = {.kind = LARGEST};
	ward_exponential now = {
		.options = {.stay_at_ceiling = true, .draw = throw_dice, .draw_arg = &dice}};

	for (int i = 0; i < 12; i++)
		now = ward_exponential_next(NULL, now);
	ward_assert_eq(now.wait_ms, 10230); /* in the slot of the ceiling, 10 */
	ward_assert_eq(now.slot, 10);
	ward_assert_eq(now.resets, 0);
}

WARD_TEST(reset_begins_anew_and_keeps_the_total, "S104")
{
	struct dice dice = {.kind = LARGEST};
	ward_exponential now = make(&dice, 10, 10, false);

	for (int i = 0; i < 3; i++)
		now = ward_exponential_next(NULL, now);
	ward_assert(ward_exponential_started(&now));
	ward_assert_eq(now.wait_ms, 70);
	ward_assert_eq(now.slot, 4);
	ward_assert_eq(now.retries, 3);

	now = ward_exponential_reset(now);
	ward_assert(!ward_exponential_started(&now));
	ward_assert_eq(now.slot, 1);
	ward_assert_eq(now.wait_ms, 0);
	ward_assert_eq(now.retries, 0);
	ward_assert_eq(now.resets, 1);
	ward_assert_eq(now.total_retries, 3);

	/* A reset of what has not started counts, too. */
	now = ward_exponential_reset(now);
	ward_assert_eq(now.resets, 2);
}

WARD_TEST(next_gives_another_value_and_leaves_the_old_one, "S104")
{
	struct dice dice = {.kind = LARGEST};
	const ward_exponential before = make(&dice, 10, 10, false);
	const ward_exponential after = ward_exponential_next(NULL, before);

	ward_assert_eq(before.slot, 1);
	ward_assert_eq(before.retries, 0);
	ward_assert_eq(after.slot, 2);
	ward_assert_eq(after.retries, 1);
}

WARD_TEST(options_that_cannot_be_are_refused_with_a_text, "S104")
{
	ward_exponential made = {.slot = 77};

	ward_assert_err(
		ward_try_exponential_init(&made, &(ward_exponential_options){.slot_time_ms = -5}),
		WARD_EINVAL);
	ward_assert_part(ward_err_detail(), ".slot_time_ms is -5");
	ward_assert_err(
		ward_try_exponential_init(&made, &(ward_exponential_options){.reserved = {0, 1}}),
		WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "reserved");
	ward_assert_eq(made.slot, 77);
}

/* ---- the waits --------------------------------------------------------------------------- */

WARD_TEST(longest_wait_of_slot_s_is_2_to_the_s_less_1_slot_times, "S105")
{
	struct dice dice = {.kind = LARGEST};
	ward_exponential now = make(&dice, 10, 20, false);

	for (uint32_t slot = 1; slot < 20; slot++) {
		ward_assert_eq(now.slot, slot);
		now = ward_exponential_next(NULL, now);
		ward_assert_eq(dice.count, slot + 1); /* one of 0..slot */
		ward_assert_eq(now.wait_ms, 10 * ((INT64_C(1) << slot) - 1));
	}
}

WARD_TEST(each_number_of_a_slot_has_its_wait, "S105")
{
	for (uint32_t number = 0; number <= 5; number++) {
		struct dice dice = {.kind = FIXED, .fixed = number};
		ward_exponential now = make(&dice, 3, 10, false);

		now.slot = 5;
		now = ward_exponential_next(NULL, now);
		ward_assert_eq(now.wait_ms, 3 * ((1 << number) - 1));
	}
}

WARD_TEST(no_wait_is_possible_in_every_slot_and_counts_as_a_retry, "S105")
{
	struct dice dice = {.kind = SMALLEST};
	ward_exponential now = make(&dice, 10, 10, false);

	for (uint32_t i = 1; i < 10; i++) {
		now = ward_exponential_next(NULL, now);
		ward_assert_eq(now.wait_ms, 0);
		ward_assert_eq(now.retries, i);
		ward_assert(ward_exponential_started(&now));
	}
}

WARD_TEST(ceiling_of_c_gives_c_less_1_waits_and_then_resets, "S105")
{
	static const uint32_t ceilings[] = {1, 2, 3, 10};

	for (size_t i = 0; i < sizeof ceilings / sizeof ceilings[0]; i++) {
		struct dice dice = {.kind = LARGEST};
		uint32_t ceiling = ceilings[i];
		ward_exponential now = make(&dice, 10, ceiling, false);

		for (uint32_t round = 1; round <= 3; round++) {
			for (uint32_t n = 1; n < ceiling; n++) {
				now = ward_exponential_next(NULL, now);
				ward_assert_eq(now.retries, n);
				ward_assert_eq(now.wait_ms, 10 * ((INT64_C(1) << n) - 1));
			}
			int thrown = dice.thrown;
			now = ward_exponential_next(NULL, now);
			ward_assert_eq(dice.thrown, thrown); /* as a reset: nothing is drawn */
			ward_assert(!ward_exponential_started(&now));
			ward_assert_eq(now.slot, 1);
			ward_assert_eq(now.wait_ms, 0);
			ward_assert_eq(now.resets, round);
			ward_assert_eq(now.total_retries, (uint64_t)round * (ceiling - 1));
		}
	}
}

WARD_TEST(back_off_that_stays_at_its_ceiling_waits_on_there, "S105")
{
	struct dice dice = {.kind = LARGEST};
	ward_exponential now = make(&dice, 10, 4, true);
	static const int64_t waits[] = {10, 30, 70, 150, 150, 150};

	for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
		now = ward_exponential_next(NULL, now);
		ward_assert_eq(now.wait_ms, waits[i]);
		ward_assert_eq(now.retries, i + 1);
	}
	ward_assert_eq(now.slot, 4);
	ward_assert_eq(now.resets, 0);
}

WARD_TEST(ceiling_of_1_that_it_stays_at_draws_from_0_and_1, "S105")
{
	struct dice dice = {.kind = LARGEST};
	ward_exponential now = make(&dice, 10, 1, true);

	for (int i = 0; i < 3; i++) {
		now = ward_exponential_next(NULL, now);
		ward_assert_eq(dice.count, 2);
		ward_assert_eq(now.wait_ms, 10);
	}
}

WARD_TEST(draw_that_is_too_large_stands_for_the_last, "S105")
{
	struct dice dice = {.kind = TOO_LARGE};
	ward_exponential now = make(&dice, 10, 10, false);

	now = ward_exponential_next(NULL, now);
	ward_assert_eq(now.wait_ms, 10);
}

WARD_TEST(wait_too_long_for_a_number_is_for_ever, "S105")
{
	struct dice dice = {.kind = LARGEST};
	ward_exponential now = make(&dice, 1, 100, true);

	for (int slot = 1; slot <= 62; slot++)
		now = ward_exponential_next(NULL, now);
	ward_assert_eq(now.wait_ms, (INT64_C(1) << 62) - 1);
	for (int slot = 63; slot <= 200; slot++) {
		now = ward_exponential_next(NULL, now);
		ward_assert_eq(now.wait_ms, WARD_FOREVER);
	}
	now = make(&dice, WARD_FOREVER / 7, 10, false);
	for (int slot = 1; slot <= 3; slot++)
		now = ward_exponential_next(NULL, now);
	ward_assert_eq(now.wait_ms, WARD_FOREVER / 7 * 7);
	now = ward_exponential_next(NULL, now);
	ward_assert_eq(now.wait_ms, WARD_FOREVER);
}

/* ---- a system's generator ---------------------------------------------------------------- */

enum { SAMPLES = 100000, SLOT = 7 };

struct life_counters {
	int seen[SLOT + 1];
	int others;
};
struct tally_args {
	struct life_counters *life_counters;
};
WARD_MESSAGE(tally_args);

/* Of the same slot, again and again. */
static ward_result draw_many(ward_self *self, void *state, const void *args)
{
	struct life_counters *life_counters = ((const struct tally_args *)args)->life_counters;
	ward_exponential now;

	(void)state;
	ward_exponential_init(self, &now, &(ward_exponential_options){.slot_time_ms = 1});
	now.slot = SLOT;
	for (int i = 0; i < SAMPLES; i++) {
		int64_t wait_ms = ward_exponential_next(self, now).wait_ms;
		int e = 0;

		while (e <= SLOT && (INT64_C(1) << e) - 1 != wait_ms)
			e++;
		if (e <= SLOT)
			life_counters->seen[e]++;
		else
			life_counters->others++;
	}
	return WARD_DONE;
}

static ward_result receive_nothing(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}

/* For 8 even classes the sum of squares below exceeds 24.3 once in a thousand seeds; the seed is
 * the same in each run. */
WARD_TEST(hundred_thousand_waits_are_spread_evenly_over_their_exponents, "S105")
{
	static const ward_behavior drawer = {.name = "drawer",
					     .args = &ward_type_tally_args,
					     .init = draw_many,
					     .receive = receive_nothing};
	struct life_counters life_counters = {.others = 0};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.seed = 11});
	const double expected = (double)SAMPLES / (SLOT + 1);
	double chi_square = 0;

	ward_kit_spawn(kit, &drawer, .args = WARD_ARGS(tally_args, &life_counters));
	ward_kit_run(kit);
	ward_assert_eq(life_counters.others, 0);
	for (int e = 0; e <= SLOT; e++) {
		double off = life_counters.seen[e] - expected;

		ward_assert(life_counters.seen[e] > 0);
		chi_square += off * off / expected;
	}
	ward_assert(chi_square < 24.3);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
