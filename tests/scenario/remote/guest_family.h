/* SPDX-License-Identifier: MIT
 *
 * guest_family.h - a parent whose children live elsewhere: in this same system, below
 * /system/guests.
 *
 * The family is that of family_tree.h; the children of p that are marked are started by stand-ins
 * that bring their props.
 */
#ifndef SCENARIO_REMOTE_GUEST_FAMILY_H
#define SCENARIO_REMOTE_GUEST_FAMILY_H

#include <stdlib.h>

#include <ward/extend.h>
#include <ward/guests.h>
#include <ward/remote.h>

#include "support/family_tree.h"

/* Whether the run is one by bytes: tools/far. */
static inline bool goes_by_bytes(void)
{
	const char *text = getenv("WARD_LOOP");
	return text != NULL && strcmp(text, "bytes") == 0;
}

/* Starts what the script describes elsewhere, as a child of the running actor; the ref in the
 * script is that of the stand-in. By bytes the nodes have a kind with the name of the script. */
static inline ward_err spawn_elsewhere(ward_self *self, struct script *script,
				       const struct ward_remote *where)
{
	ward_props guest = *script_props(script), props;
	struct ward_remote remote = *where;
	if (goes_by_bytes() && remote.nodes != NULL) {
		remote.kind = script->name;
		remote.args = guest.args;
	} else {
		remote.props = &guest;
	}
	props = ward_remote_props(&remote);
	props.name = script->name;
	props.stash_max = guest.stash_max;
	ward_err err = ward_try_spawn(self, &props, &script->ref);
	if (err == WARD_OK)
		script_name_add(script->ref, script->name);
	return err;
}

/* What a node needs to take a, b and c by bytes; good until the next call. */
static inline const ward_guests_options *guest_family_kinds(struct family *f)
{
	static ward_props props[3];
	static ward_kind kinds[4];
	static const ward_guests_options options = {.kinds = kinds};
	struct script *children[] = {&f->a, &f->b, &f->c};
	for (int i = 0; i < 3; i++) {
		props[i] = *script_props(children[i]);
		props[i].args = (ward_body){NULL, NULL, 0}; /* they come */
		kinds[i] = (ward_kind){children[i]->name, &props[i]};
	}
	return &options;
}

/* A pre_start of p: its children a, b, c live elsewhere. */
static inline ward_result spawn_all_elsewhere(ward_self *self, void *arg)
{
	struct family *f = arg;
	struct script *children[] = {&f->a, &f->b, &f->c};
	for (size_t i = 0; i < 3; i++) {
		if (!ward_ref_is_nobody(ward_child(self, children[i]->name)))
			continue;
		ward_err err = spawn_elsewhere(self, children[i], &(struct ward_remote){0});
		if (err != WARD_OK)
			return ward_failed_err(self, err);
	}
	return WARD_DONE;
}

static inline void guest_family_start(struct family *f, const ward_guests_options *options)
{
	f->g.children[0] = &f->p;
	f->p.pre_start = spawn_all_elsewhere;
	f->p.arg = f;
	f->kit = script_start(&(ward_kit_options){.may_leave_mail = f->leaves_mail});
	ward_err err = ward_guests_start(ward_kit_system(f->kit), options, NULL);
	ward_assert_ok(err);
	script_spawn(f->kit, &f->g);
	ward_kit_run(f->kit);
	journal_clear();
	ward_kit_forget_events(f->kit);
}

#endif
