/* SPDX-License-Identifier: MIT
 *
 * pool.c - a pool of workers behind one ref.
 *
 *	cc examples/13-pool/pool.c $(pkg-config --cflags --libs ward) -o pool
 *
 * The press sends sheets to a pool of three cutters, in turn, and gets an answer from each. One
 * sheet is wet: its cutter fails. The pool has a strategy of its own, so that only this cutter is
 * restarted; the others and the press are not notified. Prints the failure, and that the wet sheet
 * is missing.
 */
#include <stdio.h>
#include <ward/ward.h>

enum { CUTTERS = 3, SHEETS = 9, WET = 5 };

struct sheet {
	int number;
};
WARD_MESSAGE(sheet);

struct cut {
	int number;
};
WARD_MESSAGE(cut);
WARD_REPLY(sheet, cut);

static const ward_failure_class wet_sheet = {.name = "wet_sheet", .parent = &ward_exception};

/* ---- a cutter ---------------------------------------------------------------------------- */

static ward_result cutter_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct sheet *sheet = ward_match(msg, sheet);

	(void)state;
	if (sheet == NULL)
		return WARD_UNHANDLED;
	if (sheet->number == WET)
		return ward_failed(self, &wet_sheet, "sheet %d is wet", sheet->number);
	return ward_answer(self, msg, sheet, .number = sheet->number);
}

static const ward_behavior cutter = {.name = "cutter", .receive = cutter_receive};

/* ---- the press --------------------------------------------------------------------------- */

struct press {
	int cut, sum;
	ward_ref cutters;
};

/* Without it the pool would fail with its cutter, and the press would decide. */
static const ward_strategy each_by_itself = {.otherwise = WARD_RESTART};

static ward_result press_start(ward_self *self, void *state)
{
	struct press *me = state;

	me->cutters = ward_spawn(
		self, &ward_pool, .name = "cutters",
		.args = WARD_ARGS(ward_router, .routees = CUTTERS, .routee = {.behavior = &cutter}),
		.child_strategy = &each_by_itself);
	for (int number = 1; number <= SHEETS; number++)
		ward_tell(self, me->cutters, sheet, .number = number);
	/* Behind the sheets: each cutter ends when it has cut its sheets, and then the pool. */
	ward_watch(self, me->cutters);
	ward_broadcast(self, me->cutters, ward_poison_pill);
	return WARD_DONE;
}

static ward_result press_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct press *me = state;
	const struct cut *cut = ward_match(msg, cut);

	if (cut != NULL) {
		me->cut++;
		me->sum += cut->number;
	} else if (ward_match(msg, ward_terminated) != NULL) {
		printf("%d of %d sheets are cut; missing: %d\n", me->cut, SHEETS,
		       SHEETS * (SHEETS + 1) / 2 - me->sum);
		ward_stop_self(self);
	} else {
		return WARD_UNHANDLED;
	}
	return WARD_DONE;
}

static const ward_behavior press = {.name = "press",
				    .state_size = sizeof(struct press),
				    .pre_start = press_start,
				    .receive = press_receive};

static void print_failure(void *arg, const ward_event *event)
{
	(void)arg;
	printf("a cutter failed: %s\n", event->text);
}

int main(void)
{
	return ward_run(WARD_PROPS(&press),
			&(ward_options){.log = print_failure, .log_kinds = WARD_EVENT_FAILURE});
}
