/* SPDX-License-Identifier: MIT
 *
 * foreign_subsystem.h - a hall with an engine: a subsystem that notes its start and its end, and a
 * bridge to it. p is the parent of the bridge, b its sibling; a is linked with it and traps exits.
 */
#ifndef SCENARIO_BRIDGE_FOREIGN_SUBSYSTEM_H
#define SCENARIO_BRIDGE_FOREIGN_SUBSYSTEM_H

#include <string.h>

#include <ward/bridge.h>

#include "support/linked_family.h"

WARD_UNUSED static const ward_failure_class seized = {.name = "seized", .parent = &ward_exception};

static struct hall {
	struct family f; /* its kit, p, a and b */
	ward_props props;
	ward_ref ref;
	ward_bridge *bridge; /* a share of that of the last incarnation */
	int started;
	ward_result (*init)(ward_self *self, ward_bridge *bridge);
	ward_result (*terminate)(ward_self *self, ward_bridge *bridge);
} hall;

/* ---- the engine -------------------------------------------------------------------------- */

struct engine {
	int number;
};

static inline ward_result engine_init(ward_self *self, void *state, const void *args,
				      ward_bridge *bridge)
{
	struct engine *me = state;

	(void)args;
	ward_bridge_unref(hall.bridge);
	hall.bridge = ward_bridge_ref(bridge);
	me->number = ++hall.started;
	journal_note("e:start %d", me->number);
	return hall.init != NULL ? hall.init(self, bridge) : WARD_DONE;
}

static inline ward_result engine_terminate(ward_self *self, void *state,
					   const ward_exit_reason *reason, bool dead)
{
	const struct engine *me = state;
	char text[128];

	ward_exit_format(reason, text, sizeof text);
	journal_note("e:stop %d, %s%s", me->number, text, dead ? ", dead" : "");
	return hall.terminate != NULL ? hall.terminate(self, hall.bridge) : WARD_DONE;
}

static inline ward_result engine_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	const struct engine *me = state;

	if (word == NULL)
		return WARD_UNHANDLED;
	if (word->text[0] != '\0')
		journal_note("e:%d got %s", me->number, word->text);
	if (word->call != NULL)
		return word->call(self, word->arg);
	if (word->breaks != NULL)
		return ward_failed(self, word->breaks, "bent");
	return WARD_DONE;
}

static const ward_subsystem engine = {
	.name = "engine",
	.state_size = sizeof(struct engine),
	.init = engine_init,
	.terminate = engine_terminate,
	.receive = engine_receive,
};

/* ---- the hall ---------------------------------------------------------------------------- */

static inline ward_result spawn_engine(ward_self *self, void *arg)
{
	(void)arg;
	if (ward_try_spawn(self, &hall.props, &hall.ref) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	script_name_add(hall.ref, "e");
	return WARD_DONE;
}

static inline ward_result link_engine(ward_self *self, void *arg)
{
	(void)arg;
	if (ward_try_link(self, hall.ref) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	return WARD_DONE;
}

static struct ward_bridged bridged;

/* No engine yet. */
static inline void hall_begin_empty(const ward_strategy *strategy, ward_directive decides)
{
	struct family *f = &hall.f;

	memset(&hall, 0, sizeof hall);
	bridged = (struct ward_bridged){.subsystem = &engine};
	hall.props = (ward_props){.behavior = &ward_bridge_behavior,
				  .name = "e",
				  .args = {WARD_COPY(ward_bridged, &bridged)}};
	f->p = (struct script){.name = "p", .strategy = strategy, .decides = decides};
	f->a = (struct script){.name = "a"};
	f->b = (struct script){.name = "b"};
	f->p.children[0] = &f->b;
	f->kit = script_start(NULL);
	script_spawn(f->kit, &f->p);
	script_spawn(f->kit, &f->a);
	let_trap(f, &f->a);
	journal_clear();
}

static inline void add_engine(void)
{
	do_and_run(&hall.f, &hall.f.p, spawn_engine, NULL);
	do_and_run(&hall.f, &hall.f.a, link_engine, NULL);
}

static inline void hall_begin(ward_directive decides)
{
	hall_begin_empty(&script_one, decides);
	add_engine();
	journal_clear();
}

static inline void hall_end(void)
{
	script_finish(hall.f.kit);
	ward_bridge_unref(hall.bridge);
}

static inline void stop_engine(void)
{
	ward_system_stop(ward_kit_system(hall.f.kit), hall.ref);
	ward_kit_run(hall.f.kit);
}

static inline void engine_dies(void)
{
	ward_assert_ok(ward_bridge_died(hall.bridge, &seized, "at %d rpm", 6000));
	ward_kit_run(hall.f.kit);
}

#endif
