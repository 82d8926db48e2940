/* SPDX-License-Identifier: MIT
 *
 * linking_supervisors.h - chiefs, supervising actors below a probe that link what they are told to;
 * and orphans for them.
 *
 * A chief notes each message that comes to it: of an Exit it must never see one. One whose name
 * begins with "A" is all for one, one with "N" allows no restart, one with "x" has a fault handler
 * and no links. `at` is what calls are about, and what the last one answered.
 */
#ifndef SCENARIO_AKKA_ZERO_LINKING_SUPERVISORS_H
#define SCENARIO_AKKA_ZERO_LINKING_SUPERVISORS_H

#include "supervisors_and_workers.h"

static const ward_zero_strategy one = WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 2, 1000, &bad_luck);
static const ward_zero_strategy all = WARD_ZERO_STRATEGY(WARD_ALL_FOR_ONE, 2, 1000, &bad_luck);
static const ward_zero_strategy none =
	WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, WARD_RESTARTS_NONE, 0, &bad_luck);

static inline const ward_zero_strategy *strategy_for(const char *name)
{
	return name[0] == 'A' ? &all : name[0] == 'N' ? &none : &one;
}

/* ---- chiefs ------------------------------------------------------------------------------ */

struct chief {
	struct ward_zero_links links;
};

typedef void chief_call(ward_self *self, struct ward_zero_links *links);
struct call {
	chief_call *fn;
};
WARD_MESSAGE(call);

static inline ward_result chief_init(ward_self *self, void *state, const void *args)
{
	struct chief *me = state;
	const struct name *name = args;

	if (name->text[0] != 'x')
		ward_zero_init(self, &me->links, strategy_for(name->text));
	return WARD_DONE;
}

static struct {
	ward_ref orphanage;
	ward_ref who, other; /* who the calls are about */
	ward_err err;        /* what the last one answered */
	ward_zero_life life;
	ward_ref stand_in;
	const ward_zero_component *component;
} at;

static inline ward_result chief_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct chief *me = state;
	const struct ward_zero_linked *linked;
	const struct ward_restarts_exceeded *exceeded;
	const struct call *call;

	if ((call = ward_match(msg, call))) {
		call->fn(self, &me->links);
	} else if ((linked = ward_match(msg, ward_zero_linked))) {
		at.err = linked->err;
		at.other = linked->who;
		note(name_of(self), linked->err == WARD_OK ? "=linked" : "=refused");
	} else if ((exceeded = ward_match(msg, ward_restarts_exceeded))) {
		at.other = exceeded->who;
		note(name_of(self), "=limit");
	} else {
		note(name_of(self), ward_msg_type(msg)->name);
	}
	return WARD_DONE;
}

static const ward_behavior chief = {
	.name = "chief",
	.state_size = sizeof(struct chief),
	.args = &ward_type_name,
	.init = chief_init,
	.receive = chief_receive,
};

static inline ward_ref start_chief(const char *name)
{
	struct name args = {""};
	ward_ref who;

	snprintf(args.text, sizeof args.text, "%s", name);
	who = ward_probe_spawn(z.probe, &chief, .args = {WARD_COPY(name, &args)},
			       .child_strategy = name[0] == 'x' ? &one.fault_handler : NULL);
	ward_kit_run(z.kit);
	return who;
}

static inline void as_chief(ward_ref who, chief_call *fn)
{
	ward_kit_tell(z.kit, who, call, .fn = fn);
	ward_kit_run(z.kit);
}

static inline void spawn_linked(ward_self *self, struct ward_zero_links *links)
{
	at.err = ward_try_zero_start_link(self, links, at.component, &at.who);
}

static inline void link_it(ward_self *self, struct ward_zero_links *links)
{
	at.err = ward_try_zero_link(self, links, at.orphanage, at.who, at.life);
}

static inline void unlink_it(ward_self *self, struct ward_zero_links *links)
{
	at.err = ward_zero_unlink(self, links, at.who);
}

static inline void ask_link(ward_self *self, struct ward_zero_links *links)
{
	at.stand_in = ward_nobody();
	at.err = ward_zero_is_linked(self, links, at.who, &at.stand_in) ? WARD_OK : WARD_ENOENT;
}

/* A chief with a child of that name. */
static inline ward_ref start_linked(ward_ref boss, const ward_zero_component *component)
{
	at.component = component;
	as_chief(boss, spawn_linked);
	ward_assert_ok(at.err);
	return at.who;
}

/* ---- orphans ----------------------------------------------------------------------------- */

static const ward_zero_component a_component = PERMANENT("a"), b_component = PERMANENT("b"),
				 t_component = TEMPORARY("t");

static inline void begin_with_orphanage_at(uint64_t seed)
{
	z_begin_at(seed);
	memset(&at, 0, sizeof at);
	at.orphanage = ward_kit_spawn(z.kit, &ward_zero_orphanage, .name = "orphans");
}

static inline void begin_with_orphanage(void)
{
	begin_with_orphanage_at(0);
}

static inline ward_ref start_orphan(const ward_zero_component *component)
{
	struct ward_zero_spawned spawned;

	ward_assert_ok(ward_system_ask(z_system(), at.orphanage, WARD_SECOND, &spawned,
				       ward_zero_spawn, .component = component));
	ward_assert_ok(spawned.err);
	ward_kit_run(z.kit);
	return at.who = spawned.who;
}

/* A chief, an orphan, and a link. */
static inline ward_ref link_orphan(const char *name, ward_zero_life life)
{
	ward_ref boss = start_chief(name);

	at.who = start_orphan(&a_component);
	at.life = life;
	as_chief(boss, link_it);
	ward_assert_ok(at.err);
	ward_assert_part(seen(), "=linked");
	return boss;
}

static inline void expect_passed_on(ward_ref boss, const ward_failure_class *failure_class)
{
	const ward_probe_failure *failure = ward_expect_failure(z.probe, 0, boss, failure_class);

	ward_assert_str(failure->text, "a had it");
}

#endif
