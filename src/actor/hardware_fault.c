/* SPDX-License-Identifier: MIT
 *
 * hardware_fault.c - hardware faults in callbacks become failures, where options.faults asks for
 * it.
 *
 *	callback -- SIGSEGV --> on_fault(), on a stack of its own
 *	                          | ours: jumps to the innermost save point, as ward_fail() does
 *	                          | not ours: the handler before it; by default the instruction is
 *	                          | run again and ends the process there, for the core to show it
 *	                          v
 *	save point --> wardi_hardware_fault_landed(): a failure of class ward_hardware_fault
 *
 * Ours is a fault that the kernel raised, on a thread that runs an actor, in a callback, in code of
 * the program: the executable, and the objects that options.faults_in names. Never in ward, libc or
 * the linker: they may hold a lock, and the next thread to take it would wait forever. So ward must
 * be a shared library: its code cannot be told apart in a static program.
 *
 * The belongings of the incarnation may be what was damaged: they are never called, freed or looked
 * at again. `quarantine` keeps them, where a debugger and a leak checker find them.
 *
 * Threads seats: their own thread. Handlers and their count: under `mu`; what the handler reads was
 *           written before it was installed.
 */
#include "actor/hardware_fault.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "actor/arena.h"
#include "base/error.h"
#include "base/foreign_call.h"
#include "base/lock.h"

enum { RANGES_MAX = 64, CONTAINED_DEFAULT = 10, STACK_SPARE = 64 * 1024 };

struct range {
	uintptr_t from, to;
};

struct wardi_hardware_faults {
	/* frozen */
	uint32_t max;
	uint32_t count;
	struct range ranges[RANGES_MAX]; /* code that may fault */
	/* atomic, relaxed: a count */
	_Atomic uint32_t contained;
	_Atomic uint64_t quarantined_bytes;
};

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static struct wardi_mutex mu = WARDI_MUTEX_INIT(WARDI_LOCK_FAULTS);
/* under mu */
static uint32_t users;
static bool below[SIGNALS]; /* ours was left in place: another handler stands before it */
/* written under mu while no handler of ours is there */
static struct sigaction previous[SIGNALS];

/* Initial-exec, so that the handler never is the one to make it. */
static _Thread_local struct ward_self *seated __attribute__((tls_model("initial-exec")));

static _Atomic(struct wardi_arena *) quarantine;

/* ---- the handler: async-signal-safe, and on a stack of its own --------------------------- */

#if defined(__x86_64__)
static uintptr_t code_of(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}
#elif defined(__aarch64__)
static uintptr_t code_of(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.pc;
}
#else
/* Then no fault is ours. */
static uintptr_t code_of(const ucontext_t *context)
{
	(void)context;
	return 0;
}
#endif

static bool may_fault(const struct wardi_hardware_faults *faults, uintptr_t code)
{
	for (uint32_t i = 0; i < faults->count; i++)
		if (code >= faults->ranges[i].from && code < faults->ranges[i].to)
			return true;
	return false;
}

static bool is_ours(struct ward_self *self, const siginfo_t *info, uintptr_t code)
{
	struct wardi_hardware_faults *faults;

	/* A code of 0 or less: sent by kill() or raise(). */
	if (self == NULL || info->si_code <= 0 || !self->callback || wardi_foreign_calls != 0)
		return false;
	faults = self->system->faults;
	if (!may_fault(faults, code))
		return false;
	/* Relaxed: a count. It may pass the limit for a moment, and comes back. */
	if (atomic_fetch_add_explicit(&faults->contained, 1, memory_order_relaxed) < faults->max)
		return true;
	atomic_fetch_sub_explicit(&faults->contained, 1, memory_order_relaxed);
	return false;
}

static const struct sigaction *before(int signal)
{
	for (int i = 0; i < SIGNALS; i++)
		if (signals[i] == signal)
			return &previous[i];
	return NULL; /* not installed for another one */
}

static void pass_on(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *to = before(signal);
	struct sigaction by_default = {.sa_handler = SIG_DFL};

	if (to == NULL)
		return;
	if ((to->sa_flags & SA_SIGINFO) != 0) {
		to->sa_sigaction(signal, info, context);
		return;
	}
	if (to->sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN) {
		to->sa_handler(signal);
		return;
	}
	/* A fault happens again, and ends the process where it did; a signal that was sent must be
	 * sent again. */
	if (sigaction(signal, &by_default, NULL) != 0)
		abort(); /* it would fault again and again */
	if (info->si_code <= 0)
		raise(signal);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	struct ward_self *self = seated;
	uintptr_t code = code_of(at);

	if (!is_ours(self, info, code)) {
		pass_on(signal, info, context);
		return;
	}
	self->seat.address = (uintptr_t)info->si_addr;
	self->seat.code = code;
	self->seat.signal = signal;
	/* Some programs install handlers with all signals blocked, also those that call ours. */
	pthread_sigmask(SIG_SETMASK, &at->uc_sigmask, NULL);
	siglongjmp(*self->save, 1);
}

/* ---- the handlers of the process --------------------------------------------------------- */

static bool is_handler_ours(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == on_fault;
}

static bool is_handler(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) != 0 ||
	       (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/* Under mu. Returns 0, or an errno. */
static int install_one(int i)
{
	struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	struct sigaction now;

	sigemptyset(&ours.sa_mask);
	ours.sa_sigaction = on_fault;
	if (sigaction(signals[i], NULL, &now) != 0)
		return errno;
	/* A handler that calls ours in the end: twice in a chain would be a circle. */
	if (is_handler_ours(&now) || (below[i] && is_handler(&now)))
		return 0;
	previous[i] = now;
	return sigaction(signals[i], &ours, NULL) == 0 ? 0 : errno;
}

/* Under mu. A handler that cannot be removed stays, and is found the next time; no thread has a
 * seat by then, so it passes everything on. */
static void uninstall_one(int i)
{
	struct sigaction now;

	below[i] = sigaction(signals[i], NULL, &now) != 0 || !is_handler_ours(&now);
	if (!below[i])
		(void)sigaction(signals[i], &previous[i], NULL);
}

static ward_err install(void)
{
	int error = 0, i = 0;

	wardi_mutex_lock(&mu);
	for (; users == 0 && error == 0 && i < SIGNALS; i++)
		error = install_one(i);
	while (error != 0 && --i > 0)
		uninstall_one(i - 1);
	users += error == 0;
	wardi_mutex_unlock(&mu);
	return error == 0 ? WARD_OK
			  : wardi_error(WARD_ESYS, "options.faults: sigaction: %s",
					wardi_os_text(error));
}

static void uninstall(void)
{
	wardi_mutex_lock(&mu);
	users--;
	for (int i = 0; users == 0 && i < SIGNALS; i++)
		uninstall_one(i);
	wardi_mutex_unlock(&mu);
}

/* ---- which code may fault ---------------------------------------------------------------- */

struct search {
	struct wardi_hardware_faults *faults;
	const void *const *wanted; /* an address in each object, ended by NULL; NULL: none */
	uint32_t found;            /* of them */
	bool first;                /* the executable itself comes first */
	bool too_many;
};

static bool holds(const struct dl_phdr_info *object, uintptr_t address)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t from = object->dlpi_addr + part->p_vaddr;

		/* What is below it is huge as a difference. */
		if (part->p_type == PT_LOAD && address - from < part->p_memsz)
			return true;
	}
	return false;
}

static void add_code(struct search *search, const struct dl_phdr_info *object)
{
	struct wardi_hardware_faults *faults = search->faults;

	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t from = object->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
			continue;
		search->too_many = search->too_many || faults->count == RANGES_MAX;
		if (!search->too_many)
			faults->ranges[faults->count++] =
				(struct range){from, from + part->p_memsz};
	}
}

static int look_at(struct dl_phdr_info *object, size_t size, void *arg)
{
	struct search *search = arg;
	uint32_t named = 0;

	(void)size;
	for (const void *const *at = search->wanted; at != NULL && *at != NULL; at++)
		named += holds(object, (uintptr_t)*at);
	search->found += named;
	if (search->first || named > 0)
		add_code(search, object);
	search->first = false;
	return 0;
}

static ward_err find_code(struct wardi_hardware_faults *faults, const ward_options *options)
{
	struct search search = {.faults = faults, .wanted = options->faults_in, .first = true};
	uint32_t wanted = 0;

	while (options->faults_in != NULL && options->faults_in[wanted] != NULL)
		wanted++;
	dl_iterate_phdr(look_at, &search);
	if (search.too_many)
		return wardi_error(WARD_ELIMIT,
				   "options.faults_in names more than %d pieces of code",
				   RANGES_MAX);
	if (search.found < wanted)
		return wardi_error(WARD_EINVAL,
				   "an address in options.faults_in is in no object that is "
				   "loaded: name a function or variable of each");
	if (may_fault(faults, (uintptr_t)on_fault))
		return wardi_error(WARD_EINVAL,
				   "options.faults: ward is linked into the code that may fault, "
				   "so a fault of its own could not be told from yours: link the "
				   "shared library");
	return WARD_OK;
}

/* ---- of a system ------------------------------------------------------------------------- */

static ward_err check(const ward_options *options)
{
	if ((unsigned)options->faults > WARD_FAULTS_CONTAIN)
		return wardi_error(WARD_EINVAL, "options.faults is %d, which is not a ward_faults",
				   (int)options->faults);
	if (options->faults == WARD_FAULTS_OFF &&
	    (options->faults_max != 0 || options->faults_in != NULL))
		return wardi_error(WARD_EINVAL,
				   "options.faults_max or faults_in is set, but faults are not "
				   "contained: set options.faults, too");
	if (options->faults == WARD_FAULTS_CONTAIN && options->simulation != NULL)
		return wardi_error(WARD_EINVAL,
				   "options.faults: in a simulation, which runs on a thread of "
				   "yours, a fault is not contained; let callbacks fail with "
				   "ward_bad_memory instead");
	return WARD_OK;
}

ward_err wardi_hardware_faults_create(ward_system *system, const ward_options *options)
{
	struct wardi_hardware_faults *faults;
	ward_err err = check(options);

	if (err != WARD_OK || options->faults == WARD_FAULTS_OFF)
		return err;
	faults = wardi_alloc_zeroed(&system->alloc, sizeof *faults);
	if (faults == NULL)
		return wardi_error(WARD_ENOMEM, "no memory to contain faults");
	faults->max = options->faults_max == 0 ? CONTAINED_DEFAULT : options->faults_max;
	err = find_code(faults, options);
	if (err == WARD_OK)
		err = install();
	if (err == WARD_OK)
		system->faults = faults;
	else
		wardi_free(&system->alloc, faults, sizeof *faults);
	return err;
}

void wardi_hardware_faults_destroy(ward_system *system)
{
	if (system->faults == NULL)
		return;
	uninstall();
	wardi_free(&system->alloc, system->faults, sizeof *system->faults);
	system->faults = NULL;
}

void wardi_hardware_faults_stats(const ward_system *system, ward_stats *ret_stats)
{
	const struct wardi_hardware_faults *faults = system->faults;

	if (faults == NULL)
		return;
	ret_stats->faults = atomic_load_explicit(&faults->contained, memory_order_relaxed);
	ret_stats->quarantined_bytes =
		atomic_load_explicit(&faults->quarantined_bytes, memory_order_relaxed);
	ret_stats->tainted = ret_stats->faults > 0;
}

/* ---- of a thread ------------------------------------------------------------------------- */

/* Finds the guard of this thread's stack. Whether the lowest address of a stack is below or above
 * the guard differs from libc to libc: both ranges count, and the one that is no guard never
 * faults. */
static void find_guard(struct wardi_fault_seat *seat)
{
	pthread_attr_t attr;
	void *low = NULL;
	size_t size = 0, guard = 0;

	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return; /* then an overflow is a bad address like any other */
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_getguardsize(&attr, &guard);
	pthread_attr_destroy(&attr);
	seat->guard_from = (uintptr_t)low - guard;
	seat->guard_to = (uintptr_t)low + guard;
}

bool wardi_fault_seat_take(struct ward_self *self)
{
	struct wardi_fault_seat *seat = &self->seat;
	long frame = sysconf(_SC_MINSIGSTKSZ); /* what a processor saves may be large */
	stack_t stack = {0};

	if (self->system->faults == NULL)
		return true;
	seat->size = STACK_SPARE + (frame > 0 ? (size_t)frame : 0);
	stack.ss_sp =
		mmap(NULL, seat->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp == MAP_FAILED)
		return false;
	stack.ss_size = seat->size;
	if (sigaltstack(&stack, &seat->before) != 0) {
		munmap(stack.ss_sp, seat->size);
		return false;
	}
	seat->stack = stack.ss_sp;
	find_guard(seat);
	seated = self;
	return true;
}

void wardi_fault_seat_leave(struct ward_self *self)
{
	struct wardi_fault_seat *seat = &self->seat;

	if (seat->stack == NULL)
		return;
	seated = NULL;
	/* If refused, the thread still uses it: it is not freed. */
	if (sigaltstack(&seat->before, NULL) == 0)
		munmap(seat->stack, seat->size);
	seat->stack = NULL;
}

/* ---- after it ---------------------------------------------------------------------------- */

static const ward_failure_class *class_of(const struct wardi_fault_seat *seat)
{
	switch (seat->signal) {
	case SIGFPE:
		return &ward_bad_arithmetic;
	case SIGILL:
		return &ward_bad_instruction;
	default:
		return seat->address >= seat->guard_from && seat->address < seat->guard_to
			       ? &ward_stack_overflow
			       : &ward_bad_memory;
	}
}

void wardi_hardware_fault_landed(struct ward_self *self)
{
	struct wardi_fault_seat *seat = &self->seat;

	if (seat->signal == 0)
		return;
	self->cell->faulted = true;
	wardi_failure_unref(self->noted); /* the fault says more than what it had noted */
	self->noted = wardi_failure_text(
		self->system, wardi_own_ref(self), class_of(seat), WARDI_NO_FAILURE,
		"SIG%s at address 0x%jx, in the code at 0x%jx", sigabbrev_np(seat->signal),
		(uintmax_t)seat->address, (uintmax_t)seat->code);
	seat->signal = 0;
}

void wardi_hardware_fault_quarantine(struct ward_self *self, struct wardi_arena *arena)
{
	atomic_fetch_add_explicit(&self->system->faults->quarantined_bytes, arena->bytes,
				  memory_order_relaxed);
	/* Release: a thread that finds it finds the link, too. Nothing is ever taken off. */
	arena->quarantined = atomic_load_explicit(&quarantine, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&quarantine, &arena->quarantined, arena,
						      memory_order_release, memory_order_relaxed))
		;
}
