/* SPDX-License-Identifier: MIT
 *
 * inside.c - runs a function of the test inside an actor.
 *
 * The test's thread and the thread that runs the function share the call, and the last of the two
 * frees it: a function that has not begun when the test gives up waiting does not run.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "testkit/check/text.h"
#include "testkit/kit/far.h"
#include "testkit/kit/kit.h"
#include "testkit/kit/move.h"

struct inside {
	/* frozen */
	ward_kit_inside_fn *fn;
	void *arg;
	pthread_mutex_t mu;
	/* under mu */
	bool given_up; /* the test no longer waits */
	bool over;
	bool ran;
};

static void free_call(struct inside *call)
{
	pthread_mutex_destroy(&call->mu);
	free(call);
}

/* ---- as the actor ------------------------------------------------------------------------ */

static ward_result run(ward_self *self, void *state, void *arg)
{
	struct inside *call = arg;

	pthread_mutex_lock(&call->mu);
	bool given_up = call->given_up;
	pthread_mutex_unlock(&call->mu);
	return given_up ? WARD_DONE : call->fn(self, state, call->arg);
}

static void over(void *arg, bool ran)
{
	struct inside *call = arg;

	pthread_mutex_lock(&call->mu);
	call->over = true;
	call->ran = ran;
	bool given_up = call->given_up;
	pthread_mutex_unlock(&call->mu);
	if (given_up)
		free_call(call);
}

/* ---- as the test ------------------------------------------------------------------------- */

static bool is_over(void *arg)
{
	struct inside *call = arg;

	pthread_mutex_lock(&call->mu);
	bool is = call->over;
	pthread_mutex_unlock(&call->mu);
	return is;
}

/* True: the call was over after all. False: the call no longer belongs to this thread. */
static bool give_up(struct inside *call)
{
	pthread_mutex_lock(&call->mu);
	call->given_up = !call->over;
	bool is = call->over;
	pthread_mutex_unlock(&call->mu);
	return is;
}

WARD_NORETURN static void fail(ward_kit *kit, ward_ref who, const char *why)
{
	char path[WARD_EVENT_PATH];

	ward_system_path(kit->system, who, path, sizeof path);
	wardi_kit_fail(kit, "cannot run a function inside %s: %s", path, why);
}

void ward_kit_inside_at(ward_kit *kit, ward_ref who, ward_kit_inside_fn *fn, void *arg,
			const char *file, int line)
{
	struct inside *call = malloc(sizeof *call);
	char why[128];

	wardi_kit_at(kit, file, line);
	if (kit->far != NULL)
		who = wardi_kit_far.guest(&kit, who);
	ward_assert(call != NULL);
	*call = (struct inside){.fn = fn, .arg = arg};
	pthread_mutex_init(&call->mu, NULL);
	ward_err err = ward_system_inside(kit->system, who, &(ward_inside){run, over, call});
	if (err != WARD_OK) {
		free_call(call);
		fail(kit, who, ward_err_detail());
	}
	if (!wardi_kit_run_until(kit, kit->patience_ms, is_over, call) && !give_up(call)) {
		snprintf(why, sizeof why,
			 "it did not come to it within %" PRId64 " ms, it is \"%s\"",
			 kit->patience_ms, ward_kit_state_text(ward_kit_state(kit, who)));
		fail(kit, who, why);
	}
	bool ran = call->ran;
	free_call(call);
	if (!ran)
		fail(kit, who, "it came to its end before");
}
