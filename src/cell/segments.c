/* SPDX-License-Identifier: MIT
 *
 * segments.c - the segments that cells lie in: made, filled with free cells, given back.
 *
 *	               the first cell        all cells           for a whole period
 *	            +--- is free ---> SOME -- are free --> WHOLE -- not needed -> LEAVING
 *	            |                  |  ^                | ^                      |   |
 *	   FULL ----+<-- none is left -+  +-- one is used -+ +--- needed after all -+   |
 *	                                                     |                          | grace
 *	                                                     +--- needed, made anew --- GONE
 *
 * A segment goes back to the allocator when none of its cells was needed for a period; as with
 * blocks (depot.c), by how many segments were whole at least in that period, so a load that comes
 * and goes keeps its memory. Cells of segments that are in use already are taken first. The first
 * segments stay.
 *
 * A stale ref leads to a cell all the same. It may do so at any time, without a lock, and without
 * an instruction more than if segments stayed:
 *
 *	- While a segment is leaving, and when it is gone, its place in the table holds a segment
 *	  that serves for all of them. It is zero, and never written: no generation is open
 *	  there, and nobody is known. So all who ask for a cell there hear that the life is
 *	  over, as they would have heard from the cell.
 *	- Who has found the cell before may have it in hand, and a sender that has seen a
 *	  generation open pushes after that life is over. So after the change in the table a
 *	  period of grace is waited for (sched/grace.c): all such hands are empty then.
 *	- What was pushed so late lies in the cell, and makes it ready (late_mail.c). So then each
 *	  cell is looked at: idle, with an empty lane. Nobody can push any more, so it stays so.
 *
 * A segment that is made anew begins above the highest generation that a cell of it ever had, and
 * the highest number of a question: so neither an old ref nor an old question means a new one. That
 * is all that is kept of it.
 *
 * Who touches what   lists and counts: under table.mu. The stage of those that leave: by who has
 *                    set `tidying`
 * Pairs  [S1] publish of a segment: release - acquire in table.h
 *        [S3] numbers of a segment: release - acquire
 *        [S6] tidying: release by who is done - acquire by the next one
 *        [S7] first question of a life: release with the generation - acquire
 */
#include "cell/segments.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cell/failure.h"
#include "cell/free_cells.h"
#include "cell/reply_ref.h"
#include "cell/table.h"
#include "mail/auto_received.h"
#include "mail/mailbox.h"
#include "sched/grace.h"

enum {
	POPULATE_FROM = 128 * 1024, /* bytes; those of a small system are taken as they are used */
	FIRST_BITS = WARDI_SLOTS_FIRST_BITS,
	FULL_BITS = WARDI_SLOTS_FULL_BITS,
	/* Cells that are looked at at once, under mu: some microseconds. */
	LOOK_CELLS = 128,
	/* Between two questions whether grace is over; and two looks at a cell that is held. */
	WAIT_MIN_NS = 1000 * 1000,
	WAIT_MAX_NS = 1000 * 1000 * 1000
};

/* What is kept of a segment that was given back. */
struct wardi_gone {
	struct wardi_gone *next;
	uint32_t number;
	uint32_t gen;       /* the highest of its cells */
	uint64_t questions; /* as many as the one with the most has asked */
};

/* In the place of each segment that is not there; one before the first, for the head. Never
 * written: it takes no memory. */
static struct wardi_cell nobody[1 + (1 << FULL_BITS)];
#define GONE_SEGMENT wardi_container_of(&nobody[1], struct wardi_segment, cells)
_Static_assert(offsetof(struct wardi_segment, cells) <= sizeof(struct wardi_cell), "it has a head");

/* Of a segment, in cells. */
static size_t segment_cells(uint32_t number)
{
	return (size_t)1 << (number + FIRST_BITS < FULL_BITS ? number + FIRST_BITS : FULL_BITS);
}

/* In bytes. One that may go has pages of its own. */
static size_t row_size(uint32_t number)
{
	size_t size =
		sizeof(struct wardi_segment) + segment_cells(number) * sizeof(struct wardi_cell);

	return number < WARDI_SEGMENTS_KEPT ? size
					    : (size + WARDI_PAGE - 1) & ~(size_t)(WARDI_PAGE - 1);
}

static uint32_t first_slot(uint32_t number)
{
	const uint32_t growing = FULL_BITS - FIRST_BITS;
	uint32_t at = number < growing ? UINT32_C(1) << (number + FIRST_BITS)
				       : (number - growing + 1) << FULL_BITS;

	return at - (UINT32_C(1) << FIRST_BITS);
}

static _Atomic(struct wardi_segment *) *place_of(struct wardi_table *table, uint32_t number)
{
	return &table->segments[number];
}

static void show(struct wardi_table *table, uint32_t number, struct wardi_segment *segment)
{
	atomic_store_explicit(place_of(table, number), segment, memory_order_release); /* [S1] */
}

void wardi_segments_init(struct wardi_table *table)
{
	wardi_list_init(&table->some);
	wardi_list_init(&table->whole);
	wardi_list_init(&table->leaving);
	wardi_list_init(&table->spares);
	table->period_end_ns = INT64_MAX;
}

/* ---- making ------------------------------------------------------------------------------ */

/* Asks for the pages of a large segment at once: it is filled from its begin to its end, and a
 * fault for each page costs several times what the page does. Refused, by older systems, all is as
 * it was. */
static void populate(struct wardi_segment *segment, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)segment + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)segment + size) & ~(page - 1);

	if (end > first && end - first >= POPULATE_FROM)
#ifdef MADV_POPULATE_WRITE /* of Linux 5.14 */
		(void)madvise((void *)first, end - first, MADV_POPULATE_WRITE);
#else
		return;
#endif
}

/* NULL: no memory. */
static struct wardi_segment *make_segment(ward_system *system, uint32_t number)
{
	size_t size = row_size(number);
	struct wardi_segment *segment = number < WARDI_SEGMENTS_KEPT
						? wardi_alloc(&system->alloc, size)
						: wardi_alloc_pages(&system->alloc, size);

	if (segment == NULL)
		return NULL;
	populate(segment, size);
	segment->system = system;
	atomic_init(&segment->numbers, NULL);
	wardi_list_init(&segment->free);
	segment->free_count = 0;
	segment->number = number;
	segment->questions = 0;
	segment->looked = 0;
	segment->gen = 0;
	return segment;
}

/* A free cell, whose last life was of that generation; 0: it had none, and is held. */
static void init_cell(struct wardi_cell *cell, uint32_t slot, uint32_t gen)
{
	memset(cell, 0, sizeof *cell);
	wardi_mailbox_init(&cell->mailbox);
	cell->uid = (uint64_t)gen << 32 | slot;
	cell->rare = WARDI_NO_RARE;
	cell->command_node.kind = WARDI_SYS_COMMAND;
	cell->failed_node.kind = WARDI_SYS_FAILED;
}

struct wardi_cell *wardi_segments_new_cell(ward_system *system, uint32_t slot)
{
	struct wardi_place place = wardi_place_of(slot);
	struct wardi_segment *segment =
		atomic_load_explicit(place_of(&system->table, place.segment), memory_order_relaxed);

	if (segment == NULL) {
		segment = make_segment(system, place.segment);
		if (segment == NULL)
			return NULL;
		show(&system->table, place.segment, segment);
	}
	init_cell(&segment->cells[place.index], slot, 0);
	return &segment->cells[place.index];
}

static void init_numbers(struct wardi_numbers *numbers, uint64_t last)
{
	numbers->last = last;
	atomic_init(&numbers->first, 0);
	atomic_init(&numbers->gen, 0);
}

struct wardi_numbers *wardi_cell_numbers(const struct wardi_cell *cell)
{
	struct wardi_place place = wardi_place_of(wardi_cell_slot(cell));
	struct wardi_segment *segment = wardi_segment_of(cell);
	struct wardi_alloc *alloc = &segment->system->alloc;
	size_t count = segment_cells(place.segment);
	struct wardi_numbers *numbers =
		atomic_load_explicit(&segment->numbers, memory_order_acquire); /* [S3] */
	struct wardi_numbers *made;

	if (numbers == NULL) {
		made = wardi_alloc(alloc, count * sizeof *made);
		if (made == NULL)
			return NULL;
		for (size_t i = 0; i < count; i++)
			init_numbers(&made[i], segment->questions);
		if (atomic_compare_exchange_strong_explicit(&segment->numbers, &numbers, made,
							    memory_order_acq_rel, /* [S3] */
							    memory_order_acquire))
			numbers = made;
		else
			wardi_free(alloc, made, count * sizeof *made); /* another was first */
	}
	return &numbers[place.index];
}

void wardi_numbers_begin(struct wardi_numbers *numbers, uint32_t gen)
{
	/* Relaxed: the holder's own. */
	if (atomic_load_explicit(&numbers->gen, memory_order_relaxed) == gen)
		return;
	/* Relaxed: who finds the generation sees it. Who finds the one before, and this already,
	 * takes a question of that for nobody's, which it is by now. */
	atomic_store_explicit(&numbers->first, numbers->last, memory_order_relaxed);
	atomic_store_explicit(&numbers->gen, gen, memory_order_release); /* [S7] */
}

bool wardi_table_has_asked(const ward_system *system, uint32_t slot, uint32_t gen, uint64_t number)
{
	struct wardi_place place = wardi_place_of(slot);
	const struct wardi_segment *segment = atomic_load_explicit(
		&system->table.segments[place.segment], memory_order_acquire); /* [S1] */
	struct wardi_numbers *numbers =
		atomic_load_explicit(&segment->numbers, memory_order_acquire); /* [S3] */

	if (numbers == NULL)
		return false;
	numbers += place.index;
	/* Relaxed: it came with the generation, or is of a life after that, and then higher. */
	return atomic_load_explicit(&numbers->gen, memory_order_acquire) == gen && /* [S7] */
	       number >= atomic_load_explicit(&numbers->first, memory_order_relaxed);
}

static void free_segment(ward_system *system, struct wardi_segment *segment)
{
	size_t size = row_size(segment->number);

	wardi_free(&system->alloc, atomic_load_explicit(&segment->numbers, memory_order_acquire),
		   segment_cells(segment->number) * sizeof(struct wardi_numbers));
	if (segment->number < WARDI_SEGMENTS_KEPT)
		wardi_free(&system->alloc, segment, size);
	else
		wardi_free_pages(&system->alloc, segment, size);
}

/* ---- free cells; all under mu ------------------------------------------------------------ */

static void become_whole(struct wardi_table *table, struct wardi_segment *segment)
{
	wardi_list_append(&table->whole, &segment->link);
	table->whole_count++;
}

/* Takes it out of the list of those that are whole. */
static void be_needed(struct wardi_table *table, struct wardi_segment *segment)
{
	wardi_list_remove(&segment->link);
	if (--table->whole_count < table->whole_least)
		table->whole_least = table->whole_count;
}

/* It is found again. */
static void come_back(struct wardi_table *table, struct wardi_segment *segment)
{
	wardi_list_remove(&segment->link);
	show(table, segment->number, segment);
	become_whole(table, segment);
}

void wardi_segments_put(struct wardi_table *table, struct wardi_cell *cell)
{
	struct wardi_segment *segment = wardi_segment_of(cell);

	wardi_list_append(&segment->free, &cell->sibling);
	if (segment->free_count++ == 0)
		wardi_list_append(&table->some, &segment->link);
	if (segment->number >= WARDI_SEGMENTS_KEPT &&
	    segment->free_count == segment_cells(segment->number)) {
		wardi_list_remove(&segment->link);
		become_whole(table, segment);
	}
}

static struct wardi_segment *first_of(const struct wardi_list *segments)
{
	return wardi_list_empty(segments)
		       ? NULL
		       : wardi_container_of(segments->next, struct wardi_segment, link);
}

struct wardi_cell *wardi_segments_get(struct wardi_table *table)
{
	struct wardi_segment *segment = first_of(&table->some);
	struct wardi_cell *cell;

	if (segment == NULL) {
		segment = first_of(&table->whole);
		if (segment == NULL && (segment = first_of(&table->leaving)) != NULL)
			come_back(table, segment);
		if (segment == NULL)
			return NULL;
		be_needed(table, segment);
		wardi_list_append(&table->some, &segment->link);
	}
	cell = wardi_container_of(segment->free.next, struct wardi_cell, sibling);
	wardi_list_remove(&cell->sibling);
	if (--segment->free_count == 0)
		wardi_list_remove(&segment->link);
	return cell;
}

bool wardi_segments_bring_back(ward_system *system)
{
	struct wardi_table *table = &system->table;
	struct wardi_gone *gone = table->gone;
	struct wardi_segment *segment = gone == NULL ? NULL : make_segment(system, gone->number);

	if (segment == NULL)
		return false;
	segment->questions = gone->questions;
	/* All of them before anybody finds one: old refs lead here. */
	for (uint32_t i = 0; i < segment_cells(gone->number); i++) {
		init_cell(&segment->cells[i], first_slot(gone->number) + i, gone->gen);
		if (gone->gen != 0) /* as after a life: see wardi_table_seize() */
			(void)wardi_mailbox_swap_head(&segment->cells[i].mailbox,
						      &segment->cells[i].mailbox.stub);
		wardi_list_append(&segment->free, &segment->cells[i].sibling);
		segment->free_count++;
	}
	show(table, gone->number, segment);
	become_whole(table, segment);
	table->gone = gone->next;
	wardi_free(&system->alloc, gone, sizeof *gone);
	return true;
}

/* ---- giving back ------------------------------------------------------------------------- */

/* What was whole through all of a period leaves. Returns when the next one ends. Under mu. */
static int64_t plan(struct wardi_table *table, int64_t now_ns)
{
	uint32_t surplus = 0;

	if (table->whole_count == 0) {
		table->period_end_ns = INT64_MAX;
		return INT64_MAX;
	}
	if (table->period_end_ns != INT64_MAX) {
		if (now_ns < table->period_end_ns)
			return table->period_end_ns;
		surplus = table->whole_least;
	}
	for (; surplus > 0; surplus--) {
		/* Those that were used last, if they are used from the first on. */
		struct wardi_segment *segment =
			wardi_container_of(table->whole.prev, struct wardi_segment, link);

		be_needed(table, segment);
		segment->looked = segment->gen = 0;
		wardi_list_append(&table->leaving, &segment->link);
		show(table, segment->number, GONE_SEGMENT);
	}
	table->whole_least = table->whole_count;
	table->period_end_ns = now_ns + WARDI_SEGMENTS_PERIOD_NS;
	return wardi_list_empty(&table->leaving) ? table->period_end_ns : now_ns;
}

/* Whether nobody has the cell in hand, and nothing lies in it. Nobody finds it any more. */
static bool is_at_rest(const struct wardi_cell *cell)
{
	bool idle, unread;

	wardi_mailbox_look(&cell->mailbox, &idle, &unread);
	return (idle || wardi_uid_gen(cell->uid) == 0) && !unread;
}

/* False: somebody is busy with late mail of one of them. Under mu. */
static bool look_at_some(struct wardi_segment *segment)
{
	for (int i = 0; i < LOOK_CELLS && segment->looked < segment_cells(segment->number); i++) {
		const struct wardi_cell *cell = &segment->cells[segment->looked];

		if (!is_at_rest(cell))
			return false;
		if (wardi_uid_gen(cell->uid) > segment->gen)
			segment->gen = wardi_uid_gen(cell->uid);
		segment->looked++;
	}
	return true;
}

/* Under mu. */
static uint64_t most_questions(const struct wardi_segment *segment)
{
	const struct wardi_numbers *numbers =
		atomic_load_explicit(&segment->numbers, memory_order_acquire); /* [S3] */
	uint64_t most = segment->questions;

	for (size_t i = 0; numbers != NULL && i < segment_cells(segment->number); i++)
		if (numbers[i].last > most)
			most = numbers[i].last;
	return most;
}

/* True: it is gone, and to be freed. Else there is no memory to remember it, and it stays. Under
 * mu. */
static bool let_go(ward_system *system, struct wardi_segment *segment)
{
	struct wardi_table *table = &system->table;
	struct wardi_gone *gone = wardi_alloc(&system->alloc, sizeof *gone);

	if (gone == NULL) {
		come_back(table, segment);
		return false;
	}
	*gone = (struct wardi_gone){table->gone, segment->number, segment->gen,
				    most_questions(segment)};
	table->gone = gone;
	wardi_list_remove(&segment->link);
	return true;
}

/* After grace: looks at a little of what leaves, and frees a segment. */
static int64_t look_through(ward_system *system, int64_t now_ns)
{
	struct wardi_table *table = &system->table;
	struct wardi_segment *segment;
	int64_t at_ns = now_ns;
	bool free = false;

	wardi_mutex_lock(&table->mu);
	segment = first_of(&table->leaving);
	if (segment == NULL)
		table->stage = WARDI_SEGMENTS_QUIET;
	else if (!look_at_some(segment))
		at_ns = now_ns + WAIT_MIN_NS;
	else if (segment->looked == segment_cells(segment->number))
		free = let_go(system, segment);
	table->due_ns = at_ns;
	wardi_mutex_unlock(&table->mu);
	if (free)
		free_segment(system, segment);
	return at_ns;
}

/* Asks seldom where a run takes long. */
static int64_t await(ward_system *system, int64_t now_ns)
{
	struct wardi_table *table = &system->table;
	int64_t at_ns = now_ns;

	if (wardi_grace_over(system->sched)) {
		table->stage = WARDI_SEGMENTS_LOOKING;
	} else {
		at_ns = now_ns + table->wait_ns;
		if (table->wait_ns < WAIT_MAX_NS)
			table->wait_ns *= 2;
	}
	wardi_mutex_lock(&table->mu);
	table->due_ns = at_ns;
	wardi_mutex_unlock(&table->mu);
	return at_ns;
}

static int64_t begin(ward_system *system, int64_t now_ns)
{
	struct wardi_table *table = &system->table;
	bool leaves;

	/* A worker that is busy for long would keep a segment for each of its cells. Not each time:
	 * who goes to sleep tidies, and has emptied its own. */
	if (now_ns - table->took_back_ns >= WARDI_SEGMENTS_PERIOD_NS) {
		(void)wardi_free_cells_take_back(system);
		table->took_back_ns = now_ns;
	}
	wardi_mutex_lock(&table->mu);
	int64_t at_ns = table->due_ns = plan(table, now_ns);
	leaves = !wardi_list_empty(&table->leaving);
	wardi_mutex_unlock(&table->mu);
	if (leaves) {
		wardi_grace_begin(system->sched);
		table->wait_ns = WAIT_MIN_NS;
		table->stage = WARDI_SEGMENTS_WAITING;
	}
	return at_ns;
}

int64_t wardi_segments_tidy(ward_system *system, int64_t now_ns)
{
	struct wardi_table *table = &system->table;
	int64_t at_ns;

	if (!wardi_segments_are_many(system))
		return INT64_MAX;
	if (atomic_exchange_explicit(&table->tidying, true, memory_order_acquire)) /* [S6] */
		return now_ns + WAIT_MIN_NS;
	if (table->stage == WARDI_SEGMENTS_WAITING)
		at_ns = await(system, now_ns);
	else if (table->stage == WARDI_SEGMENTS_LOOKING)
		at_ns = look_through(system, now_ns);
	else
		at_ns = begin(system, now_ns);
	atomic_store_explicit(&table->tidying, false, memory_order_release); /* [S6] */
	return at_ns;
}

int64_t wardi_segments_due(ward_system *system)
{
	struct wardi_table *table = &system->table;
	int64_t at_ns = INT64_MAX;

	if (!wardi_segments_are_many(system))
		return INT64_MAX;
	wardi_mutex_lock(&table->mu);
	if (table->period_end_ns != INT64_MAX)
		at_ns = table->due_ns;
	else if (table->whole_count > 0)
		at_ns = INT64_MIN + 1;
	wardi_mutex_unlock(&table->mu);
	return at_ns;
}

/* ---- the end ----------------------------------------------------------------------------- */

/* What came too late for the last life of a cell lies in its lane still. */
static void finish_cell(ward_system *system, struct wardi_cell *cell)
{
	struct wardi_source from = wardi_outside_source(system);
	struct ward_msg *msg = NULL;

	while (wardi_mailbox_pop(&cell->mailbox, from, &msg) == WARDI_POP_MESSAGE) {
		if (wardi_msg_type(msg) == &wardi_type_answer)
			wardi_msg_destroy(from, wardi_answer_unwrap(msg));
		wardi_msg_drop(from, msg);
		wardi_msg_free_body(from, msg);
	}
	wardi_mailbox_finish(&cell->mailbox, from);
	wardi_failure_unref(cell->last_failure); /* the root has no parent that does it */
}

void wardi_segments_finish(ward_system *system)
{
	struct wardi_table *table = &system->table;
	struct wardi_segment *segment;
	struct wardi_gone *gone;

	while ((segment = first_of(&table->leaving)) != NULL)
		come_back(table, segment);
	for (uint32_t number = 0; number < table->segments_max; number++) {
		/* Relaxed: all threads have ended. */
		segment = atomic_load_explicit(place_of(table, number), memory_order_relaxed);
		if (segment == NULL || segment == GONE_SEGMENT)
			continue;
		for (uint32_t i = 0, slot = first_slot(number);
		     i < segment_cells(number) && slot + i < table->used; i++)
			finish_cell(system, &segment->cells[i]);
		free_segment(system, segment);
	}
	while ((gone = table->gone) != NULL) {
		table->gone = gone->next;
		wardi_free(&system->alloc, gone, sizeof *gone);
	}
}
