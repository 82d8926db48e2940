/* SPDX-License-Identifier: MIT
 *
 * test_lateness.c - when timers come where there are threads: by default in the step of a
 * millisecond after their time, exact ones at their nanosecond.
 *
 * Method: a driven system, which is like one with threads except that the test is its worker. Its
 * clock is stepped, so that the test is at any nanosecond it wants.
 */
#include <ward/loop.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#include "base/clock.h"
#include "cell/system.h"

#define MS INT64_C(1000000)

enum { RINGS_MAX = 1024 };

struct order {
	ward_timer timer;
};
WARD_MESSAGE(order);
struct ring {
	int number;
};
WARD_MESSAGE(ring);

/* What has come, and when. */
static struct {
	int number;
	int64_t at_ns;
} rings[RINGS_MAX];
static int ring_count;

static ward_result ringer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct order *order;
	const struct ring *ring;

	(void)state;
	if ((order = ward_match(msg, order)) != NULL) {
		ward_timer_start(self, &order->timer, &ward_type_ring,
				 &(struct ring){(int)order->timer.key}, sizeof(struct ring));
		return WARD_DONE;
	}
	if ((ring = ward_match(msg, ring)) == NULL)
		return WARD_UNHANDLED;
	ward_assert(ring_count < RINGS_MAX);
	rings[ring_count].number = ring->number;
	rings[ring_count++].at_ns = ward_now_ns(self);
	return WARD_DONE;
}

static const ward_behavior ringer = {.name = "ringer", .receive = ringer_receive};

struct scene {
	ward_system *system;
	ward_ref ringer;
};

static int64_t now_ns(const struct scene *scene)
{
	return wardi_clock_now(&scene->system->clock);
}

static void poll(const struct scene *scene)
{
	ward_assert_ok(ward_system_poll(scene->system, 0));
}

static void step_to(const struct scene *scene, int64_t ns)
{
	wardi_clock_step_to(&scene->system->clock, ns);
	poll(scene);
}

/* Begins at that time after the begin of a millisecond. */
static struct scene begin(int64_t phase_ns)
{
	struct scene scene;
	struct wardi_clock *clock;

	ring_count = 0;
	ward_assert_ok(ward_system_create(&(ward_options){.driven = true}, &scene.system));
	clock = &scene.system->clock;
	int64_t begin_ns = (wardi_clock_now(clock) / MS + 2) * MS + phase_ns;
	clock->stepped = true;
	wardi_clock_step_to(clock, begin_ns);
	ward_assert_ok(ward_system_spawn(scene.system, WARD_PROPS(&ringer), &scene.ringer));
	poll(&scene);
	return scene;
}

static void start(const struct scene *scene, ward_timer timer)
{
	ward_assert_ok(ward_system_try_tell(scene->system, scene->ringer, order, .timer = timer));
	poll(scene);
}

static void end(const struct scene *scene)
{
	scene->system->clock.stepped = false;
	ward_assert_ok(ward_system_destroy(scene->system, WARD_MINUTE));
}

/* ---- how late ---------------------------------------------------------------------------- */

/* Begins of a millisecond, its end, and between; times at all levels of a wheel. */
static const int64_t phases_ns[] = {0, 1, 333333, 500000, 999999};
static const int64_t times_ms[] = {1, 2, 3, 255, 256, 257, 1000, 65537, 3600000};

/* Starts a timer at each phase for each time, and looks right before its time, and at most so long
 * after it. */
static void comes_within(bool exact, int64_t late_ns)
{
	for (size_t i = 0; i < sizeof(phases_ns) / sizeof(phases_ns[0]); i++) {
		struct scene scene = begin(phases_ns[i]);

		for (size_t k = 0; k < sizeof(times_ms) / sizeof(times_ms[0]); k++) {
			int64_t due_ns = now_ns(&scene) + times_ms[k] * MS;

			ring_count = 0;
			start(&scene,
			      (ward_timer){.key = 1, .after_ms = times_ms[k], .exact = exact});
			step_to(&scene, due_ns - MS / 2);
			step_to(&scene, due_ns - 1);
			ward_assert_eq(ring_count, 0);
			step_to(&scene, due_ns + late_ns);
			ward_assert_eq(ring_count, 1);
			/* Back to the phase. */
			step_to(&scene, due_ns + MS);
		}
		end(&scene);
	}
}

WARD_TEST(timer_comes_never_early_and_less_than_a_millisecond_late)
{
	comes_within(false, MS - 1);
}

WARD_TEST(timer_that_is_exact_comes_at_its_nanosecond)
{
	comes_within(true, 0);
}

WARD_TEST(timers_of_one_millisecond_come_together_except_exact_ones)
{
	struct scene scene = begin(0);
	int64_t begin_ns = now_ns(&scene);

	start(&scene, (ward_timer){.key = 1, .after_ms = 5});
	step_to(&scene, begin_ns + MS / 10);
	start(&scene, (ward_timer){.key = 2, .after_ms = 5});
	step_to(&scene, begin_ns + MS / 10 * 2);
	start(&scene, (ward_timer){.key = 3, .after_ms = 5, .exact = true});
	step_to(&scene, begin_ns + MS / 10 * 3);
	start(&scene, (ward_timer){.key = 4, .after_ms = 5});
	for (int64_t ns = MS / 10 * 4; ns <= 6 * MS; ns += MS / 10)
		step_to(&scene, begin_ns + ns);
	ward_assert_eq(ring_count, 4);
	const int64_t late_ns[] = {5 * MS, 5 * MS + MS / 10 * 2, 6 * MS, 6 * MS};
	const int order[] = {1, 3, 2, 4};
	for (int i = 0; i < 4; i++) {
		ward_assert_eq(rings[i].number, order[i]);
		ward_assert_eq(rings[i].at_ns, begin_ns + late_ns[i]);
	}
	end(&scene);
}

/* ---- no drift ---------------------------------------------------------------------------- */

enum { TICKS = 1000, PERIOD_MS = 7, STEP_NS = 370 * 1000 };

/* Whoever looks at the clock each STEP_NS, at no round times, finds the ticks. */
static void rate_keeps_to_the_clock(bool exact)
{
	struct scene scene = begin(300 * 1000);
	int64_t begin_ns = now_ns(&scene), slack_ns = exact ? 0 : MS;

	start(&scene, (ward_timer){.key = 1,
				   .mode = WARD_TIMER_FIXED_RATE,
				   .after_ms = PERIOD_MS,
				   .exact = exact});
	while (ring_count < TICKS) {
		step_to(&scene, now_ns(&scene) + STEP_NS);
		ward_assert(now_ns(&scene) < begin_ns + (TICKS + 1) * PERIOD_MS * MS);
	}
	for (int i = 0; i < TICKS; i++) {
		int64_t late_ns = rings[i].at_ns - begin_ns - (i + 1) * PERIOD_MS * MS;

		ward_assert(late_ns >= 0 && late_ns < slack_ns + STEP_NS);
	}
	end(&scene);
}

WARD_TEST(fixed_rate_does_not_drift_in_a_thousand_ticks)
{
	rate_keeps_to_the_clock(false);
	rate_keeps_to_the_clock(true);
}

/* Counted from the time of a tick, which is rounded up, each delay would be a millisecond more. */
WARD_TEST(fixed_delay_does_not_add_up_its_steps)
{
	struct scene scene = begin(300 * 1000);

	start(&scene,
	      (ward_timer){.key = 1, .mode = WARD_TIMER_FIXED_DELAY, .after_ms = PERIOD_MS});
	/* Each time a little after the begin of a millisecond, as a thread that wakes up. */
	for (int64_t ms = 0; ring_count < TICKS && ms < 2 * TICKS * PERIOD_MS; ms++)
		step_to(&scene, (now_ns(&scene) / MS + 1) * MS + ms * 7919 % 400000);
	ward_assert_eq(ring_count, TICKS);
	for (int i = 1; i < TICKS; i++)
		ward_assert_eq(rings[i].at_ns / MS - rings[0].at_ns / MS, i * PERIOD_MS);
	end(&scene);
}

WARD_TEST_MAIN
