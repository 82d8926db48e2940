/* SPDX-License-Identifier: MIT
 *
 * whole_run.c - one small system that uses all that the runtime asks of the operating system.
 *
 * Each part of the run counts as done when it has come to its end, or was refused with a code. The
 * main thread waits for all of them, and then destroys the system.
 */
#include "support/whole_run.h"

#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <ward/ward.h>

enum {
	PATIENCE_S = 15,
	PATIENCE_MS = PATIENCE_S * 1000,
	CREW = 3,
	TICKS = 3,
	BYTES = 2,
	GRINDS = 2,
	GRIND_NS = 10 * 1000 * 1000,
	PAUSES = 1000
};

enum part {
	PART_CLOCK = 1,
	PART_LISTENER = 2,
	PART_PINNED = 4,
	PART_MILL = 8,
	PART_CREW = 16,
	PART_ALL = 31
};

WARD_SIGNAL(tick);
WARD_SIGNAL(work);
WARD_SIGNAL(grind);
struct whole_echo {
	int value;
};
WARD_MESSAGE_FLAT(whole_echo);

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* under mu */
static unsigned done;
static int crew_size = CREW, crew_there;
static int ends[2];
static _Atomic int ground;
static struct whole_run *current;

__attribute__((format(printf, 1, 2))) static enum whole_end wrong(const char *text, ...)
{
	va_list args;

	va_start(args, text);
	vsnprintf(current->text, sizeof current->text, text, args);
	va_end(args);
	return WHOLE_WRONG;
}

static struct timespec in_time(void)
{
	struct timespec until;

	(void)timespec_get(&until, TIME_UTC);
	until.tv_sec += PATIENCE_S;
	return until;
}

static void finish(enum part part)
{
	pthread_mutex_lock(&mu);
	done |= part;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mu);
}

/* ---- actors ------------------------------------------------------------------------------ */

static ward_result clock_init(ward_self *self, void *state, const void *args)
{
	const ward_timer timer = {
		.key = 1, .mode = WARD_TIMER_FIXED_DELAY, .after_ms = 1, .every_ms = 1};

	(void)state;
	(void)args;
	if (ward_try_timer_start(self, &timer, WARD_BODY(tick)) != WARD_OK)
		finish(PART_CLOCK);
	return WARD_DONE;
}

static ward_result clock_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int *ticks = state;

	if (ward_match(msg, tick) != NULL && ++*ticks == TICKS) {
		ward_timer_cancel(self, 1);
		finish(PART_CLOCK);
	}
	return WARD_DONE;
}

static const ward_behavior clock_actor = {
	.name = "clock", .state_size = sizeof(int), .init = clock_init, .receive = clock_receive};

static ward_result listener_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	if (ward_try_fd_watch(self, ends[0], WARD_FD_READ) != WARD_OK)
		finish(PART_LISTENER);
	return WARD_DONE;
}

static ward_result listener_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int *bytes = state;
	char byte;

	if (ward_match(msg, ward_fd_ready) == NULL)
		return WARD_UNHANDLED;
	if (recv(ends[0], &byte, 1, MSG_DONTWAIT) == 1)
		++*bytes;
	if (*bytes == BYTES || ward_try_fd_watch(self, ends[0], WARD_FD_READ) != WARD_OK)
		finish(PART_LISTENER);
	return WARD_DONE;
}

static const ward_behavior listener = {.name = "listener",
				       .state_size = sizeof(int),
				       .init = listener_init,
				       .receive = listener_receive};

/* Each keeps its thread until all are there. */
static ward_result crew_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct timespec until = in_time();

	(void)self;
	(void)state;
	(void)msg;
	pthread_mutex_lock(&mu);
	crew_there++;
	pthread_cond_broadcast(&changed);
	while (!current->few_threads && crew_there < crew_size &&
	       pthread_cond_timedwait(&changed, &mu, &until) == 0)
		;
	if (crew_there == crew_size) {
		done |= PART_CREW;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&mu);
	return WARD_DONE;
}
static const ward_behavior crew = {.name = "crew", .receive = crew_receive};

static ward_result pinned_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	finish(PART_PINNED);
	return WARD_DONE;
}
static const ward_behavior pinned = {.name = "pinned", .receive = pinned_receive};

static ward_result echo_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct whole_echo *echo = ward_match(msg, whole_echo);

	(void)state;
	if (echo == NULL)
		return WARD_UNHANDLED;
	ward_reply(self, msg, whole_echo, .value = echo->value + 1);
	return WARD_DONE;
}
static const ward_behavior echo_actor = {.name = "echo", .receive = echo_receive};

/* What waits behind a long handler is stolen: the mill waits for that, though not for ever. */
static ward_result grinder_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	atomic_fetch_add(&ground, 1);
	return WARD_DONE;
}
static const ward_behavior grinder = {.name = "grinder", .receive = grinder_receive};

static int64_t utc_ns(void)
{
	struct timespec now;

	(void)timespec_get(&now, TIME_UTC);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static ward_result mill_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_ref ref;

	(void)state;
	(void)msg;
	for (int round = 0; round < GRINDS; round++) {
		int64_t until_ns = utc_ns() + GRIND_NS;
		int before = atomic_load(&ground);

		if (ward_try_spawn(self, WARD_PROPS(&grinder), &ref) != WARD_OK)
			break;
		ward_tell(self, ref, grind);
		while (atomic_load(&ground) == before && utc_ns() < until_ns)
			for (volatile int i = 0; i < PAUSES; i++)
				;
	}
	finish(PART_MILL);
	return WARD_DONE;
}
static const ward_behavior mill = {.name = "mill", .receive = mill_receive};

/* ---- the run ----------------------------------------------------------------------------- */

static void note_event(void *arg, const ward_event *event)
{
	struct whole_run *run = arg;
	int number;

	if (event->kind != WARD_EVENT_NOTE)
		return;
	number = atomic_fetch_add(&run->notes, 1);
	if (number < 2)
		ward_event_format(event, run->note[number], sizeof run->note[number]);
}

static void note_fatal(void *arg, const char *text)
{
	struct whole_run *run = arg;

	snprintf(run->fatal, sizeof run->fatal, "%s", text);
}

/* True: it is there, and was told to work; false: it was refused, and `part` is done. */
static bool start(ward_system *system, const ward_behavior *behavior, const char *dispatcher,
		  unsigned part)
{
	ward_ref ref;
	ward_err err =
		ward_system_spawn(system, WARD_PROPS(behavior, .dispatcher = dispatcher), &ref);

	if (err != WARD_OK) {
		finish(part);
		return false;
	}
	ward_system_tell(system, ref, work);
	return true;
}

static void start_crew(ward_system *system)
{
	int there = 0;

	for (int i = 0; i < CREW; i++)
		there += start(system, &crew, WARD_BLOCKING, 0);
	pthread_mutex_lock(&mu);
	crew_size = there;
	if (crew_there == there)
		done |= PART_CREW;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mu);
}

static enum whole_end receive_one(ward_inbox *inbox, ward_ref echo)
{
	struct pollfd polled = {.fd = -1, .events = POLLIN};
	const ward_msg *msg;
	ward_err err;

	if (!current->no_inbox_fd && ward_inbox_fd(inbox, &polled.fd) != WARD_OK)
		polled.fd = -1;
	ward_inbox_tell(inbox, echo, whole_echo, .value = 1);
	if (polled.fd >= 0 && poll(&polled, 1, PATIENCE_MS) != 1)
		return wrong("the descriptor of the inbox is not ready");
	err = ward_inbox_receive(inbox, PATIENCE_MS, &msg);
	if (err != WARD_OK)
		return wrong("the inbox got nothing: %s", ward_err_detail());
	return WHOLE_DONE;
}

/* Questions, from outside. */
static enum whole_end ask(ward_system *system)
{
	struct whole_echo question = {.value = 1}, answer = {.value = 0};
	enum whole_end end = WHOLE_DONE;
	ward_inbox *inbox;
	ward_ref echo;
	ward_err err = ward_system_spawn(system, WARD_PROPS(&echo_actor), &echo);

	if (err != WARD_OK)
		return wrong("no actor to ask: %s", ward_err_detail());
	err = ward_system_ask_send(system, echo, PATIENCE_MS, &ward_type_whole_echo, &answer,
				   &ward_type_whole_echo, &question, sizeof question);
	if (err != WARD_OK || answer.value != 2)
		return wrong("no answer: %s", ward_err_detail());
	if (ward_inbox_create(system, NULL, &inbox) == WARD_OK) {
		end = receive_one(inbox, echo);
		ward_inbox_destroy(inbox);
	}
	return end;
}

static enum whole_end wait_for_all(void)
{
	struct timespec until = in_time();
	unsigned missing;

	pthread_mutex_lock(&mu);
	if (current->no_descriptors)
		done |= PART_LISTENER;
	while (done != PART_ALL && pthread_cond_timedwait(&changed, &mu, &until) == 0)
		;
	missing = PART_ALL & ~done;
	pthread_mutex_unlock(&mu);
	return missing == 0 ? WHOLE_DONE : wrong("not done in time: parts 0x%x", missing);
}

static enum whole_end use(ward_system *system)
{
	enum whole_end end;

	start(system, &clock_actor, NULL, PART_CLOCK);
	start(system, &listener, NULL, PART_LISTENER);
	start(system, &pinned, WARD_PINNED, PART_PINNED);
	start(system, &mill, NULL, PART_MILL);
	start_crew(system);
	if (send(ends[1], "ab", BYTES, 0) != BYTES)
		return wrong("send");
	end = ask(system);
	return end == WHOLE_DONE ? wait_for_all() : end;
}

enum whole_end whole_run(struct whole_run *run)
{
	ward_system *system;
	enum whole_end end;
	ward_err err;

	current = run;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return wrong("socketpair");
	err = ward_system_create(
		&(ward_options){.workers = 2,
				.blocking = CREW,
				.signals = run->signals ? WARD_SIGNALS_END : WARD_SIGNALS_OFF,
				.log = note_event,
				.log_arg = run,
				.fatal = note_fatal,
				.fatal_arg = run},
		&system);
	if (err != WARD_OK) {
		snprintf(run->text, sizeof run->text, "%s", ward_err_detail());
		return run->text[0] != '\0' ? WHOLE_NOT_CREATED : wrong("refused without a text");
	}
	if (run->created != NULL)
		run->created();
	end = use(system);
	if (ward_system_destroy(system, PATIENCE_MS) != WARD_OK && end == WHOLE_DONE)
		return wrong("not destroyed: %s", ward_err_detail());
	return end;
}
