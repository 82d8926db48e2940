/* SPDX-License-Identifier: MIT
 *
 * test_refused_signals.c - the operating system refuses what containing faults takes: handlers, and
 * stacks for them. A system is not created then, or does its work; and no handler is left behind.
 *
 * Method: the functions below stand before those of the C library, also for the shared library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { CALLS_MAX = 100 };

static _Atomic int left;              /* until one is refused; 0: none is */
static _Atomic bool handlers, stacks; /* which of them count */

static bool refused(const _Atomic bool *counts)
{
	if (!atomic_load(counts) || atomic_load(&left) == 0 || atomic_fetch_sub(&left, 1) != 1)
		return false;
	errno = EPERM;
	return true;
}

int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
	int (*next)(int, const struct sigaction *, struct sigaction *);

	*(void **)&next = dlsym(RTLD_NEXT, "sigaction");
	return refused(&handlers) ? -1 : next(signal, action, before);
}

static _Thread_local const void *in_use; /* the stack for signals of this thread */
static _Atomic int unmapped;             /* those that a thread had still */

int sigaltstack(const stack_t *stack, stack_t *before)
{
	int (*next)(const stack_t *, stack_t *);
	int rc;

	*(void **)&next = dlsym(RTLD_NEXT, "sigaltstack");
	rc = refused(&stacks) ? -1 : next(stack, before);
	if (rc == 0 && stack != NULL)
		in_use = stack->ss_flags & SS_DISABLE ? NULL : stack->ss_sp;
	return rc;
}

int munmap(void *at, size_t size)
{
	int (*next)(void *, size_t);

	*(void **)&next = dlsym(RTLD_NEXT, "munmap");
	if (at != NULL && at == in_use)
		atomic_fetch_add(&unmapped, 1);
	return next(at, size);
}

static void (*handler_of(int signal))(int, siginfo_t *, void *)
{
	struct sigaction now = {.sa_flags = 0};

	ward_assert_eq(sigaction(signal, NULL, &now), 0);
	return now.sa_sigaction;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}
static const ward_behavior pinned = {.name = "pinned", .receive = receive};

/* Returns whether it was created. What is refused may be the last one, when the system ends. */
static bool create_and_destroy(void)
{
	ward_options options = {.workers = 2, .faults = WARD_FAULTS_CONTAIN};
	ward_system *system;
	ward_err err = ward_system_create(&options, &system);
	ward_ref ref;

	if (err != WARD_OK) {
		ward_assert(ward_err_detail()[0] != '\0');
		if (atomic_load(&handlers))
			ward_assert_part(ward_err_detail(), "Operation not permitted (EPERM)");
		return false;
	}
	err = ward_system_spawn(system, WARD_PROPS(&pinned, .dispatcher = WARD_PINNED), &ref);
	ward_assert(err == WARD_OK || ward_err_detail()[0] != '\0');
	ward_assert_ok(ward_system_destroy(system, WARD_FOREVER));
	return true;
}

/* Returns how many calls there were. */
static int refuse_each(_Atomic bool *counts, int *ret_not_created)
{
	atomic_store(counts, true);
	for (int nth = 1; nth < CALLS_MAX; nth++) {
		atomic_store(&left, nth);
		*ret_not_created += !create_and_destroy();
		if (atomic_exchange(&left, 0) > 0) {
			atomic_store(counts, false);
			return nth - 1;
		}
	}
	ward_test_fail(__FILE__, __LINE__, "there is no end");
}

WARD_TEST(handler_that_is_refused_is_a_code_and_leaves_none_behind)
{
	void (*before)(int, siginfo_t *, void *) = handler_of(SIGSEGV);
	int not_created = 0;

	ward_assert(refuse_each(&handlers, &not_created) > 8);
	ward_assert_eq(not_created, 8); /* a look and a change for each of four signals */
	ward_assert(create_and_destroy());
	ward_assert(handler_of(SIGSEGV) == before);
}

WARD_TEST(stack_for_signals_that_is_refused_is_a_code_or_does_no_harm)
{
	int not_created = 0;

	ward_assert(refuse_each(&stacks, &not_created) >= 6);
	ward_assert_eq(not_created,
		       2); /* for the workers; not that of the pinned actor, nor at an end */
	ward_assert(create_and_destroy());
	ward_assert_eq(atomic_load(&unmapped), 0); /* refused at an end, it is left to its thread */
}

WARD_TEST_MAIN
