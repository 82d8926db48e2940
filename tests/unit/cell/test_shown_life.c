/* SPDX-License-Identifier: MIT
 *
 * test_shown_life.c - a look at the life in a cell finds one life or none, wherever the parent goes
 * on to the next life in the middle of it.
 *
 * Method: the processor traps after each instruction of the look. After the k-th one the parent
 * does some of its stores, from the one where it stood to a later one: all k, all such pairs. So
 * no chance and no other thread is needed.
 */
#include <signal.h>
#include <ucontext.h>

#include <ward/testkit.h>

#include "cell/shown_life.h"

/* TSan delivers a signal later than it comes. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TRAPS_ARE_LATE 1
#endif
#endif

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(TRAPS_ARE_LATE)

#define TRAP_FLAG 0x100

/* What the parent has done, in its order. */
enum { OLD_LIFE, HIDDEN, BEHAVIOR, PARENT, BORN, UID, NEW_LIFE };

static const ward_behavior behaviors[2] = {{.name = "old"}, {.name = "new"}};
static struct wardi_cell cell, parents[2];

/* An unnamed child may have the number of the one before it in its entry. */
static const struct wardi_shown_life lives[2] = {
	{.uid = 7, .parent_uid = 3, .born = 100, .behavior = &behaviors[0], .entry = 9},
	{.uid = 8, .parent_uid = 4, .born = 200, .behavior = &behaviors[1], .entry = 9},
};

static volatile int done;             /* by the parent so far */
static volatile int until;            /* what it does after so many instructions */
static volatile int instructions, at; /* of the look so far; of its interruption */

/* As wardi_life_hide() and wardi_life_show(), store by store. */
static void do_next(void)
{
	const struct wardi_shown_life *next = &lives[1];

	switch (++done) {
	case HIDDEN:
		wardi_life_hide(&cell);
		break;
	case BEHAVIOR:
		atomic_store(&cell.shown_behavior, next->behavior);
		break;
	case PARENT:
		atomic_store(&cell.shown_parent, &parents[1]);
		break;
	case BORN:
		atomic_store(&cell.shown_born, next->born);
		break;
	case UID:
		atomic_store(&cell.shown_uid, next->uid);
		break;
	default:
		wardi_life_show(&cell, next, &parents[1]);
		break;
	}
}

/* A breakpoint begins and ends the steps. */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)signal;
	if (info->si_code != TRAP_TRACE) {
		interrupted->uc_mcontext.gregs[REG_EFL] ^= TRAP_FLAG;
		return;
	}
	if (instructions++ == at)
		while (done < until)
			do_next();
}

static void check(const struct wardi_shown_life *found)
{
	const struct wardi_shown_life *life = &lives[found->uid == lives[1].uid];

	ward_assert_eq(found->uid, life->uid);
	ward_assert_eq(found->parent_uid, life->parent_uid);
	ward_assert_eq(found->born, life->born);
	ward_assert_str(found->behavior->name, life->behavior->name);
}

/* Looks while the parent goes from one store to another, after so many instructions. False: the
 * look has fewer. */
static bool look_between(int from, int to, int after)
{
	struct wardi_shown_life found;
	bool lives_there;

	wardi_life_hide(&cell);
	wardi_life_show(&cell, &lives[0], &parents[0]);
	for (done = OLD_LIFE; done < from;)
		do_next();
	until = to;
	at = after;
	instructions = 0;
	__asm__ __volatile__("int3" ::: "memory");
	lives_there = wardi_life_look(&cell, &found);
	__asm__ __volatile__("int3" ::: "memory");
	if (lives_there)
		check(&found);
	/* A life that was there all the time is found. */
	if (to == OLD_LIFE || from == NEW_LIFE)
		ward_assert(lives_there);
	return instructions > after;
}

WARD_TEST(life_is_found_as_one_whatever_the_parent_does)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	struct sigaction before;
	int longest = 0;

	ward_assert_eq(sigaction(SIGTRAP, &action, &before), 0);
	for (int i = 0; i < 2; i++)
		atomic_store(&parents[i].shown_uid, lives[i].parent_uid);
	for (int from = OLD_LIFE; from <= NEW_LIFE; from++) {
		for (int to = from; to <= NEW_LIFE; to++) {
			int after = 0;

			while (look_between(from, to, after))
				after++;
			longest = after > longest ? after : longest;
		}
	}
	ward_assert_eq(sigaction(SIGTRAP, &before, NULL), 0);
	ward_assert(longest > 10); /* it was stepped through */
}

#else

/* A look of one thread alone. */
WARD_TEST(life_is_found_as_it_was_shown)
{
	static struct wardi_cell cell;
	struct wardi_shown_life life = {.uid = 7, .born = 100, .entry = 9}, found;

	ward_assert(!wardi_life_look(&cell, &found));
	wardi_life_show(&cell, &life, NULL);
	ward_assert(wardi_life_look(&cell, &found));
	ward_assert_eq(found.uid, 7);
}

#endif

WARD_TEST_MAIN
