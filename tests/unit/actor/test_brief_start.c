/* SPDX-License-Identifier: MIT
 *
 * test_brief_start.c - no start of a timer touches much fresh memory, or pays for a huge page.
 *
 * Method: a driven system with all defaults. The call that tells the kernel how to fetch memory is
 * this program's own: it counts, and goes on to the kernel.
 */
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ward/loop.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#include "base/alloc.h"
#include "base/pages.h"

/* The memory of a timer, which becomes its message, and of a message, which are blocks; and how
 * many of these fill some huge pages. */
enum { RECORD = 80, LETTER = 48, MANY = 4 * WARDI_HUGE_PAGE / LETTER };
/* Of fresh memory, in one call. */
enum { FRESH_MAX = 64 * 1024 };

/* A sanitizer touches memory of its own in the same call. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SHADOWED true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SHADOWED true
#endif
#endif
#ifndef SHADOWED
#define SHADOWED false
#endif

static int huge_pages, paces;
static size_t small_bytes; /* that must not be on huge pages, apart from slabs */

/* Instead of the C library's. */
int madvise(void *at, size_t size, int advice)
{
	huge_pages += advice == MADV_HUGEPAGE;
	paces += advice == MADV_DONTNEED;
	if (advice == MADV_NOHUGEPAGE && size != WARDI_HUGE_PAGE)
		small_bytes += size;
	return (int)syscall(SYS_madvise, at, size, advice);
}

struct set_timers {
	bool exact;
};
WARD_MESSAGE(set_timers);
WARD_SIGNAL(send_letters);
WARD_SIGNAL(letter);

static long page_faults(void)
{
	struct rusage usage;

	ward_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_minflt;
}

static void set_all(ward_self *self, bool exact)
{
	for (uint64_t key = 1; key <= MANY; key++) {
		long before = page_faults();

		ward_timer_start(self,
				 &(ward_timer){.key = key, .after_ms = WARD_MINUTE, .exact = exact},
				 &ward_type_letter, NULL, 0);
		ward_assert(SHADOWED || page_faults() - before <= FRESH_MAX / WARDI_PAGE);
	}
}

static void send_all(ward_self *self)
{
	for (int i = 0; i < MANY; i++)
		ward_tell(self, ward_self_ref(self), letter);
}

static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct set_timers *order = ward_match(msg, set_timers);

	(void)state;
	if (order != NULL)
		set_all(self, order->exact);
	else if (ward_match(msg, send_letters))
		send_all(self);
	return WARD_DONE;
}

static const ward_behavior clerk = {.name = "clerk", .receive = clerk_receive};

struct office {
	ward_system *system;
	ward_ref clerk;
};

static struct office open_office(void)
{
	struct office office;

	(void)mallopt(M_PERTURB, 0); /* Meson lets malloc() fill what it gives */
	ward_assert_ok(ward_system_create(&(ward_options){.driven = true}, &office.system));
	ward_assert_ok(ward_system_spawn(office.system, WARD_PROPS(&clerk), &office.clerk));
	huge_pages = paces = 0;
	small_bytes = 0;
	return office;
}

static void set_timers_in(const struct office *office, bool exact)
{
	ward_assert_ok(
		ward_system_try_tell(office->system, office->clerk, set_timers, .exact = exact));
	ward_assert_ok(ward_system_poll(office->system, 0));
}

static void send_letters_in(const struct office *office)
{
	ward_assert_ok(ward_system_try_tell(office->system, office->clerk, send_letters));
	ward_assert_ok(ward_system_poll(office->system, 0));
}

static void close_office(const struct office *office)
{
	ward_assert_ok(ward_system_destroy(office->system, WARD_MINUTE));
}

/* AddressSanitizer sees only memory of malloc(). */
static bool pages_are_malloc_s(void)
{
	struct wardi_alloc alloc;

	wardi_alloc_init(&alloc, NULL, false);
	return alloc.separate;
}

WARD_TEST(timer_start_takes_no_huge_page_and_few_small_ones_at_a_time)
{
	struct office office = open_office();

	set_timers_in(&office, false);
	ward_assert_eq(huge_pages, 0);
	if (!pages_are_malloc_s())
		ward_assert(paces >= MANY * RECORD / WARDI_PAGES_PACE / 2);
	close_office(&office);
}

/* The heap of a million timers is large, and malloc() could put it on huge pages. */
WARD_TEST(timer_start_of_an_exact_one_takes_no_huge_page)
{
	struct office office = open_office();

	set_timers_in(&office, true);
	ward_assert_eq(huge_pages, 0);
	if (!pages_are_malloc_s())
		ward_assert(small_bytes >= MANY * sizeof(void *));
	close_office(&office);
}

WARD_TEST(timer_start_leaves_huge_pages_to_sends)
{
	struct office office = open_office();

	set_timers_in(&office, false);
	send_letters_in(&office);
	if (!pages_are_malloc_s())
		ward_assert(huge_pages > 0);
	close_office(&office);
}

WARD_TEST_MAIN
