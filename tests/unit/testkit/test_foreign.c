/* SPDX-License-Identifier: MIT
 *
 * test_foreign.c - kit and probes in another framework: no runner, no process for each test.
 *
 * Method: a framework as small as can be stands in for others (Check, cmocka, a main() of one's
 * own): it calls set-up, test and tear-down, and a failed check jumps back to it. So one process
 * runs all the tests, those that fail, too, and goes on.
 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "bank.h"

/* ---- the framework ----------------------------------------------------------------------- */

struct framework {
	jmp_buf back;
	char said[2048];
	int passed, failed;
};
static struct framework framework;

static void framework_fail(void *arg, const char *file, int line, const char *text)
{
	struct framework *f = arg;
	(void)file;
	(void)line;
	snprintf(f->said, sizeof(f->said), "%s", text);
	longjmp(f->back, 1);
}

struct fixture {
	struct scene scene;
};

static void framework_run(void (*test)(struct fixture *fixture))
{
	static struct fixture fixture; /* static: it is changed between setjmp and longjmp */
	framework.said[0] = '\0';
	fixture.scene = scene_start(NULL);
	if (setjmp(framework.back) == 0) {
		test(&fixture);
		framework.passed++;
	} else {
		framework.failed++;
	}
	ward_kit_finish(fixture.scene.kit);
}

/* ---- its tests --------------------------------------------------------------------------- */

static void passes(struct fixture *f)
{
	ward_probe_tell(f->scene.probe, f->scene.bank, deposit, .cents = 4);
	ward_assert_eq(ward_expect(f->scene.probe, WARD_SECOND, balance)->cents, 4);
}

static void fails_while_it_waits(struct fixture *f)
{
	ward_expect(f->scene.probe, WARD_SECOND, balance);
}

static void fails_with_a_body_in_hand(struct fixture *f)
{
	struct parcel made = parcel(1);
	ward_probe_send(f->scene.probe, f->scene.bank, WARD_COPY(parcel, &made));
	made = parcel(2);
	ward_probe_send(f->scene.probe, f->scene.bank, WARD_COPY(parcel, &made));
	ward_expect(f->scene.probe, WARD_SECOND, balance);
}

static void fails_in_a_block(struct fixture *f)
{
	ward_expect_events(f->scene.kit, 1, .class_name = "broke") ward_kit_run(f->scene.kit);
}

static void fails_as_a_parent(struct fixture *f)
{
	ward_ref child = ward_probe_spawn_props(f->scene.probe, &bank_props);
	ward_probe_tell(f->scene.probe, child, break_down);
	ward_expect_failure(f->scene.probe, WARD_SECOND, f->scene.bank, NULL);
}

/* The one case of ours: the runner only starts the framework. */
WARD_TEST(tests_of_another_framework_fail_one_by_one_and_leave_nothing)
{
	ward_test_on_failure(framework_fail, &framework);
	framework_run(passes);
	framework_run(fails_while_it_waits);
	bool said = strstr(framework.said, "nothing came within 1000 ms") != NULL;
	framework_run(fails_with_a_body_in_hand);
	said = said && strstr(framework.said, "got parcel from sim/user/bank") != NULL;
	framework_run(fails_in_a_block);
	said = said && strstr(framework.said, "expected 1 events, saw 0") != NULL;
	framework_run(fails_as_a_parent);
	said = said && strstr(framework.said, "got broke of sim/user/probe/bank") != NULL;
	framework_run(passes);
	ward_test_on_failure(NULL, NULL);
	ward_assert(said);
	ward_assert_eq(framework.passed, 2);
	ward_assert_eq(framework.failed, 4);
	ward_assert_eq(parcels(), 0);
}

WARD_TEST_MAIN
