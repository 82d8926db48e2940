/* SPDX-License-Identifier: MIT
 *
 * faulting_actor.h - what the tests of hardware faults share: faults, an actor that runs into them,
 * and a system on real threads that contains them or does not.
 */
#ifndef SCENARIO_FAILURES_FAULTING_ACTOR_H
#define SCENARIO_FAILURES_FAULTING_ACTOR_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/ward.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

enum { PATIENCE_MS = 60 * 1000, OWNED = 1000 };

/* ---- faults ------------------------------------------------------------------------------ */

/* Through volatile objects, or the compiler takes the fault out. */
static volatile uintptr_t nowhere = 16;
static volatile int zero, sink;

static inline void bad_store(void)
{
	*(volatile int *)nowhere = 1;
}

static inline void bad_page(void)
{
	int fd = memfd_create("short", 0);
	volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	sink = page[0]; /* behind the end of the file: SIGBUS */
}

__attribute__((no_sanitize("undefined"))) static inline void divide(void)
{
#if defined(__x86_64__)
	sink = 7 / zero;
#else
	__asm__ volatile("" : : : "memory");
	bad_store(); /* where a division by zero is no fault */
#endif
}

static inline void bad_instruction(void)
{
#if defined(__x86_64__)
	__asm__ volatile("ud2");
#else
	__asm__ volatile("udf #0");
#endif
}

/* Not AddressSanitizer's: it calls code of its own in each frame, where a fault is not ours. */
__attribute__((noinline, unused, no_sanitize_address)) static int dig(int depth)
{
	volatile char room[1024];
	room[0] = (char)depth;
	return depth == sink ? 0 : dig(depth + 1) + room[0];
}

static inline void overflow(void)
{
	sink = -1;
	sink = dig(0);
}

static void (*volatile swap_bytes)(const void *, void *, ssize_t) = swab;

static inline void bad_in_libc(void)
{
	char two[2] = "a";
	swap_bytes(two, (void *)nowhere, 2);
}

static inline void bad_in_ward(void)
{
	sink = ward_msg_type((const ward_msg *)nowhere) == NULL;
}

static inline void sent(void)
{
	raise(SIGSEGV);
}

/* ---- an actor that faults ---------------------------------------------------------------- */

struct order {
	void (*fault)(void);
};
WARD_MESSAGE(order);

static _Atomic int drops, deferred, hooks, incarnations, children_stopped;
static _Atomic uintptr_t stack_at;

/* Relaxed, all: the answers that are waited for order them. */
static inline void count(_Atomic int *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static inline int counted(_Atomic int *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static inline void reset(_Atomic int *counter)
{
	atomic_store_explicit(counter, 0, memory_order_relaxed);
}

/* A message that owns something. */
struct parcel {
	void (*fault)(void);
	void *owned;
};
static void (*volatile fault_in_drop)(void);
static inline void parcel_drop(struct parcel *parcel)
{
	count(&drops);
	if (fault_in_drop != NULL)
		fault_in_drop();
	free(parcel->owned);
}
WARD_MESSAGE_DROP(parcel, parcel_drop);

struct question {
	int number;
};
struct answer {
	int incarnation;
};
WARD_MESSAGE(question);
WARD_MESSAGE(answer);
WARD_REPLY(question, answer);

static void (*volatile fault_in_init)(void);
static void (*volatile fault_in_post_stop)(void);
static void (*volatile fault_in_deferred)(void);

static inline void note_deferred(void *arg)
{
	(void)arg;
	count(&deferred);
	if (fault_in_deferred != NULL)
		fault_in_deferred();
}

static inline ward_result child_post_stop(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	count(&children_stopped);
	return WARD_DONE;
}

static inline ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior child = {
	.name = "child", .receive = child_receive, .post_stop = child_post_stop};

static inline ward_result victim_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	void (*fault)(void) = fault_in_init;
	count(&incarnations);
	ward_defer(self, note_deferred, NULL);
	memset(ward_alloc(self, OWNED), 1, OWNED);
	if (ward_try_spawn(self, WARD_PROPS(&child, .name = "child"), NULL) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	if (fault != NULL) {
		fault_in_init = NULL; /* the next try is better */
		fault();
	}
	return WARD_DONE;
}

static inline ward_result victim_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct order *order = ward_match(msg, order);
	const struct parcel *parcel = ward_match(msg, parcel);
	(void)state;
	atomic_store_explicit(&stack_at, (uintptr_t)__builtin_frame_address(0),
			      memory_order_relaxed);
	if (ward_match(msg, question) != NULL) {
		ward_reply(self, msg, answer, .incarnation = counted(&incarnations));
		return WARD_DONE;
	}
	if (order != NULL)
		order->fault();
	if (parcel != NULL && parcel->fault != NULL)
		parcel->fault();
	return WARD_DONE;
}

static inline ward_result victim_post_stop(ward_self *self, void *state)
{
	(void)state;
	/* What an earlier incarnation faulted with is no message of this one. */
	ward_assert(ward_take(self, order) == NULL);
	count(&hooks);
	if (fault_in_post_stop != NULL)
		fault_in_post_stop();
	return WARD_DONE;
}

static inline ward_result victim_pre_restart(ward_self *self, void *state, const ward_failure *why,
					     const ward_msg *msg)
{
	(void)state;
	(void)why;
	(void)msg;
	count(&hooks);
	return ward_default_pre_restart(self);
}

static const ward_behavior victim = {
	.name = "victim",
	.init = victim_init,
	.receive = victim_receive,
	.pre_restart = victim_pre_restart,
	.post_stop = victim_post_stop,
};

/* ---- a system ---------------------------------------------------------------------------- */

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static ward_event last; /* under mu: the last failure */
static void (*volatile fault_in_log)(void);

static inline void hear(void *arg, const ward_event *event)
{
	(void)arg;
	void (*fault)(void) = fault_in_log;
	if (fault != NULL) {
		fault_in_log = NULL;
		fault();
	}
	if (event->kind != WARD_EVENT_FAILURE && event->kind != WARD_EVENT_HOOK_FAILURE)
		return;
	pthread_mutex_lock(&mu);
	last = *event;
	pthread_mutex_unlock(&mu);
}

/* A copy of the last failure; good until the next call. */
static inline const ward_event *seen(void)
{
	static ward_event copy;

	pthread_mutex_lock(&mu);
	copy = last;
	pthread_mutex_unlock(&mu);
	return &copy;
}

static inline ward_system *start(ward_options options)
{
	ward_system *system;
	options.workers = 2;
	options.log = hear;
	ward_assert_ok(ward_system_create(&options, &system));
	return system;
}

static inline ward_system *start_containing(const ward_strategy *strategy, uint32_t max)
{
	return start((ward_options){
		.faults = WARD_FAULTS_CONTAIN, .faults_max = max, .user_strategy = strategy});
}

static inline ward_ref spawn(ward_system *system)
{
	ward_ref ref;
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&victim), &ref));
	return ref;
}

static inline void let(ward_system *system, ward_ref who, void (*fault)(void))
{
	ward_system_tell(system, who, order, .fault = fault);
}

static inline int ask(ward_system *system, ward_ref who)
{
	struct answer answer;
	ward_assert_ok(ward_system_ask(system, who, PATIENCE_MS, &answer, question, .number = 1));
	return answer.incarnation;
}

static inline void await(ward_system *system, ward_ref who)
{
	ward_assert_ok(ward_system_wait_for(system, who, PATIENCE_MS));
}

static inline ward_stats stats_of(ward_system *system)
{
	ward_stats stats;
	ward_system_stats(system, &stats);
	return stats;
}

static inline void finish(ward_system *system)
{
	ward_assert_ok(ward_system_destroy(system, PATIENCE_MS));
}

static const ward_strategy restart = {.otherwise = WARD_RESTART};

static const struct {
	void (*fault)(void);
	const char *name, *signal;
} faults[] = {
	{bad_store, "ward_bad_memory", "SIGSEGV"},
	{bad_page, "ward_bad_memory", "SIGBUS"},
#if defined(__x86_64__)
	{divide, "ward_bad_arithmetic", "SIGFPE"},
#endif
	{bad_instruction, "ward_bad_instruction", "SIGILL"},
	{overflow, "ward_stack_overflow", "SIGSEGV"},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

#endif
