/* SPDX-License-Identifier: MIT
 *
 * test_os_refusals.c - what the operating system said no to is told in its words, wherever it was
 * said.
 *
 * Method: what makes a thread is this program's own, and says no when told; a clone leaves errno,
 * and notes no text.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include <ward/akka_zero.h>
#include <ward/bridge.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#define TOO_MANY "Too many open files (EMFILE)"

static bool refuses_threads;

/* Instead of the C library's. */
int pthread_attr_init(pthread_attr_t *attr)
{
	static int (*real)(pthread_attr_t * attr);

	if (refuses_threads)
		return EAGAIN;
	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_attr_init");
	return real(attr);
}

struct handle {
	int fd;
};
static int clones_left;

static void handle_drop(struct handle *handle)
{
	(void)handle;
}
static ward_err handle_clone(struct handle *to, const struct handle *from)
{
	if (clones_left-- > 0) {
		*to = *from;
		return WARD_OK;
	}
	errno = EMFILE;
	return WARD_ESYS;
}
WARD_MESSAGE_CLONE(handle, handle_drop, handle_clone);

WARD_SIGNAL(go);

/* An actor that does one thing. */
static ward_result (*does)(ward_self *self, const ward_msg *msg);

static ward_result doer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	return does(self, msg);
}
static const ward_behavior doer = {
	.name = "doer", .args = &ward_type_handle, .receive = doer_receive};
static const ward_behavior plain = {.name = "plain", .receive = doer_receive};

static char noted[256];

static ward_result spawn_refused(ward_self *self, const ward_msg *msg)
{
	const char *const dispatchers[] = {WARD_PINNED, WARD_BLOCKING, "pool"};

	(void)msg;
	refuses_threads = true;
	for (int i = 0; i < 3; i++) {
		ward_ref ref;
		const ward_props props = {.behavior = &plain, .dispatcher = dispatchers[i]};

		ward_assert_err(ward_try_spawn(self, &props, &ref), WARD_ESYS);
		ward_assert_part(ward_err_detail(), "cannot start a thread: "
						    "Resource temporarily unavailable (EAGAIN)");
	}
	refuses_threads = false;
	snprintf(noted, sizeof noted, "done");
	return WARD_DONE;
}

WARD_TEST(spawn_that_needs_a_thread_and_gets_none_says_why)
{
	static const ward_dispatcher pools[] = {{.name = "pool", .threads = 2}, {.name = NULL}};
	ward_kit *kit = ward_kit_start(
		&(ward_kit_options){.real_threads = true, .system = {.dispatchers = pools}});
	const ward_props pinned = {.behavior = &plain, .dispatcher = WARD_PINNED};
	ward_ref ref;

	does = spawn_refused;
	noted[0] = '\0';
	ref = ward_kit_spawn(kit, &plain);
	ward_kit_tell(kit, ref, go);
	ward_kit_run(kit);
	ward_assert_str(noted, "done");
	refuses_threads = true;
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &pinned, &ref), WARD_ESYS);
	ward_assert_str(ward_err_detail(),
			"cannot start a thread: Resource temporarily unavailable (EAGAIN)");
	refuses_threads = false;
	ward_assert_ok(ward_system_spawn(ward_kit_system(kit), &pinned, &ref));
	ward_kit_finish(kit);
}

/* ---- clones ------------------------------------------------------------------------------ */

static ward_result never(ward_self *self, void *state, const void *args, ward_bridge *bridge)
{
	(void)self, (void)state, (void)args, (void)bridge;
	return WARD_DONE;
}

static ward_result call_nothing(ward_self *self, void *object, const void *args, void *ret_answer)
{
	(void)self, (void)object, (void)args, (void)ret_answer;
	return WARD_DONE;
}

WARD_TEST(arguments_that_cannot_be_copied_say_why_through_all_that_copies_them)
{
	static const ward_subsystem subsystem = {
		.name = "subsystem", .args = &ward_type_handle, .init = never};
	static const ward_method methods[] = {{.name = "m", .call = call_nothing}};
	static const ward_object_class class = {
		.name = "a", .methods = methods, .methods_count = 1, .args = &ward_type_handle};
	const struct handle handle = {1};
	const ward_props actor = {.behavior = &doer, .args = {WARD_COPY(handle, &handle)}};
	const ward_props bridge = *WARD_PROPS(
		&ward_bridge_behavior, .args = WARD_ARGS(ward_bridged, .subsystem = &subsystem,
							 .args = {WARD_COPY(handle, &handle)}));
	const ward_component components[] = {
		{.object_class = &class, .args = {WARD_COPY(handle, &handle)}}, {0}};
	ward_kit *kit = ward_kit_start(NULL);
	ward_objects *objects;
	ward_ref ref;

	clones_left = 0;
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &actor, &ref), WARD_ESYS);
	ward_assert_part(ward_err_detail(), "behaviour doer: ");
	ward_assert_part(ward_err_detail(), TOO_MANY);
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &bridge, &ref), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "a \"handle\" could not be copied: " TOO_MANY);
	ward_assert_err(ward_objects_configure(NULL, components, &objects), WARD_ESYS);
	ward_assert_part(ward_err_detail(), TOO_MANY);
	ward_kit_finish(kit);
}

static ward_result start_ticks(ward_self *self, const ward_msg *msg)
{
	const ward_timer timer = {.key = 1, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 10};
	const struct handle handle = {1};

	if (ward_match(msg, go) == NULL)
		return WARD_DONE;
	ward_assert_ok(
		ward_try_timer_start(self, &timer, &ward_type_handle, &handle, sizeof handle));
	return WARD_DONE;
}

WARD_TEST(tick_that_cannot_be_copied_fails_its_actor_with_the_words_of_the_system)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &plain, .name = "a");
	const ward_event *failure;

	does = start_ticks;
	clones_left = 1;
	ward_kit_tell(kit, ref, go);
	ward_kit_advance(kit, 25);
	failure = ward_kit_event(kit, WARD_EVENT_FAILURE, "*/a", 0);
	ward_assert_str(failure->failure_class, ward_os_failure.name);
	ward_assert_str(failure->text,
			"the tick of a timer: a \"handle\" could not be copied: " TOO_MANY);
	ward_assert_eq(ward_kit_stats(kit).shortages, 0);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
