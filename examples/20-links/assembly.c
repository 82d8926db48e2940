/* SPDX-License-Identifier: MIT
 *
 * assembly.c - links: actors that end together.
 *
 *	cc examples/20-links/assembly.c $(pkg-config --cflags --libs ward) -o assembly
 *
 * The stations of an assembly line are linked, so that one station that jams stops them all. The
 * foreman is linked with each, and traps exits: a message tells him the reason, and he sets up
 * another line. Prints the parts, and why each line went down.
 */
#include <stdio.h>
#include <ward/ward.h>

struct part {
	int number;
};
WARD_MESSAGE(part);
struct station {
	ward_ref next; /* nobody: the foreman */
	int jams_at;
};
WARD_MESSAGE(station);
static const ward_failure_class jam = {.name = "jam", .parent = &ward_exception};
enum { STATIONS = 3, PARTS = 4 };

static ward_result station_start(ward_self *self, void *state)
{
	const struct station *me = ward_args(self);

	(void)state;
	if (!ward_ref_is_nobody(me->next))
		ward_link(self, me->next);
	return WARD_DONE;
}

static ward_result station_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct station *me = ward_args(self);
	const struct part *part = ward_match(msg, part);

	(void)state;
	if (part != NULL && part->number == me->jams_at)
		return ward_failed(self, &jam, "part %d is too wide", part->number);
	return ward_forward(self, ward_ref_is_nobody(me->next) ? ward_parent(self) : me->next);
}

static const ward_behavior station = {
	.name = "station",
	.args = &ward_type_station,
	.pre_start = station_start,
	.receive = station_receive,
};

struct foreman {
	int line, part; /* the current numbers */
	int gone;       /* ended stations of this line */
	ward_ref first;
};

/* Starts the last station first, so that each gets the ref of the next. */
static ward_result set_up(ward_self *self, struct foreman *me)
{
	struct station args = {.next = ward_nobody()};

	printf("line %d\n", ++me->line);
	me->gone = 0;
	for (int i = STATIONS; i > 0; i--) {
		args.jams_at = me->line == 1 && i == 2 ? 2 : 0;
		me->first = ward_spawn_link(self, &station, .args = {WARD_COPY(station, &args)});
		args.next = me->first;
	}
	ward_tell(self, me->first, part, .number = ++me->part);
	return WARD_DONE;
}

static ward_result foreman_start(ward_self *self, void *state)
{
	ward_trap_exit(self, true);
	return set_up(self, state);
}

static ward_result foreman_receive(ward_self *self, void *state, const ward_msg *msg)
{
	static const ward_exit_reason home = {WARD_EXIT_SHUTDOWN, .text = "go home"};
	const struct ward_exited *exited = ward_match(msg, ward_exited);
	struct foreman *me = state;
	char why[128];

	if (ward_match(msg, part)) {
		printf("  part %d is ready\n", me->part);
		if (me->part < PARTS)
			ward_tell(self, me->first, part, .number = ++me->part);
		else /* the links end the others */
			return ward_failed_err(self, ward_exit(self, me->first, &home));
		return WARD_DONE;
	}
	if (exited == NULL || ++me->gone < STATIONS)
		return WARD_DONE;
	ward_exit_format(&exited->reason, why, sizeof why);
	printf("the line is down: %s\n", why);
	if (exited->reason.kind == WARD_EXIT_FAILURE)
		return set_up(self, me);
	return ward_stop_self(self);
}

/* A station that jams is not restarted: the foreman sets up a new line. */
static const ward_strategy none_again = {.rules = {{&ward_exception, WARD_STOP}}, .quiet = true};
static const ward_behavior foreman = {
	.name = "foreman",
	.state_size = sizeof(struct foreman),
	.child_strategy = &none_again,
	.pre_start = foreman_start,
	.receive = foreman_receive,
};

int main(void)
{
	return ward_run(WARD_PROPS(&foreman), &(ward_options){.name = "links"});
}
