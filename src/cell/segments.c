/* SPDX-License-Identifier: MIT
 *
 * segments.c - segments of cells: made, filled with free cells, freed.
 *
 *	               the first cell        all cells           for a whole period
 *	            +--- is free ---> SOME -- are free --> WHOLE -- not needed -> LEAVING
 *	            |                  |  ^                | ^                      |   |
 *	   FULL ----+<-- none is left -+  +-- one is used -+ +--- needed after all -+   |
 *	                                                     |                          | grace
 *	                                                     +--- needed, remade ------ GONE
 *
 * A segment goes back to the allocator when none of its cells was needed for a period; as with
 * blocks (depot.c) the least number of whole segments in that period decides, so a load that comes
 * and goes keeps its memory. Cells of segments in use are taken first. The first segments stay.
 *
 * A stale ref still leads to a cell, at any time, without a lock, and without more instructions
 * than if segments stayed:
 *
 *	- While a segment is leaving, and when it is gone, its place in the table holds a segment
 *	  that serves for all of them. It is zero, and never written: no generation is open
 *	  there, and no path is known. So a look-up of a cell there finds that the life is
 *	  over, as it would have found in the cell.
 *	- A thread that found the cell before may still hold it, and a sender that has seen a
 *	  generation open pushes after that life is over. So after the change in the table a
 *	  period of grace is waited for (sched/grace.c): all such hands are empty then.
 *	- A message pushed so late is in the cell, and makes it ready (late_mail.c). So then each
 *	  cell is looked at: idle, with an empty lane. Nobody can push now, so it stays so.
 *
 * A segment that is made again begins above the highest generation of its cells so far, and the
 * highest number of a question: so neither an old ref nor an old question matches a new one. Only
 * these numbers are kept of a freed segment.
 *
 * Threads: lists and counts under table.mu; the stage belongs to the thread that set `tidying`.
 * Pairs  [S1] publish of a segment: release - acquire in table.h
 *        [S3] numbers of a segment: release - acquire
 *        [S6] tidying: release by the last thread - acquire by the next
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
	POPULATE_FROM = 128 * 1024, /* bytes; smaller segments are populated by faults */
	PIECE = 64 * 1024,          /* of larger ones, populated at once */
	FIRST_BITS = WARDI_SLOTS_FIRST_BITS,
	FULL_BITS = WARDI_SLOTS_FULL_BITS,
	/* Cells that are checked at once, under mu: some microseconds. */
	LOOK_CELLS = 128,
	/* Between two checks whether grace is over; and between two looks at a held cell. */
	WAIT_MIN_NS = 1000 * 1000,
	WAIT_MAX_NS = 1000 * 1000 * 1000
};

/* The record of a freed segment. */
struct wardi_gone {
	struct wardi_gone *next;
	uint32_t number;
	uint32_t gen;       /* the highest of its cells */
	uint64_t questions; /* the most that one of its cells has asked */
};

/* Stands for each freed segment; one more in front, for the head. Never written: takes no
 * memory. */
static struct wardi_cell nobody[1 + (1 << FULL_BITS)];
#define GONE_SEGMENT wardi_container_of(&nobody[1], struct wardi_segment, cells)
_Static_assert(offsetof(struct wardi_segment, cells) <= sizeof(struct wardi_cell), "it has a head");

/* Returns the size of a segment in cells. */
static size_t segment_cells(uint32_t number)
{
	return (size_t)1 << (number + FIRST_BITS < FULL_BITS ? number + FIRST_BITS : FULL_BITS);
}

/* Returns its size in bytes. A segment that may be freed has pages of its own. */
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

/* Populates the pages of a large segment a piece at a time, before the first cell that reaches into
 * it: it is filled from begin to end, and a fault for each page costs several times as much. Older
 * systems refuse that, which does no harm. */
static void populate(const struct wardi_segment *segment, const struct wardi_cell *fresh)
{
	size_t size = row_size(segment->number);
	uintptr_t segment_end = ((uintptr_t)segment + size) & ~(uintptr_t)(WARDI_PAGE - 1);
	uintptr_t last = (uintptr_t)(fresh + 1) - 1, piece = last & ~(uintptr_t)(PIECE - 1);
	uintptr_t end = piece + PIECE < segment_end ? piece + PIECE : segment_end;

	if (size < POPULATE_FROM || piece <= (uintptr_t)fresh || end <= piece)
		return;
#ifdef MADV_POPULATE_WRITE /* Linux 5.14 */
	(void)madvise((void *)piece, end - piece, MADV_POPULATE_WRITE);
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

/* Makes a free cell, whose last life had that generation; 0: it had none, and is held. */
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
	populate(segment, &segment->cells[place.index]);
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
			wardi_free(alloc, made, count * sizeof *made); /* not the first */
	}
	return &numbers[place.index];
}

void wardi_numbers_begin(struct wardi_numbers *numbers, uint32_t gen)
{
	/* Relaxed: the holder's own. */
	if (atomic_load_explicit(&numbers->gen, memory_order_relaxed) == gen)
		return;
	/* Relaxed: a reader of the generation sees it. A reader of the previous generation with the
	 * new `first` takes a question of that life for nobody's, which is right by now. */
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
	/* Relaxed: it came with the generation, or belongs to a later life, and is higher. */
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

/* Takes a segment out of the list of whole ones. */
static void be_needed(struct wardi_table *table, struct wardi_segment *segment)
{
	wardi_list_remove(&segment->link);
	if (--table->whole_count < table->whole_least)
		table->whole_least = table->whole_count;
}

/* Makes a segment findable again. */
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
	/* All of them before the segment is published: old refs lead here. */
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

/* ---- freeing ----------------------------------------------------------------------------- */

/* Under mu: segments that were whole for a period leave. Returns when the next period ends. */
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
		/* The segments used last, if they are used from the first on. */
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

/* Whether a cell that can no longer be found is idle and its lane empty. */
static bool is_at_rest(const struct wardi_cell *cell)
{
	bool idle, unread;

	wardi_mailbox_look(&cell->mailbox, &idle, &unread);
	return (idle || wardi_uid_gen(cell->uid) == 0) && !unread;
}

/* Under mu: checks some cells. False: a worker is busy with late mail of one of them. */
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

/* Under mu. True: the caller must free the segment. False: there is no memory for its record, and
 * it stays. */
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

/* After grace: checks some cells of segments that leave, and frees a segment. */
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

/* Waits for grace; asks less often if a run takes long. */
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

	/* A worker that is busy for long would keep a segment for each of its free cells. Not each
	 * time: a worker that goes to sleep tidies, and has emptied its own stock. */
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

/* Frees the messages that came too late for the last life of a cell. */
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
	wardi_failure_unref(cell->last_failure); /* the root has no parent to do it */
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
