/* SPDX-License-Identifier: MIT
 *
 * driver.c - one run of a simulation: the three functions of its driver, and the kit around the
 * body.
 *
 *	choose    the order
 *	fault     counts the occasion; the plan says whether it strikes
 *	done      hash and record; after a turn the invariants
 *
 * A memory fault has no point of its own: at the beginning of a turn the allocator is told which
 * of its next allocations fails, at the end that this is over. So only actors run out of memory,
 * never the test around them.
 */
#include "testkit/simulate/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "testkit/check/seed.h"
#include "testkit/check/shortage.h"
#include "testkit/check/text.h"
#include "testkit/kit/far.h"
#include "testkit/kit/kit.h"

enum {
	INVARIANTS_MAX = 32,
	UNDER_WAY_MAX = 16, /* nested points of a reported run */
	LAST_MAX = 4,       /* actors named in the report of an endless loop */
	/* Limits while the clock stands; that many events fit into the record of a kit. */
	STANDING_TURNS = 50 * 1000,
	STANDING_EVENTS = 80 * 1000
};

/* A point that has begun, and the number of its line. */
struct begun {
	ward_point point;
	uint64_t who;
	uint64_t line;
};

/* Turns and events since the clock last moved. */
struct standing {
	int64_t now_ns;
	uint32_t turns, events;
	ward_ref last[LAST_MAX]; /* the actors of the last turns, in a ring */
};

struct invariant {
	bool (*holds)(void *arg);
	void *arg;
	const char *what;
};

struct play {
	const struct wardi_play_how *how;
	struct wardi_board *board;
	struct wardi_plan_state state;
	struct wardi_trace *trace;
	struct wardi_names *names;
	ward_kit *kit; /* NULL while it starts */
	bool faults_over;
	uint32_t strikes;
	struct standing standing;
	uint32_t begun_count;
	struct begun begun[UNDER_WAY_MAX];
	/* memory, in the turn under way */
	bool counting;
	uint64_t allocations; /* counted so far */
	uint32_t invariants_count;
	struct invariant invariants[INVARIANTS_MAX];
	ward_simulation_observer observer;
};

/* The run under way in this process. */
static struct play *playing;

void wardi_violate(struct wardi_board *board, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(board->text, sizeof(board->text), format, args);
	va_end(args);
	ward_test_fail(__FILE__, __LINE__, "%s", board->text);
}

/* ---- reporting ---------------------------------------------------------------------------- */

static void write_line(struct play *play, uint64_t number, const struct wardi_trace_entry *entry)
{
	char *line = play->board->lines[number % WARDI_BOARD_LINES];
	int at = snprintf(line, WARDI_BOARD_LINE, "%llu ", (unsigned long long)entry->step);
	wardi_trace_entry_text(entry, play->names, line + at, WARDI_BOARD_LINE - (size_t)at);
}

static void tell(struct play *play, const struct wardi_trace_entry *entry)
{
	if (play->how->told && entry != NULL)
		write_line(play, play->board->lines_count++, entry);
}

/* Writes the line of a point that begins, before the lines of its consequences. */
static void tell_begin(struct play *play, ward_system *system, const ward_occasion *occasion)
{
	if (!play->how->told)
		return;
	if (occasion->point == WARD_POINT_TURN)
		play->begun_count = 0;
	if (occasion->point == WARD_POINT_TURN || play->begun_count == UNDER_WAY_MAX)
		return;
	const struct wardi_trace_entry entry = wardi_trace_begun(play->trace, system, occasion);
	play->begun[play->begun_count++] =
		(struct begun){occasion->point, occasion->who.uid, play->board->lines_count};
	tell(play, &entry);
}

/* Completes the line with the outcome. For a guardian no beginning was noted: adds a line. */
static void tell_end(struct play *play, const ward_occasion *occasion,
		     const struct wardi_trace_entry *entry)
{
	if (!play->how->told || entry == NULL)
		return;
	for (uint32_t i = play->begun_count; i > 0; i--) {
		const struct begun *begun = &play->begun[i - 1];
		if (begun->point != occasion->point || begun->who != occasion->who.uid)
			continue;
		play->begun_count = i - 1;
		/* Not if later lines have overwritten it. */
		if (begun->line + WARDI_BOARD_LINES >= play->board->lines_count)
			write_line(play, begun->line, entry);
		return;
	}
	tell(play, entry);
}

static void tell_under_way(struct play *play, ward_system *system, const ward_occasion *occasion)
{
	if (!play->how->told)
		return;
	bool has_receiver = occasion->point == WARD_POINT_SEND && !ward_ref_is_nobody(occasion->to);
	wardi_names_meet(play->names, system, occasion->who);
	if (has_receiver)
		wardi_names_meet(play->names, system, occasion->to);
	ward_text_format(
		play->board->under_way, sizeof(play->board->under_way), "%s %s %s%s%s%s%s",
		ward_point_text(occasion->point), wardi_names_preposition(occasion->who.uid),
		wardi_names_path(play->names, occasion->who.uid),
		occasion->type != NULL ? ": " : "",
		occasion->type != NULL ? occasion->type->name : "", has_receiver ? " to " : "",
		has_receiver ? wardi_names_path(play->names, occasion->to.uid) : "");
}

/* Keeps the last line: a severe event is often the cause of what comes much later. */
static void keep_severe(struct wardi_board *board)
{
	uint32_t i = board->severe_count++ % WARDI_BOARD_SEVERE;

	board->severe_lines[i] = board->lines_count - 1;
	memcpy(board->severe_texts[i], board->lines[board->severe_lines[i] % WARDI_BOARD_LINES],
	       WARDI_BOARD_LINE);
}

static void hear(void *arg, const ward_event *event)
{
	struct play *play = arg;
	const ward_kit_options *kit = &play->how->test->kit;

	play->standing.events++;
	const struct wardi_trace_entry *entry =
		wardi_trace_event(play->trace, play->board->now_ns, event);
	if (event->kind != WARD_EVENT_LIFECYCLE)
		tell(play, entry);
	if (event->kind != WARD_EVENT_LIFECYCLE && event->level >= WARD_LEVEL_SEVERE &&
	    play->how->told && entry != NULL)
		keep_severe(play->board);
	if (kit->log != NULL)
		kit->log(kit->log_arg, event);
}

/* ---- faults ------------------------------------------------------------------------------- */

/* Notes that the fault strikes in that step. */
static void strike(struct play *play, struct wardi_plan_fault *fault, const char *where,
		   uint64_t step)
{
	struct wardi_plan one = {.count = 1, .faults = {*fault}};
	char text[64];

	fault->struck = true;
	play->strikes++;
	if (!play->how->told || play->board->strikes_count == WARDI_PLAN_MAX)
		return;
	wardi_plan_text(&one, text, sizeof(text));
	struct wardi_board *board = play->board;
	uint32_t i = board->strikes_count++;
	/* The fault's line is the last. */
	board->strike_lines[i] = board->lines_count - 1;
	memcpy(board->strike_texts[i], board->lines[board->strike_lines[i] % WARDI_BOARD_LINES],
	       WARDI_BOARD_LINE);
	snprintf(board->strikes[i], WARDI_BOARD_LINE, "%s: %s, step %llu", text, where,
		 (unsigned long long)step);
}

/* Whether faults may strike the actor: of a send, the receiver. While the kit starts there is none
 * of the test. */
static bool may_strike(const struct play *play, ward_system *system, const ward_occasion *occasion)
{
	ward_ref victim = occasion->point == WARD_POINT_SEND ? occasion->to : occasion->who;
	const struct wardi_name *name;

	if (play->faults_over || play->kit == NULL || ward_ref_is_nobody(victim))
		return false;
	name = wardi_names_meet(play->names, system, victim);
	if (play->kit->far != NULL && wardi_kit_far.is_spared(name->path, occasion->type))
		return false;
	return name->matches;
}

/* Tells the allocator which of the next allocations fails. */
static void choose_shortage(struct play *play)
{
	uint64_t next = play->state.next[WARDI_SITE_ALLOCATION];

	if (next == UINT64_MAX)
		ward_kit_fail_allocation(play->kit, 0);
	else
		ward_kit_fail_allocation(play->kit,
					 next - play->state.passed[WARDI_SITE_ALLOCATION]);
}

/* Counts the allocations since the last call; a fault may have struck the last of them. */
static void count_allocations(struct play *play)
{
	uint64_t before = play->allocations;

	play->allocations = ward_kit_allocations(play->kit);
	struct wardi_plan_fault *fault =
		wardi_plan_pass(&play->board->plan, &play->state, WARDI_SITE_ALLOCATION,
				play->allocations - before);
	if (fault == NULL)
		return;
	if (play->how->told) {
		char *line = play->board->lines[play->board->lines_count++ % WARDI_BOARD_LINES];
		snprintf(line, WARDI_BOARD_LINE, "%llu fault, memory: an allocation found none",
			 (unsigned long long)play->trace->step + 1);
	}
	strike(play, fault, "an allocation found no memory", play->trace->step + 1);
}

/* Counts at once, not at the end of the turn: the shortage may end the process. */
static void on_shortage(void *arg)
{
	struct play *play = arg;

	if (!play->counting)
		return;
	count_allocations(play);
	choose_shortage(play);
}

static void begin_counting(struct play *play)
{
	if (play->state.next[WARDI_SITE_ALLOCATION] == UINT64_MAX || play->kit == NULL)
		return;
	play->counting = true;
	play->allocations = ward_kit_allocations(play->kit);
	choose_shortage(play);
}

static void end_counting(struct play *play)
{
	if (!play->counting)
		return;
	play->counting = false;
	ward_kit_fail_allocation(play->kit, 0);
	count_allocations(play);
}

static enum wardi_plan_site site_of(ward_point point)
{
	switch (point) {
	case WARD_POINT_TURN:
		return WARDI_SITE_TURN;
	case WARD_POINT_SPAWN:
		return WARDI_SITE_SPAWN;
	case WARD_POINT_SEND:
		return WARDI_SITE_SEND;
	default:
		return WARDI_SITE_CALLBACK;
	}
}

/* ---- the end of the body ------------------------------------------------------------------ */

/* From here on the system moves without the test: its invariants may point into the stack of the
 * body. */
static void leave_test(struct play *play)
{
	play->board->order.matters = false;
	play->invariants_count = 0;
	play->observer = (ward_simulation_observer){0};
	play->faults_over = true;
}

/* Whether a check has failed after a shortage, so that the case only comes to its end. */
static bool is_cut(struct play *play)
{
	if (!wardi_shortage_looks_after())
		return false;
	leave_test(play);
	return true;
}

/* ---- the driver --------------------------------------------------------------------------- */

static size_t choose(void *arg, ward_system *system, size_t count)
{
	struct play *play = arg;
	return wardi_schedule_choose(&play->board->order, system, count);
}

static ward_fault draw_fault(struct play *play, ward_system *system, const ward_occasion *occasion)
{
	ward_fault given = {0};

	if (!may_strike(play, system, occasion))
		return given;
	struct wardi_plan_fault *fault =
		wardi_plan_pass(&play->board->plan, &play->state, site_of(occasion->point), 1);
	if (fault != NULL) {
		given.kind = wardi_plan_fault_kind((enum wardi_plan_kind)fault->kind);
		given.delay_ns = fault->delay_ms * WARD_NS_PER_MS;
		tell(play, wardi_trace_fault(play->trace, system, occasion,
					     ward_fault_kind_text(given.kind)));
		strike(play, fault, play->board->under_way, play->trace->step + 1);
	}
	if (occasion->point == WARD_POINT_TURN && given.kind != WARD_FAULT_STALL)
		begin_counting(play);
	return given;
}

static ward_fault on_fault(void *arg, ward_system *system, const ward_occasion *occasion)
{
	struct play *play = arg;

	if (is_cut(play))
		return (ward_fault){0};
	tell_under_way(play, system, occasion);
	ward_fault given = draw_fault(play, system, occasion);
	tell_begin(play, system, occasion);
	if (play->observer.begins != NULL)
		play->observer.begins(play->observer.arg, occasion, &given);
	return given;
}

static void check_invariants(struct play *play)
{
	for (uint32_t i = 0; i < play->invariants_count; i++) {
		const struct invariant *invariant = &play->invariants[i];
		if (!invariant->holds(invariant->arg))
			wardi_violate(play->board, "does not hold: %s", invariant->what);
	}
}

__attribute__((noreturn)) static void end_standing(struct play *play)
{
	const struct standing *standing = &play->standing;
	char who[WARDI_BOARD_TEXT / 2] = "";
	size_t length = 0;

	for (uint32_t i = 0; i < LAST_MAX; i++) {
		uint32_t same = 0;
		while (!ward_ref_equal(standing->last[same], standing->last[i]))
			same++;
		if (same == i)
			length = wardi_text_add(
				who, sizeof(who), length, "%s%s (%s)", i > 0 ? ", " : "",
				wardi_names_path(play->names, standing->last[i].uid),
				ward_kit_state_text(ward_kit_state(play->kit, standing->last[i])));
	}
	wardi_violate(play->board,
		      "%u turns while the clock stands at %lld ms; the last ones were of %s",
		      standing->turns, (long long)(standing->now_ns / WARD_NS_PER_MS), who);
}

/* Reports an endless loop before it fills a record. */
static void check_standing(struct play *play, const ward_occasion *occasion)
{
	struct standing *standing = &play->standing;

	if (occasion->now_ns != standing->now_ns)
		*standing = (struct standing){.now_ns = occasion->now_ns};
	standing->last[standing->turns++ % LAST_MAX] = occasion->who;
	bool full = standing->events >= STANDING_EVENTS && standing->turns >= LAST_MAX &&
		    !play->how->test->kit.keeps_no_events;
	if (play->kit != NULL && (standing->turns >= STANDING_TURNS || full))
		end_standing(play);
}

static void on_done(void *arg, ward_system *system, const ward_occasion *occasion)
{
	struct play *play = arg;
	struct wardi_board *board = play->board;

	if (is_cut(play))
		return;
	board->now_ns = occasion->now_ns;
	const struct wardi_trace_entry *entry = wardi_trace_done(play->trace, system, occasion);
	if (occasion->point != WARD_POINT_TURN)
		tell_end(play, occasion, entry);
	board->hash = play->trace->hash;
	if (play->observer.ends != NULL)
		play->observer.ends(play->observer.arg, occasion);
	if (occasion->point != WARD_POINT_TURN)
		return;
	board->step = play->trace->step;
	board->under_way[0] = '\0';
	/* Relaxed: only a change matters. */
	atomic_store_explicit(&board->beats,
			      atomic_load_explicit(&board->beats, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	end_counting(play);
	check_standing(play, occasion);
	check_invariants(play);
}

/* ---- a run -------------------------------------------------------------------------------- */

static void run_body(struct play *play)
{
	const ward_simulation_test *test = play->how->test;
	const ward_simulation simulation = {choose, on_fault, on_done, play, {0}};
	ward_kit_options options = test->kit;

	options.seed = play->board->seed;
	options.real_threads = false;
	options.simulation = &simulation;
	options.log = hear;
	options.log_arg = play;
	play->board->order.matters = false;
	play->kit = ward_kit_start(&options);
	wardi_kit_memory_on_shortage(&play->kit->memory, on_shortage, play);
	/* The guardians start now, not among the actors of the test. */
	ward_kit_run(play->kit);
	play->board->order.matters = true;
	test->run(play->kit, test->arg);
	leave_test(play);
	ward_kit_finish(play->kit);
}

void wardi_play(const struct wardi_play_how *how, struct wardi_trace *ret_trace,
		struct wardi_names *ret_names)
{
	struct wardi_board *board = how->board;
	struct play play = {.how = how, .board = board, .trace = ret_trace, .names = ret_names};

	*ret_names = (struct wardi_names){.glob = how->test->faults.path};
	wardi_trace_init(ret_trace, ret_names, how->recording);
	board->step = 0;
	board->now_ns = 0;
	board->text[0] = '\0';
	board->under_way[0] = '\0';
	if (how->told)
		board->lines_count = board->strikes_count = board->severe_count = 0;
	if (!how->plan_given)
		wardi_plan_draw(&board->plan, &how->test->faults, board->seed);
	wardi_plan_begin(&board->plan, &play.state);
	wardi_schedule_begin(&board->order, board->seed);

	playing = &play;
	/* Relaxed: the value stands alone. */
	atomic_store_explicit(&wardi_testkit_seed_of_run, board->seed, memory_order_relaxed);
	run_body(&play);
	atomic_store_explicit(&wardi_testkit_seed_of_run, 0, memory_order_relaxed);
	playing = NULL;
	board->hash = ret_trace->hash;
}

const struct wardi_plan_fault *wardi_play_frame(const char *from, const char *to, uint64_t number)
{
	struct play *play = playing;
	char where[WARDI_BOARD_LINE / 2];

	if (play == NULL || play->kit == NULL || play->faults_over)
		return NULL;
	wardi_trace_note(play->trace, ward_kit_now_ns(play->kit), number);
	struct wardi_plan_fault *fault =
		wardi_plan_pass(&play->board->plan, &play->state, WARDI_SITE_FRAME, 1);
	if (fault == NULL)
		return NULL;
	snprintf(where, sizeof(where), "at a frame from %s to %s", from, to);
	if (play->how->told)
		snprintf(play->board->lines[play->board->lines_count++ % WARDI_BOARD_LINES],
			 WARDI_BOARD_LINE, "%llu fault %s",
			 (unsigned long long)play->trace->step + 1, where);
	strike(play, fault, where, play->trace->step + 1);
	return fault;
}

/* ---- inside a run ------------------------------------------------------------------------- */

/* Returns the run of the kit. */
static struct play *play_of(const ward_kit *kit, const char *call)
{
	if (playing == NULL || playing->kit != kit)
		ward_test_fail(__FILE__, __LINE__, "%s: not the kit of a simulation under way",
			       call);
	return playing;
}

void ward_simulation_invariant(ward_kit *kit, bool (*holds)(void *arg), void *arg, const char *what)
{
	struct play *play = play_of(kit, __func__);
	if (play->invariants_count == INVARIANTS_MAX)
		ward_test_fail(__FILE__, __LINE__, "a simulation has at most %d invariants",
			       INVARIANTS_MAX);
	play->invariants[play->invariants_count++] = (struct invariant){holds, arg, what};
}

void ward_simulation_observe(ward_kit *kit, const ward_simulation_observer *observer)
{
	play_of(kit, __func__)->observer = *observer;
}

/* Once, in the run that is reported. */
static void show_tree(const struct play *play)
{
	if (play->how->told)
		ward_kit_print_tree(play->kit, STDERR_FILENO);
}

void ward_simulation_eventually_idle(ward_kit *kit, int64_t timeout_ms)
{
	struct play *play = play_of(kit, __func__);
	ward_system *system = ward_kit_system(kit);
	int64_t begin_ns = ward_kit_now_ns(kit);

	do {
		ward_kit_run(kit);
		if ((ward_kit_now_ns(kit) - begin_ns) / WARD_NS_PER_MS > timeout_ms) {
			show_tree(play);
			wardi_violate(play->board, "not idle within %lld ms",
				      (long long)timeout_ms);
		}
	} while (ward_simulation_advance(system, INT64_MAX));
}

void ward_simulation_eventually(ward_kit *kit, int64_t timeout_ms, bool (*holds)(void *arg),
				void *arg, const char *what)
{
	struct play *play = play_of(kit, __func__);
	if (!ward_kit_run_until(kit, timeout_ms, holds, arg)) {
		show_tree(play);
		wardi_violate(play->board, "not within %lld ms: %s", (long long)timeout_ms, what);
	}
}

void ward_simulation_faults_end(ward_kit *kit)
{
	play_of(kit, __func__)->faults_over = true;
}

uint32_t ward_simulation_faults(const ward_kit *kit)
{
	return play_of(kit, __func__)->strikes;
}

uint64_t ward_simulation_hash(const ward_kit *kit)
{
	return play_of(kit, __func__)->trace->hash;
}

void ward_simulation_note(ward_kit *kit, uint64_t value)
{
	struct play *play = play_of(kit, __func__);
	wardi_trace_note(play->trace, ward_kit_now_ns(kit), value);
}
