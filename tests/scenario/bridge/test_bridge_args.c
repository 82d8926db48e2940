/* SPDX-License-Identifier: MIT
 *
 * test_bridge_args.c - the arguments of a bridge: copied for all incarnations, or refused at the
 * spawn with a text that says why (S117).
 */
#include <stdlib.h>

#include <ward/extend.h>

#include "foreign_subsystem.h"

static int things; /* not dropped */

struct thing {
	int *number;
};

static void drop_thing(struct thing *thing)
{
	if (thing->number == NULL)
		return;
	free(thing->number);
	things--;
}

static ward_err clone_thing(struct thing *to, const struct thing *from)
{
	if (*from->number < 0)
		return ward_refused(WARD_ELIMIT, "a negative thing");
	to->number = malloc(sizeof *to->number);
	if (to->number == NULL)
		return ward_refused(WARD_ENOMEM, "no thing");
	*to->number = *from->number;
	things++;
	return WARD_OK;
}
WARD_MESSAGE_CLONE(thing, drop_thing, clone_thing);

static ward_result thing_init(ward_self *self, void *state, const void *args, ward_bridge *bridge)
{
	const struct thing *thing = args;

	(void)self, (void)bridge;
	ward_assert(state == NULL);
	journal_note("e:thing %d", *thing->number);
	return WARD_DONE;
}

static const ward_subsystem thinker = {
	.name = "thinker", .args = &ward_type_thing, .init = thing_init};

WARD_TEST(arguments_are_copied_for_all_incarnations, "S117")
{
	int number = 5;
	struct thing thing = {&number};

	things = 0;
	hall_begin_empty(&script_one, WARD_RESTART);
	bridged = (struct ward_bridged){.subsystem = &thinker, .args = {WARD_COPY(thing, &thing)}};
	do_and_run(&hall.f, &hall.f.p, spawn_engine, NULL);
	number = 6;
	ward_kit_tell(hall.f.kit, hall.ref, ward_kill);
	ward_kit_run(hall.f.kit);
	assert_journal("e:thing 5;p:decide e;e:thing 5");
	script_finish(hall.f.kit);
	ward_assert_eq(things, 0);
}

static void refused(const struct ward_bridged *args, ward_err wanted, const char *part)
{
	ward_props props = {.behavior = &ward_bridge_behavior};
	ward_ref ref;

	if (args != NULL)
		props.args = (ward_body){WARD_COPY(ward_bridged, args)};
	ward_assert_err(ward_system_spawn(ward_kit_system(hall.f.kit), &props, &ref), wanted);
	ward_assert_part(ward_err_detail(), part);
}

static void drop_nothing(void *body)
{
	(void)body;
}

WARD_TEST(bridge_to_nothing_is_refused, "S117")
{
	static const ward_type unique = {.name = "unique", .size = 4, .drop = drop_nothing};
	ward_subsystem made = engine;
	struct ward_bridged args = {.subsystem = &made};
	int number = -1;
	struct thing thing = {&number};

	hall_begin_empty(&script_one, WARD_RESTART);
	refused(NULL, WARD_EINVAL, "needs arguments");
	refused(&(struct ward_bridged){0}, WARD_EINVAL, ".subsystem is NULL");
	made.init = NULL;
	refused(&args, WARD_EINVAL, "no init");
	made.name = NULL;
	refused(&args, WARD_EINVAL, "no name");
	made = engine;
	made.reserved[1] = 1;
	refused(&args, WARD_EINVAL, "a reserved word of its subsystem");
	made = engine;
	args.reserved[1] = 1;
	refused(&args, WARD_EINVAL, "a reserved word is not zero");
	args = (struct ward_bridged){.subsystem = &made, .args = {&unique, &number, sizeof number}};
	refused(&args, WARD_EINVAL, "\"engine\" takes no arguments");
	made.args = &ward_type_thing;
	refused(&args, WARD_EINVAL, "type \"thing\", but got \"unique\"");
	made.args = &unique;
	refused(&args, WARD_EUNIQUE, "\"unique\", which owns things");
	made.args = &ward_type_thing;
	args = (struct ward_bridged){.subsystem = &made, .args = {&ward_type_thing, &thing, 3}};
	refused(&args, WARD_ESIZE, "arguments of 3 bytes");
	args = (struct ward_bridged){.subsystem = &made};
	refused(&args, WARD_EINVAL,
		"\"engine\" needs arguments: write .args = WARD_ARGS(thing, ...)");
	args.args = (ward_body){WARD_COPY(thing, &thing)};
	refused(&args, WARD_ELIMIT, "a negative thing");
	hall_end();
}

WARD_TEST_MAIN
