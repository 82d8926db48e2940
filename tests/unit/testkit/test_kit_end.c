/* SPDX-License-Identifier: MIT
 *
 * test_kit_end.c - that a kit sees what is left at its end, and what else goes wrong in it.
 *
 * Method: samples leave one thing each; what no program can bring about is done to the insides.
 */
#include <fcntl.h>
#include <semaphore.h>

#include "caught.h"
#include "cell/system.h"
#include "support/samples.h"
#include "support/script.h"
#include "testkit/kit/kit.h"

WARD_SIGNAL(go);

/* ---- samples of an end ------------------------------------------------------------------- */

/* As a system would look that does not count what it takes. */
SAMPLE(uncounted_memory)
{
	ward_kit *kit = ward_kit_start(NULL);
	const ward_allocator *allocator = &kit->memory.allocator;
	ward_assert(allocator->alloc(allocator->arg, 24) != NULL);
	ward_kit_finish(kit);
}

/* As a system would look that counts it, and forgets to give it back. */
SAMPLE(lost_memory)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_assert(wardi_alloc(&ward_kit_system(kit)->alloc, 24) != NULL);
	ward_kit_finish(kit);
}

SAMPLE(block_freed_twice)
{
	ward_kit *kit = ward_kit_start(NULL);
	const ward_allocator *allocator = &kit->memory.allocator;
	/* The second time it lies where malloc() will not look: a sanitizer would be first. */
	unsigned char copy[16 + 24];
	unsigned char *block = allocator->alloc(allocator->arg, 24);
	memset(copy, 0, sizeof(copy));
	memcpy(copy, block - 16, 8);
	allocator->free(allocator->arg, block, 24);
	allocator->free(allocator->arg, copy + 16, 24);
}

SAMPLE(block_freed_with_another_size)
{
	ward_kit *kit = ward_kit_start(NULL);
	const ward_allocator *allocator = &kit->memory.allocator;
	allocator->free(allocator->arg, allocator->alloc(allocator->arg, 24), 16);
}

SAMPLE(payload_kept)
{
	ward_kit *kit = ward_kit_start(NULL);
	atomic_fetch_add(&ward_kit_system(kit)->pool.owners, 1);
	ward_kit_finish(kit);
}

SAMPLE(descriptor_counted)
{
	ward_kit *kit = ward_kit_start(NULL);
	atomic_fetch_add(&ward_kit_system(kit)->counters.fds_adopted, 1);
	ward_kit_finish(kit);
}

SAMPLE(descriptor_open)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_assert(open("/dev/zero", O_RDONLY) >= 0);
	ward_kit_finish(kit);
}

/* The kit that finishes last finds it. */
SAMPLE(descriptor_open_among_kits)
{
	ward_kit *first = ward_kit_start(NULL);
	ward_kit *second = ward_kit_start(&(ward_kit_options){.real_threads = true});
	ward_assert(open("/dev/zero", O_RDONLY) >= 0);
	ward_kit_finish(first);
	printf("the first has finished\n");
	ward_kit_finish(second);
}

/* p puts off what it decides, and a has mail behind that. */
static void leave_mail(bool may)
{
	struct script a = {.name = "a"};
	struct script p = {
		.name = "p", .strategy = &script_one, .decides = WARD_LATER, .children = {&a}};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = may});
	script_spawn(kit, &p);
	script_break(kit, a.ref, &ward_exception);
	script_say(kit, a.ref, "unread");
	script_finish(kit);
}

SAMPLE(mail_unread)
{
	leave_mail(false);
}

SAMPLE(mail_may_be_left)
{
	leave_mail(true);
}

/* The same without mail behind the failure. A child of a waits with it. */
static void leave_suspended(bool may)
{
	struct script b = {.name = "b"};
	struct script a = {.name = "a", .children = {&b}};
	struct script p = {
		.name = "p", .strategy = &script_one, .decides = WARD_LATER, .children = {&a}};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = may});
	script_spawn(kit, &p);
	script_break(kit, a.ref, &ward_exception);
	script_finish(kit);
}

SAMPLE(suspended)
{
	leave_suspended(false);
}

SAMPLE(suspended_may_be_left)
{
	leave_suspended(true);
}

static ward_result bounded_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	return ward_failed(self, &ward_exception, "full");
}

static ward_result stop_for_ever(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	sem_t never;
	sem_init(&never, 0, 0);
	while (sem_wait(&never) != 0)
		;
	return WARD_DONE;
}

static const ward_behavior endless = {
	.name = "endless", .receive = bounded_receive, .post_stop = stop_for_ever};

SAMPLE(actor_that_does_not_end)
{
	ward_kit *kit = ward_kit_start(
		&(ward_kit_options){.real_threads = true, .system.workers = 1, .patience_ms = 100});
	ward_kit_spawn(kit, &endless, .name = "mule");
	ward_kit_finish(kit);
}

/* ---- samples of other misuse ------------------------------------------------------------- */

static ward_result again(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	ward_tell(self, ward_self_ref(self), go);
	return WARD_DONE;
}

static const ward_behavior restless = {.name = "restless", .receive = again};

static void never_idle(bool real_threads)
{
	ward_kit *kit = ward_kit_start(
		&(ward_kit_options){.real_threads = real_threads, .patience_ms = 100});
	ward_ref ref = ward_kit_spawn(kit, &restless, .name = "r");
	ward_system_tell(ward_kit_system(kit), ref, go);
	ward_kit_run(kit);
}

SAMPLE(loop_in_a_simulation)
{
	never_idle(false);
}

SAMPLE(loop_on_threads)
{
	never_idle(true);
}

SAMPLE(step_on_threads)
{
	ward_kit_step(ward_kit_start(&(ward_kit_options){.real_threads = true}));
}

SAMPLE(simulated_threads)
{
	static const ward_simulation simulation;
	ward_kit_finish(ward_kit_start(
		&(ward_kit_options){.real_threads = true, .simulation = &simulation}));
}

SAMPLE(state_that_never_is)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &restless, .name = "r");
	ward_kit_run_until_state(kit, ref, WARD_STATE_FAILED);
}

SAMPLE(event_that_never_was)
{
	ward_kit_event(ward_kit_start(NULL), WARD_EVENT_FAILURE, "*", 3);
}

SAMPLE(events_not_kept)
{
	ward_kit_count(ward_kit_start(&(ward_kit_options){.keeps_no_events = true}), WARD_EVENT_ALL,
		       "*");
}

SAMPLE(word_lost)
{
	ward_kit *kit = script_start(NULL);
	free(script_word("lost", &(struct script_word){0}).text);
	script_finish(kit);
}

/* ---- cases ------------------------------------------------------------------------------- */

WARD_TEST(memory_that_is_left_fails_the_test)
{
	check_sample("uncounted_memory", "bytes in");
	check_sample("uncounted_memory", "when the system has ended, there are 0 actors");
	check_sample("lost_memory", "1 blocks of memory are left, 24 bytes");
	check_sample("block_freed_twice", "a block of 24 bytes was freed");
	check_sample("block_freed_with_another_size", "a block of 24 bytes was freed as one of 16");
}

WARD_TEST(payload_that_is_left_fails_the_test)
{
	check_sample("payload_kept", "1 payloads that were not dropped");
	check_sample("word_lost", "words_left == 0");
}

WARD_TEST(descriptor_that_is_left_fails_the_test)
{
	check_sample("descriptor_counted", "0 timers, 1 descriptors");
	check_sample("descriptor_open", "1 descriptors are left open: ");
	check_sample("descriptor_open", " -> /dev/zero\n");
	check_sample("descriptor_open_among_kits", "# the first has finished\n");
	check_sample("descriptor_open_among_kits", " -> /dev/zero\n");
}

WARD_TEST(mail_that_is_left_fails_the_test_unless_it_may_be)
{
	char text[16384];
	check_sample("mail_unread", "1 actor leaves mail unread: sim/user/p/a (failed); if");
	check_sample("mail_unread", "a failed, suspended 1, unread mail; last failure");
	ward_assert(sample_passes("mail_may_be_left", 60, text, sizeof(text)));
}

WARD_TEST(actor_that_is_left_suspended_fails_the_test_unless_it_may_be)
{
	char text[16384];
	check_sample("suspended", ": sim/user/p/a is left suspended (failed: waits for its "
				  "parent's decision); if that is meant, set may_leave_mail");
	ward_assert(sample_passes("suspended_may_be_left", 60, text, sizeof(text)));
}

WARD_TEST(actor_that_is_left_fails_the_test_and_is_shown)
{
	check_sample("actor_that_does_not_end", "the system does not end");
	check_sample("actor_that_does_not_end", "sim/user/mule (stopping)");
	check_sample("actor_that_does_not_end", "#     mule stopping, ready\n");
	check_sample("actor_that_does_not_end",
		     "#   user stopping, suspended 1; waits for 1 child: mule\n");
}

WARD_TEST(what_never_comes_to_rest_fails_the_test)
{
	check_sample("loop_in_a_simulation", "after 1000000 turns while the clock stands");
	check_sample("loop_on_threads", "somebody still has something to do, after 100 ms");
}

WARD_TEST(report_names_the_line_of_the_test)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_kit *none = NULL;
	struct script bad = {.name = "a/b"};
	ward_ref ref = ward_kit_spawn(kit, &restless, .name = "r");

	CAUGHT(ward_kit_spawn_props(kit, script_props(&bad)), "a spawn was refused: WARD_ENAME: ");
	ward_assert_eq(caught.line, __LINE__ - 1);
	CAUGHT(ward_kit_event(kit, WARD_EVENT_FAILURE, "*", 3), "no event 3");
	ward_assert_eq(caught.line, __LINE__ - 1);
	CAUGHT(ward_kit_run_until_state(kit, ref, WARD_STATE_FAILED), "is never \"failed\"");
	ward_assert_eq(caught.line, __LINE__ - 1);
	CAUGHT(none = ward_kit_start(&(ward_kit_options){.reserved = {1}}), "a reserved word");
	ward_assert_eq(caught.line, __LINE__ - 1);
	CAUGHT(none = ward_kit_start(&(ward_kit_options){.system.name = "a/b"}), "refused: WARD_E");
	ward_assert_eq(caught.line, __LINE__ - 1);
	ward_assert(open("/dev/zero", O_RDONLY) >= 0);
	CAUGHT(ward_kit_finish(kit), "1 descriptors are left open");
	ward_assert_eq(caught.line, __LINE__ - 1);
}

WARD_TEST(what_a_kit_cannot_do_fails_the_test)
{
	check_sample("step_on_threads", "threads cannot be stepped");
	check_sample("simulated_threads", "real_threads and simulation are both set");
	check_sample("state_that_never_is", "sim/user/r is never \"failed\" within 50000 ms, it "
					    "ends \"running\"");
	check_sample("event_that_never_was", "no event 3 of kinds 1 about *: there are 0");
	check_sample("events_not_kept", "this kit keeps no events");
}

WARD_TEST_MAIN
