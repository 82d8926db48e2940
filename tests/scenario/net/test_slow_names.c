/* SPDX-License-Identifier: MIT
 *
 * test_slow_names.c - a look-up that takes longer than its try, or than its incarnation.
 *
 * On threads, with one worker: each getaddrinfo() waits for a byte from the case.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_entries);
void __wrap_freeaddrinfo(struct addrinfo *entries);

WARD_SIGNAL(order_fail);
WARD_SIGNAL(order_stop);

static struct scene {
	ward_kit *kit;
	ward_ref client;
	int listener, gate[2];
	char address[80];
	const ward_stream_options *options;
	atomic_int asked, retries, opened, begun, failed;
} scene;

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **ret_entries)
{
	static struct sockaddr_in at = {.sin_family = AF_INET};
	static struct addrinfo entry = {
		.ai_family = AF_INET, .ai_addrlen = sizeof at, .ai_addr = (struct sockaddr *)&at};
	char byte;

	(void)host, (void)service, (void)hints;
	atomic_fetch_add_explicit(&scene.asked, 1, memory_order_relaxed);
	if (read(scene.gate[0], &byte, 1) != 1)
		return EAI_FAIL;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*ret_entries = &entry;
	return 0;
}

void __wrap_freeaddrinfo(struct addrinfo *entries)
{
	(void)entries;
}

/* ---- the client -------------------------------------------------------------------------- */

static const ward_stream_options impatient = {
	.connect_tries = 100000, .connect_ms = 5, .min_backoff_ms = 1, .max_backoff_ms = 1};
static const ward_stream_options pausing = {
	.connect_tries = 2, .connect_ms = 5, .min_backoff_ms = WARD_MINUTE};

struct client {
	ward_stream *stream;
};

static ward_result client_init(ward_self *self, void *state, const void *args)
{
	(void)args;
	((struct client *)state)->stream = ward_stream_open(self, scene.address, scene.options);
	atomic_fetch_add_explicit(&scene.begun, 1, memory_order_relaxed);
	return WARD_DONE;
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct client *me = state;
	ward_result result;

	if (ward_match(msg, order_fail))
		return ward_failed(self, &ward_exception, "told to");
	if (ward_match(msg, order_stop))
		return ward_stop_self(self);
	result = ward_stream_result(self, me->stream, msg);
	if (ward_stream_news(me->stream) & WARD_STREAM_OPENED)
		atomic_fetch_add_explicit(&scene.opened, 1, memory_order_relaxed);
	if (ward_stream_news(me->stream) & WARD_STREAM_RETRY)
		atomic_fetch_add_explicit(&scene.retries, 1, memory_order_relaxed);
	return result;
}

static const ward_behavior client = {.name = "client",
				     .state_size = sizeof(struct client),
				     .init = client_init,
				     .receive = client_receive};

/* ---- the scene --------------------------------------------------------------------------- */

static ward_directive restart(ward_self *self, ward_ref child, const ward_failure *why)
{
	(void)self, (void)child, (void)why;
	atomic_fetch_add_explicit(&scene.failed, 1, memory_order_relaxed);
	return WARD_RESTART;
}

static const ward_strategy restarting = {.decide = restart};

static void begin(const ward_stream_options *options)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof at;

	memset(&scene, 0, sizeof scene);
	scene.options = options;
	scene.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ward_assert_eq(bind(scene.listener, (struct sockaddr *)&at, sizeof at), 0);
	ward_assert_eq(listen(scene.listener, 4), 0);
	ward_assert_eq(getsockname(scene.listener, (struct sockaddr *)&at, &size), 0);
	ward_assert_eq(pipe(scene.gate), 0);
	snprintf(scene.address, sizeof scene.address, "tcp:example.org:%u", ntohs(at.sin_port));
	scene.kit = ward_kit_start(&(ward_kit_options){
		.real_threads = true, .system = {.workers = 1, .user_strategy = &restarting}});
	scene.client = ward_kit_spawn(scene.kit, &client);
}

static void finish(void)
{
	close(scene.gate[0]);
	close(scene.gate[1]);
	close(scene.listener);
	ward_kit_finish(scene.kit);
}

static void let_through(void)
{
	ward_assert_eq(write(scene.gate[1], "", 1), 1);
}

struct count {
	atomic_int *of;
	int wanted;
};

static bool is_reached(void *arg)
{
	struct count *count = arg;

	return atomic_load_explicit(count->of, memory_order_relaxed) >= count->wanted;
}

static void wait_for(atomic_int *of, int wanted)
{
	ward_assert(ward_kit_run_until(scene.kit, 20 * WARD_SECOND, is_reached,
				       &((struct count){of, wanted})));
}

static int asked(void)
{
	return atomic_load_explicit(&scene.asked, memory_order_relaxed);
}

/* ---- the cases --------------------------------------------------------------------------- */

WARD_TEST(a_look_up_that_outlasts_its_try_is_not_repeated_and_serves_a_later_one, "S143")
{
	begin(&impatient);
	wait_for(&scene.retries, 5);
	ward_assert_eq(asked(), 1);
	/* Should it end in a pause, the next try asks again. */
	for (int i = 0; i < 20; i++)
		let_through();
	wait_for(&scene.opened, 1);
	ward_kit_stop(scene.kit, scene.client);
	ward_kit_run_until_state(scene.kit, scene.client, WARD_STATE_GONE);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_UNHANDLED, "*"), 0);
	finish();
}

static bool is_alone(void *arg)
{
	return ward_kit_stats(scene.kit).actors == *(uint64_t *)arg;
}

WARD_TEST(a_look_up_that_ends_in_a_pause_does_not_cut_it_short, "S143")
{
	uint64_t alone;

	begin(&pausing);
	wait_for(&scene.retries, 1);
	wait_for(&scene.asked, 1);
	alone = ward_kit_stats(scene.kit).actors - 1;
	let_through();
	ward_assert(ward_kit_run_until(scene.kit, 20 * WARD_SECOND, is_alone, &alone));
	ward_kit_stop(scene.kit, scene.client);
	ward_kit_run_until_state(scene.kit, scene.client, WARD_STATE_GONE);
	ward_assert_eq(atomic_load_explicit(&scene.opened, memory_order_relaxed), 0);
	ward_assert_eq(accept4(scene.listener, NULL, NULL, SOCK_CLOEXEC), -1);
	finish();
}

WARD_TEST(a_restart_waits_for_the_look_up_and_its_answer_reaches_nobody, "S144")
{
	begin(&impatient);
	wait_for(&scene.asked, 1);
	ward_kit_tell(scene.kit, scene.client, order_fail);
	wait_for(&scene.failed, 1);
	ward_assert_eq(atomic_load_explicit(&scene.begun, memory_order_relaxed), 1);
	let_through();
	wait_for(&scene.begun, 2);
	ward_assert_eq(atomic_load_explicit(&scene.opened, memory_order_relaxed), 0);
	for (int i = 0; i < 20; i++)
		let_through();
	wait_for(&scene.opened, 1);
	ward_assert(asked() >= 2);
	ward_kit_stop(scene.kit, scene.client);
	ward_kit_run_until_state(scene.kit, scene.client, WARD_STATE_GONE);
	ward_assert_eq(
		ward_kit_count(scene.kit, WARD_EVENT_UNHANDLED | WARD_EVENT_DEAD_LETTER, "*"), 0);
	finish();
}

WARD_TEST(a_stop_waits_for_the_look_up_and_nobody_connects, "S144")
{
	begin(&impatient);
	wait_for(&scene.asked, 1);
	ward_kit_tell(scene.kit, scene.client, order_stop);
	ward_kit_run_until_state(scene.kit, scene.client, WARD_STATE_STOPPING);
	let_through();
	ward_kit_run_until_state(scene.kit, scene.client, WARD_STATE_GONE);
	ward_assert_eq(accept4(scene.listener, NULL, NULL, SOCK_CLOEXEC), -1);
	finish();
}

WARD_TEST_MAIN
