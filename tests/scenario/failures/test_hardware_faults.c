/* SPDX-License-Identifier: MIT
 *
 * test_hardware_faults.c - hardware faults that are contained, where options.faults asks for it
 * (S16, S20).
 *
 * Method: real faults, in actors on real threads. Linked with the shared library, as programs are:
 * only that can contain.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#include "faulting_actor.h"

/* ---- contained --------------------------------------------------------------------------- */

WARD_TEST(fault_in_receive_is_a_failure_that_stops_by_default, "S16", "S20")
{
	for (size_t i = 0; i < FAULTS; i++) {
		ward_system *system = start_containing(NULL, 0);
		ward_ref other = spawn(system), who = spawn(system);
		let(system, who, faults[i].fault);
		await(system, who);
		ward_assert_str(seen()->failure_class, faults[i].name);
		ward_assert_part(seen()->text, faults[i].signal);
		ward_assert_eq(seen()->directive, WARD_STOP);
		ward_assert_str(seen()->message_type, "order");
		ask(system, other);
		ward_stats stats = stats_of(system);
		ward_assert_eq(stats.faults, 1);
		ward_assert(stats.tainted);
		finish(system);
	}
}

WARD_TEST(nothing_is_tainted_before_a_fault, "S16")
{
	ward_system *system = start_containing(NULL, 0);
	ask(system, spawn(system));
	ward_stats stats = stats_of(system);
	ward_assert_eq(stats.faults, 0);
	ward_assert_eq(stats.quarantined_bytes, 0);
	ward_assert(!stats.tainted);
	finish(system);
}

WARD_TEST(rule_may_restart_it_a_thousand_times, "S16", "S20")
{
	enum { TIMES = 1000 };
	ward_system *system = start((ward_options){
		.faults = WARD_FAULTS_CONTAIN, .faults_max = TIMES, .user_strategy = &restart});
	ward_ref who;
	reset(&incarnations);
	/* On one thread of its own, so that stack addresses compare. */
	ward_assert_ok(
		ward_system_spawn(system, WARD_PROPS(&victim, .dispatcher = WARD_PINNED), &who));
	ask(system, who);
	uintptr_t before = atomic_load_explicit(&stack_at, memory_order_relaxed);
	for (int i = 0; i < TIMES; i++)
		let(system, who, faults[i % (i % 10 == 0 ? FAULTS : FAULTS - 1)].fault);
	ward_assert_eq(ask(system, who), TIMES + 1);
	/* No fault has left a frame below. Higher up it may be: the turn that goes on after a jump
	 * has fewer frames, and the question may come while it lasts. */
	ward_assert(atomic_load_explicit(&stack_at, memory_order_relaxed) >= before);
	ward_assert_eq(stats_of(system).faults, TIMES);
	ward_assert_eq(stats_of(system).restarts, TIMES);
	finish(system);
}

WARD_TEST(nothing_of_the_incarnation_runs_any_more, "S16")
{
	/* No hook, no deferred call, no drop; its children are stopped as ever. */
	for (int restarts = 0; restarts < 2; restarts++) {
		ward_system *system = start_containing(restarts ? &restart : NULL, 0);
		reset(&hooks);
		reset(&deferred);
		reset(&drops);
		reset(&children_stopped);
		ward_ref who = spawn(system);
		struct parcel *kept = malloc(8);
		ward_system_tell(system, who, parcel, .fault = bad_store, .owned = kept);
		if (restarts)
			ask(system, who);
		else
			await(system, who);
		ward_assert_eq(counted(&hooks), 0);
		ward_assert_eq(counted(&deferred), 0);
		ward_assert_eq(counted(&drops), 0);
		ward_assert_eq(counted(&children_stopped), 1);
		ward_assert_eq(stats_of(system).quarantined_bytes, OWNED);
		free(kept);
		finish(system);
		/* The second incarnation is one like any other. */
		ward_assert_eq(counted(&hooks), restarts);
		ward_assert_eq(counted(&deferred), restarts);
	}
}

WARD_TEST(resume_of_it_is_a_restart, "S16")
{
	static const ward_strategy resume = {.otherwise = WARD_RESUME};
	ward_system *system = start_containing(&resume, 0);
	reset(&incarnations);
	ward_ref who = spawn(system);
	let(system, who, bad_store);
	ward_assert_eq(ask(system, who), 2);
	finish(system);
}

static ward_directive decide_badly(ward_self *self, ward_ref who, const ward_failure *failure)
{
	(void)self;
	(void)who;
	(void)failure;
	bad_store();
	return WARD_RESTART;
}

struct give_up {
	int number;
};
WARD_MESSAGE(give_up);

static ward_result giver_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	return ward_failed(self, &ward_exception, "as told");
}
static const ward_behavior giver = {.name = "giver", .receive = giver_receive};

static ward_result boss_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_ref below = ward_child(self, "giver");
	(void)state;
	if (ward_match(msg, give_up) == NULL)
		return WARD_UNHANDLED;
	if (ward_ref_is_nobody(below) &&
	    ward_try_spawn(self, WARD_PROPS(&giver, .name = "giver"), &below) != WARD_OK)
		return ward_failed(self, &ward_exception, "no child");
	ward_tell(self, below, give_up, .number = 1);
	return WARD_DONE;
}
static const ward_strategy bad_strategy = {.decide = decide_badly};
static const ward_behavior boss = {
	.name = "boss", .receive = boss_receive, .child_strategy = &bad_strategy};

WARD_TEST(fault_in_a_decide_function_is_the_supervisors_own, "S16", "S19")
{
	ward_system *system = start_containing(NULL, 0);
	ward_ref who;
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&boss), &who));
	ward_system_tell(system, who, give_up, .number = 1);
	await(system, who);
	ward_assert_str(seen()->failure_class, "ward_bad_memory");
	ward_assert_part(seen()->path, "user/");
	finish(system);
}

WARD_TEST(fault_in_init_is_one_of_the_start, "S16", "S42")
{
	ward_system *system = start_containing(&restart, 0);
	reset(&deferred);
	reset(&incarnations);
	fault_in_init = overflow;
	ward_ref who = spawn(system);
	ward_assert_eq(ask(system, who), 2);
	ward_assert_str(seen()->failure_class, "ward_initialization");
	ward_assert_part(seen()->text, "ward_stack_overflow");
	ward_assert_eq(counted(&deferred), 0);
	finish(system);
}

WARD_TEST(fault_in_post_stop_is_told_of, "S16", "S46")
{
	ward_system *system = start_containing(NULL, 0);
	reset(&deferred);
	fault_in_post_stop = bad_store;
	ward_ref who = spawn(system);
	ward_system_stop(system, who);
	await(system, who);
	ward_assert_eq(seen()->kind, WARD_EVENT_HOOK_FAILURE);
	ward_assert_str(seen()->failure_class, "ward_bad_memory");
	ward_assert_eq(counted(&deferred), 0);
	fault_in_post_stop = NULL;
	finish(system);
}

WARD_TEST(one_system_goes_and_the_other_contains_still, "S16")
{
	ward_system *first = start_containing(NULL, 0), *second = start_containing(NULL, 0);
	finish(first);
	ward_ref who = spawn(second);
	let(second, who, bad_store);
	await(second, who);
	finish(second);
	/* And again, after the handlers were gone. */
	ward_system *third = start_containing(NULL, 0);
	who = spawn(third);
	let(third, who, bad_store);
	await(third, who);
	finish(third);
}

/* ---- options ----------------------------------------------------------------------------- */

static void check_refused(ward_options options, const char *part)
{
	ward_system *system;
	ward_assert_err(ward_system_create(&options, &system), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), part);
}

WARD_TEST(options_that_cannot_be_are_refused, "S16")
{
	static const ward_simulation simulation;
	static const void *const nothing[] = {(const void *)16, NULL};
	check_refused((ward_options){.faults = (ward_faults)2}, "options.faults is 2");
	check_refused((ward_options){.faults_max = 2}, "set options.faults");
	check_refused((ward_options){.faults_in = nothing}, "set options.faults");
	check_refused((ward_options){.faults = WARD_FAULTS_CONTAIN, .simulation = &simulation},
		      "simulation");
	check_refused((ward_options){.faults = WARD_FAULTS_CONTAIN, .faults_in = nothing},
		      "in no object that is loaded");
}

/* Finds no memory for the n-th time that it is asked. */
struct purse {
	pthread_mutex_t mu;
	uint32_t left, blocks;
};

static void *purse_alloc(void *arg, size_t size)
{
	struct purse *purse = arg;
	pthread_mutex_lock(&purse->mu);
	bool empty = purse->left == 1;
	purse->left -= purse->left > 1;
	purse->blocks += !empty;
	pthread_mutex_unlock(&purse->mu);
	return empty ? NULL : malloc(size);
}

static void purse_free(void *arg, void *block, size_t size)
{
	struct purse *purse = arg;
	(void)size;
	pthread_mutex_lock(&purse->mu);
	purse->blocks--;
	pthread_mutex_unlock(&purse->mu);
	free(block);
}

WARD_TEST(system_that_finds_no_memory_to_contain_faults_is_not_created, "S16")
{
	ward_err err = WARD_ENOMEM;
	bool told = false;
	for (uint32_t n = 1; err == WARD_ENOMEM; n++) {
		struct purse purse = {.mu = PTHREAD_MUTEX_INITIALIZER, .left = n};
		ward_allocator allocator = {purse_alloc, purse_free, &purse};
		ward_system *system = NULL;
		err = ward_system_create(
			&(ward_options){.faults = WARD_FAULTS_CONTAIN, .allocator = &allocator},
			&system);
		told = told || strstr(ward_err_detail(), "no memory to contain faults") != NULL;
		if (err == WARD_OK)
			ward_assert_ok(ward_system_destroy(system, WARD_FOREVER));
		ward_assert_eq(purse.blocks, 0);
	}
	ward_assert_ok(err);
	ward_assert(told);
}

#if !SANITIZED
/* In front of the one of the C library: the sanitizers need that for themselves. */
enum { PIECES = 65 };
static bool crowded;

typedef int look(struct dl_phdr_info *object, size_t size, void *arg);
typedef int iterate(look *each, void *arg);

int dl_iterate_phdr(look *each, void *arg)
{
	static ElfW(Phdr) pieces[PIECES];
	struct dl_phdr_info object = {.dlpi_phdr = pieces, .dlpi_phnum = PIECES};
	iterate *real;
	for (size_t i = 0; i < PIECES; i++)
		pieces[i] = (ElfW(Phdr)){.p_type = PT_LOAD,
					 .p_flags = PF_R | PF_X,
					 .p_vaddr = 4096 * (i + 1),
					 .p_memsz = 1};
	*(void **)&real = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	int answer = real(each, arg);
	return crowded && answer == 0 ? each(&object, sizeof object, arg) : answer;
}

WARD_TEST(more_pieces_of_code_than_there_is_room_for_are_refused, "S16")
{
	static const void *const piece[] = {(const void *)4096, NULL};
	ward_system *system;
	crowded = true;
	ward_err err = ward_system_create(
		&(ward_options){.faults = WARD_FAULTS_CONTAIN, .faults_in = piece}, &system);
	crowded = false;
	ward_assert_err(err, WARD_ELIMIT);
	ward_assert_part(ward_err_detail(), "more than 64 pieces of code");
}
#endif

WARD_TEST(code_of_an_object_may_be_added, "S16")
{
	/* With libc's own code allowed, what died before is contained. */
	const void *const libc[] = {stdout, NULL};
	ward_system *system =
		start((ward_options){.faults = WARD_FAULTS_CONTAIN, .faults_in = libc});
	ward_ref who = spawn(system);
	let(system, who, bad_in_libc);
	await(system, who);
	ward_assert_str(seen()->failure_class, "ward_bad_memory");
	finish(system);
}

enum { THREADS = 4, ROUNDS = 15, VICTIMS = 4, TIMES = 6 };

/* A system after the other, each with faults of its own pages and registers; the last of
 * them are under way when it goes down. */
static void *systems_come_and_go(void *arg)
{
	uintptr_t seed = (uintptr_t)arg;

	for (int i = 0; i < ROUNDS; i++) {
		ward_system *system = start_containing(&restart, VICTIMS * TIMES + VICTIMS);
		ward_ref victims[VICTIMS];
		for (int j = 0; j < VICTIMS; j++)
			victims[j] = spawn(system);
		for (size_t j = 0; j < VICTIMS * TIMES; j++)
			let(system, victims[j % VICTIMS],
			    faults[1 + (j + seed) % (FAULTS - 2)].fault);
		for (int j = 0; j < VICTIMS; j++)
			ask(system, victims[j]);
		ward_assert_eq(stats_of(system).faults, VICTIMS * TIMES);
		ward_assert_eq(stats_of(system).restarts, VICTIMS * TIMES);
		for (int j = 0; j < VICTIMS; j++)
			let(system, victims[j], bad_instruction);
		finish(system);
	}
	return NULL;
}

/* A sanitizer keeps pages of its own for each thread. */
#if !SANITIZED
/* Pages of the process's own. */
static long pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long count = 0;

	ward_assert(file != NULL && fscanf(file, "%ld", &count) == 1);
	fclose(file);
	return count;
}

WARD_TEST(stacks_for_signals_go_with_their_threads, "S16")
{
	enum { WARM = 5, MORE = 40, STACK_PAGES = 16 };
	long before = 0;

	for (int i = 0; i < WARM + MORE; i++) {
		if (i == WARM)
			before = pages();
		finish(start_containing(&restart, 1));
	}
	/* Less than one of them for each system: libc keeps some stacks of its own. */
	ward_assert(pages() - before < MORE * STACK_PAGES);
}
#endif

WARD_TEST(systems_that_come_and_go_contain_each_its_own_faults, "S16")
{
	pthread_t threads[THREADS];
	struct sigaction before, after;
	sigaction(SIGSEGV, NULL, &before);
	for (uintptr_t i = 0; i < THREADS; i++)
		ward_assert_eq(pthread_create(&threads[i], NULL, systems_come_and_go, (void *)i),
			       0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	sigaction(SIGSEGV, NULL, &after);
	ward_assert(before.sa_sigaction == after.sa_sigaction);
}

WARD_TEST_MAIN
