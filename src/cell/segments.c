/* SPDX-License-Identifier: MIT
 *
 * segments.c - the rows that cells lie in: made, filled with free cells, given back.
 *
 *	               the first cell        all cells           for a whole period
 *	            +--- is free ---> SOME -- are free --> WHOLE -- not needed -> LEAVING
 *	            |                  |  ^                | ^                      |   |
 *	   FULL ----+<-- none is left -+  +-- one is used -+ +--- needed after all -+   |
 *	                                                     |                          | grace
 *	                                                     +--- needed, made anew --- GONE
 *
 * A row goes back to the allocator when none of its cells was needed for a period; as with blocks
 * (depot.c), by how many rows were whole at least in that period, so a load that comes and goes
 * keeps its memory. Cells of rows that are in use already are taken first. The first rows stay.
 *
 * A stale ref leads to a cell all the same. It may do so at any time, without a lock, and without
 * an instruction more than if rows stayed:
 *
 *	- While a row is leaving, and when it is gone, its place in the table holds a row
 *	  that serves for all of them. It is zero, and never written: no generation is open
 *	  there, and nobody is known. So all who ask for a cell there hear that the life is
 *	  over, as they would have heard from the cell.
 *	- Who has found the cell before may have it in hand, and a sender that has seen a
 *	  generation open pushes after that life is over. So after the change in the table a
 *	  period of grace is waited for (sched/grace.c): all such hands are empty then.
 *	- What was pushed so late lies in the cell, and makes it ready (late_mail.c). So then each
 *	  cell is looked at: idle, with an empty lane. Nobody can push any more, so it stays so.
 *
 * A row that is made anew begins above the highest generation that a cell of it ever had, and the
 * highest number of a question: so neither an old ref nor an old question means a new one. That is
 * all that is kept of it.
 *
 * Who touches what   lists and counts: under slots.mu. The stage of those that leave: by who has
 *                    set `tidying`
 * Pairs  [S1] publish of a row: release - acquire in table.h
 *        [S3] numbers of a row: release - acquire
 *        [S6] tidying: release by who is done - acquire by the next one
 *        [S7] first question of a life: release with the generation - acquire
 */
#include "cell/segments.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cell/free_cells.h"
#include "cell/table.h"
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

/* What is kept of a row that was given back. */
struct wardi_gone {
	struct wardi_gone *next;
	uint32_t number;
	uint32_t gen;       /* the highest of its cells */
	uint64_t questions; /* as many as the one with the most has asked */
};

/* In the place of each row that is not there; one before the first, for the head. Never written:
 * it takes no memory. */
static struct wardi_cell nobody[1 + (1 << FULL_BITS)];
#define GONE_ROW wardi_container_of(&nobody[1], struct wardi_row, cells)
_Static_assert(offsetof(struct wardi_row, cells) <= sizeof(struct wardi_cell), "it has a head");

/* Of a row, in cells. */
static size_t row_cells(uint32_t number)
{
	return (size_t)1 << (number + FIRST_BITS < FULL_BITS ? number + FIRST_BITS : FULL_BITS);
}

/* In bytes. One that may go has pages of its own. */
static size_t row_size(uint32_t number)
{
	size_t size = sizeof(struct wardi_row) + row_cells(number) * sizeof(struct wardi_cell);

	return number < WARDI_ROWS_KEPT ? size
					: (size + WARDI_PAGE - 1) & ~(size_t)(WARDI_PAGE - 1);
}

static uint32_t first_slot(uint32_t number)
{
	const uint32_t growing = FULL_BITS - FIRST_BITS;
	uint32_t at = number < growing ? UINT32_C(1) << (number + FIRST_BITS)
				       : (number - growing + 1) << FULL_BITS;

	return at - (UINT32_C(1) << FIRST_BITS);
}

static _Atomic(struct wardi_row *) *place_of(struct wardi_slots *slots, uint32_t number)
{
	return &slots->rows[number];
}

static void show(struct wardi_slots *slots, uint32_t number, struct wardi_row *row)
{
	atomic_store_explicit(place_of(slots, number), row, memory_order_release); /* [S1] */
}

void wardi_rows_init(struct wardi_slots *slots)
{
	wardi_list_init(&slots->some);
	wardi_list_init(&slots->whole);
	wardi_list_init(&slots->leaving);
	slots->period_end_ns = INT64_MAX;
}

/* ---- making ------------------------------------------------------------------------------ */

/* Asks for the pages of a large row at once: it is filled from its begin to its end, and a fault
 * for each page costs several times what the page does. Refused, by older systems, all is as it
 * was. */
static void populate(struct wardi_row *row, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)row + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)row + size) & ~(page - 1);

	if (end > first && end - first >= POPULATE_FROM)
#ifdef MADV_POPULATE_WRITE /* of Linux 5.14 */
		(void)madvise((void *)first, end - first, MADV_POPULATE_WRITE);
#else
		return;
#endif
}

/* NULL: no memory. */
static struct wardi_row *make_row(ward_system *system, uint32_t number)
{
	size_t size = row_size(number);
	struct wardi_row *row = number < WARDI_ROWS_KEPT ? wardi_alloc(&system->alloc, size)
							 : wardi_alloc_pages(&system->alloc, size);

	if (row == NULL)
		return NULL;
	populate(row, size);
	row->system = system;
	atomic_init(&row->numbers, NULL);
	wardi_list_init(&row->free);
	row->free_count = 0;
	row->number = number;
	row->questions = 0;
	row->looked = 0;
	row->gen = 0;
	return row;
}

/* A free cell, whose last life was of that generation; 0: it had none, and is held. */
static void init_cell(struct wardi_cell *cell, uint32_t slot, uint32_t gen)
{
	memset(cell, 0, sizeof *cell);
	wardi_mailbox_init(&cell->mailbox);
	cell->uid = (uint64_t)gen << 32 | slot;
	cell->gear = WARDI_NO_GEAR;
	cell->command_node.kind = WARDI_SYS_COMMAND;
	cell->failed_node.kind = WARDI_SYS_FAILED;
}

struct wardi_cell *wardi_rows_new_cell(ward_system *system, uint32_t slot)
{
	struct wardi_place place = wardi_place_of(slot);
	struct wardi_row *row =
		atomic_load_explicit(place_of(&system->slots, place.row), memory_order_relaxed);

	if (row == NULL) {
		row = make_row(system, place.row);
		if (row == NULL)
			return NULL;
		show(&system->slots, place.row, row);
	}
	init_cell(&row->cells[place.index], slot, 0);
	return &row->cells[place.index];
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
	struct wardi_row *row = wardi_cell_row(cell);
	struct wardi_alloc *alloc = &row->system->alloc;
	size_t count = row_cells(place.row);
	struct wardi_numbers *numbers =
		atomic_load_explicit(&row->numbers, memory_order_acquire); /* [S3] */
	struct wardi_numbers *made;

	if (numbers == NULL) {
		made = wardi_alloc(alloc, count * sizeof *made);
		if (made == NULL)
			return NULL;
		for (size_t i = 0; i < count; i++)
			init_numbers(&made[i], row->questions);
		if (atomic_compare_exchange_strong_explicit(&row->numbers, &numbers, made,
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

bool wardi_slot_has_asked(const ward_system *system, uint32_t slot, uint32_t gen, uint64_t number)
{
	struct wardi_place place = wardi_place_of(slot);
	const struct wardi_row *row = atomic_load_explicit(&system->slots.rows[place.row],
							   memory_order_acquire); /* [S1] */
	struct wardi_numbers *numbers =
		atomic_load_explicit(&row->numbers, memory_order_acquire); /* [S3] */

	if (numbers == NULL)
		return false;
	numbers += place.index;
	/* Relaxed: it came with the generation, or is of a life after that, and then higher. */
	return atomic_load_explicit(&numbers->gen, memory_order_acquire) == gen && /* [S7] */
	       number >= atomic_load_explicit(&numbers->first, memory_order_relaxed);
}

static void free_row(ward_system *system, struct wardi_row *row)
{
	size_t size = row_size(row->number);

	wardi_free(&system->alloc, atomic_load_explicit(&row->numbers, memory_order_acquire),
		   row_cells(row->number) * sizeof(struct wardi_numbers));
	if (row->number < WARDI_ROWS_KEPT)
		wardi_free(&system->alloc, row, size);
	else
		wardi_free_pages(&system->alloc, row, size);
}

/* ---- free cells; all under mu ------------------------------------------------------------ */

static void become_whole(struct wardi_slots *slots, struct wardi_row *row)
{
	wardi_list_append(&slots->whole, &row->link);
	slots->whole_count++;
}

/* Takes it out of the list of those that are whole. */
static void be_needed(struct wardi_slots *slots, struct wardi_row *row)
{
	wardi_list_remove(&row->link);
	if (--slots->whole_count < slots->whole_least)
		slots->whole_least = slots->whole_count;
}

/* It is found again. */
static void come_back(struct wardi_slots *slots, struct wardi_row *row)
{
	wardi_list_remove(&row->link);
	show(slots, row->number, row);
	become_whole(slots, row);
}

void wardi_rows_put(struct wardi_slots *slots, struct wardi_cell *cell)
{
	struct wardi_row *row = wardi_cell_row(cell);

	wardi_list_append(&row->free, &cell->sibling);
	if (row->free_count++ == 0)
		wardi_list_append(&slots->some, &row->link);
	if (row->number >= WARDI_ROWS_KEPT && row->free_count == row_cells(row->number)) {
		wardi_list_remove(&row->link);
		become_whole(slots, row);
	}
}

static struct wardi_row *first_of(const struct wardi_list *rows)
{
	return wardi_list_empty(rows) ? NULL
				      : wardi_container_of(rows->next, struct wardi_row, link);
}

struct wardi_cell *wardi_rows_get(struct wardi_slots *slots)
{
	struct wardi_row *row = first_of(&slots->some);
	struct wardi_cell *cell;

	if (row == NULL) {
		row = first_of(&slots->whole);
		if (row == NULL && (row = first_of(&slots->leaving)) != NULL)
			come_back(slots, row);
		if (row == NULL)
			return NULL;
		be_needed(slots, row);
		wardi_list_append(&slots->some, &row->link);
	}
	cell = wardi_container_of(row->free.next, struct wardi_cell, sibling);
	wardi_list_remove(&cell->sibling);
	if (--row->free_count == 0)
		wardi_list_remove(&row->link);
	return cell;
}

bool wardi_rows_bring_back(ward_system *system)
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_gone *gone = slots->gone;
	struct wardi_row *row = gone == NULL ? NULL : make_row(system, gone->number);

	if (row == NULL)
		return false;
	row->questions = gone->questions;
	/* All of them before anybody finds one: old refs lead here. */
	for (uint32_t i = 0; i < row_cells(gone->number); i++) {
		init_cell(&row->cells[i], first_slot(gone->number) + i, gone->gen);
		if (gone->gen != 0) /* as after a life: see wardi_slot_seize() */
			(void)wardi_mailbox_swap_head(&row->cells[i].mailbox,
						      &row->cells[i].mailbox.stub);
		wardi_list_append(&row->free, &row->cells[i].sibling);
		row->free_count++;
	}
	show(slots, gone->number, row);
	become_whole(slots, row);
	slots->gone = gone->next;
	wardi_free(&system->alloc, gone, sizeof *gone);
	return true;
}

/* ---- giving back ------------------------------------------------------------------------- */

/* What was whole through all of a period leaves. Gives when the next one ends. Under mu. */
static int64_t plan(struct wardi_slots *slots, int64_t now_ns)
{
	uint32_t surplus = 0;

	if (slots->whole_count == 0) {
		slots->period_end_ns = INT64_MAX;
		return INT64_MAX;
	}
	if (slots->period_end_ns != INT64_MAX) {
		if (now_ns < slots->period_end_ns)
			return slots->period_end_ns;
		surplus = slots->whole_least;
	}
	for (; surplus > 0; surplus--) {
		/* Those that were used last, if they are used from the first on. */
		struct wardi_row *row =
			wardi_container_of(slots->whole.prev, struct wardi_row, link);

		be_needed(slots, row);
		row->looked = row->gen = 0;
		wardi_list_append(&slots->leaving, &row->link);
		show(slots, row->number, GONE_ROW);
	}
	slots->whole_least = slots->whole_count;
	slots->period_end_ns = now_ns + WARDI_ROWS_PERIOD_NS;
	return wardi_list_empty(&slots->leaving) ? slots->period_end_ns : now_ns;
}

/* Whether nobody has the cell in hand, and nothing lies in it. Nobody finds it any more. */
static bool is_at_rest(const struct wardi_cell *cell)
{
	bool idle, unread;

	wardi_mailbox_look(&cell->mailbox, &idle, &unread);
	return (idle || wardi_uid_gen(cell->uid) == 0) && !unread;
}

/* False: somebody is busy with late mail of one of them. Under mu. */
static bool look_at_some(struct wardi_row *row)
{
	for (int i = 0; i < LOOK_CELLS && row->looked < row_cells(row->number); i++) {
		const struct wardi_cell *cell = &row->cells[row->looked];

		if (!is_at_rest(cell))
			return false;
		if (wardi_uid_gen(cell->uid) > row->gen)
			row->gen = wardi_uid_gen(cell->uid);
		row->looked++;
	}
	return true;
}

/* Under mu. */
static uint64_t most_questions(const struct wardi_row *row)
{
	const struct wardi_numbers *numbers =
		atomic_load_explicit(&row->numbers, memory_order_acquire); /* [S3] */
	uint64_t most = row->questions;

	for (size_t i = 0; numbers != NULL && i < row_cells(row->number); i++)
		if (numbers[i].last > most)
			most = numbers[i].last;
	return most;
}

/* True: it is gone, and to be freed. Else there is no memory to remember it, and it stays. Under
 * mu. */
static bool let_go(ward_system *system, struct wardi_row *row)
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_gone *gone = wardi_alloc(&system->alloc, sizeof *gone);

	if (gone == NULL) {
		come_back(slots, row);
		return false;
	}
	*gone = (struct wardi_gone){slots->gone, row->number, row->gen, most_questions(row)};
	slots->gone = gone;
	wardi_list_remove(&row->link);
	return true;
}

/* After grace: looks at a little of what leaves, and frees a row. */
static int64_t look_through(ward_system *system, int64_t now_ns)
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_row *row;
	int64_t at_ns = now_ns;
	bool free = false;

	wardi_mutex_lock(&slots->mu);
	row = first_of(&slots->leaving);
	if (row == NULL)
		slots->stage = WARDI_ROWS_QUIET;
	else if (!look_at_some(row))
		at_ns = now_ns + WAIT_MIN_NS;
	else if (row->looked == row_cells(row->number))
		free = let_go(system, row);
	slots->due_ns = at_ns;
	wardi_mutex_unlock(&slots->mu);
	if (free)
		free_row(system, row);
	return at_ns;
}

/* Asks seldom where a run takes long. */
static int64_t await(ward_system *system, int64_t now_ns)
{
	struct wardi_slots *slots = &system->slots;
	int64_t at_ns = now_ns;

	if (wardi_grace_over(system->sched)) {
		slots->stage = WARDI_ROWS_LOOKING;
	} else {
		at_ns = now_ns + slots->wait_ns;
		if (slots->wait_ns < WAIT_MAX_NS)
			slots->wait_ns *= 2;
	}
	wardi_mutex_lock(&slots->mu);
	slots->due_ns = at_ns;
	wardi_mutex_unlock(&slots->mu);
	return at_ns;
}

static int64_t begin(ward_system *system, int64_t now_ns)
{
	struct wardi_slots *slots = &system->slots;
	bool leaves;

	/* A worker that is busy for long would keep a row for each of its cells. Not each time: who
	 * goes to sleep tidies, and has emptied its own. */
	if (now_ns - slots->took_back_ns >= WARDI_ROWS_PERIOD_NS) {
		(void)wardi_stocks_take_back(system);
		slots->took_back_ns = now_ns;
	}
	wardi_mutex_lock(&slots->mu);
	int64_t at_ns = slots->due_ns = plan(slots, now_ns);
	leaves = !wardi_list_empty(&slots->leaving);
	wardi_mutex_unlock(&slots->mu);
	if (leaves) {
		wardi_grace_begin(system->sched);
		slots->wait_ns = WAIT_MIN_NS;
		slots->stage = WARDI_ROWS_WAITING;
	}
	return at_ns;
}

int64_t wardi_rows_tidy(ward_system *system, int64_t now_ns)
{
	struct wardi_slots *slots = &system->slots;
	int64_t at_ns;

	if (!wardi_rows_are_many(system))
		return INT64_MAX;
	if (atomic_exchange_explicit(&slots->tidying, true, memory_order_acquire)) /* [S6] */
		return now_ns + WAIT_MIN_NS;
	if (slots->stage == WARDI_ROWS_WAITING)
		at_ns = await(system, now_ns);
	else if (slots->stage == WARDI_ROWS_LOOKING)
		at_ns = look_through(system, now_ns);
	else
		at_ns = begin(system, now_ns);
	atomic_store_explicit(&slots->tidying, false, memory_order_release); /* [S6] */
	return at_ns;
}

int64_t wardi_rows_due(ward_system *system)
{
	struct wardi_slots *slots = &system->slots;
	int64_t at_ns = INT64_MAX;

	if (!wardi_rows_are_many(system))
		return INT64_MAX;
	wardi_mutex_lock(&slots->mu);
	if (slots->period_end_ns != INT64_MAX)
		at_ns = slots->due_ns;
	else if (slots->whole_count > 0)
		at_ns = INT64_MIN + 1;
	wardi_mutex_unlock(&slots->mu);
	return at_ns;
}

/* ---- the end ----------------------------------------------------------------------------- */

void wardi_rows_finish(ward_system *system,
		       void (*finish)(ward_system *system, struct wardi_cell *cell))
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_row *row;
	struct wardi_gone *gone;

	while ((row = first_of(&slots->leaving)) != NULL)
		come_back(slots, row);
	for (uint32_t number = 0; number < slots->rows_max; number++) {
		/* Relaxed: all threads have ended. */
		row = atomic_load_explicit(place_of(slots, number), memory_order_relaxed);
		if (row == NULL || row == GONE_ROW)
			continue;
		for (uint32_t i = 0, slot = first_slot(number);
		     i < row_cells(number) && slot + i < slots->used; i++)
			finish(system, &row->cells[i]);
		free_row(system, row);
	}
	while ((gone = slots->gone) != NULL) {
		slots->gone = gone->next;
		wardi_free(&system->alloc, gone, sizeof *gone);
	}
}
