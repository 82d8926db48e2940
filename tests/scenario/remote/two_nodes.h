/* SPDX-License-Identifier: MIT
 *
 * two_nodes.h - a parent on the node left whose children live on the node right, by a loop; or on
 * left itself when right is unreached. One clock.
 */
#ifndef SCENARIO_REMOTE_TWO_NODES_H
#define SCENARIO_REMOTE_TWO_NODES_H

#include <string.h>

#include <ward/testkit/neighbours.h>

#include "guest_family.h"

static struct nodes {
	ward_kit *right;
	ward_loop *loop;
	const char *const *names;
} nodes;

static inline ward_result spawn_on_nodes(ward_self *self, void *arg)
{
	struct family *f = arg;
	struct script *children[] = {&f->a, &f->b};
	for (size_t i = 0; i < 2; i++) {
		if (!ward_ref_is_nobody(ward_child(self, children[i]->name)))
			continue;
		ward_err err = spawn_elsewhere(self, children[i],
					       &(struct ward_remote){.nodes = nodes.names});
		if (err != WARD_OK)
			return ward_failed_err(self, err);
	}
	return WARD_DONE;
}

static inline void begin_with(struct family *f)
{
	static const char *const names[] = {"right", "left", NULL};
	ward_ref guests;
	nodes.names = names;
	f->g.children[0] = &f->p;
	f->p.pre_start = spawn_on_nodes;
	f->p.arg = f;
	f->kit = script_start(&(ward_kit_options){.may_leave_mail = true, .system.name = "left"});
	nodes.right =
		ward_kit_start(&(ward_kit_options){.may_leave_mail = true, .system.name = "right"});
	const ward_guests_options *options = guest_family_kinds(f);
	ward_assert_ok(ward_guests_start(ward_kit_system(f->kit), options, NULL));
	ward_assert_ok(ward_guests_start(ward_kit_system(nodes.right), options, &guests));
	nodes.loop = ward_loop_start(&(ward_loop_options){
		.form = goes_by_bytes() ? WARD_LOOP_BY_BYTES : WARD_LOOP_BY_VALUE,
		.latency_ms = 1});
	ward_loop_join(nodes.loop, ward_kit_system(f->kit), "left");
	ward_loop_join(nodes.loop, ward_kit_system(nodes.right), "right");
	ward_loop_guests(nodes.loop, "right", guests);
	ward_loop_connect(nodes.loop, "left", "right");
	ward_assert(ward_loop_await(nodes.loop, "left", "right", WARD_MINUTE));
	script_spawn(f->kit, &f->g);
}

static inline void begin(struct family *f)
{
	begin_with(f);
	ward_kit_advance(f->kit, 100);
	ward_assert_part(journal_text(), "a:pre_start");
	journal_clear();
}

static inline void finish(struct family *f)
{
	ward_loop_finish(nodes.loop);
	if (nodes.right != NULL)
		ward_kit_finish(nodes.right);
	script_finish(f->kit);
}

struct search {
	const char *end;
	ward_ref found;
};

static inline void look_at(void *arg, const ward_actor_info *info)
{
	struct search *search = arg;
	size_t length = strlen(info->path), end = strlen(search->end);
	if (length > end && strcmp(info->path + length - end, search->end) == 0 &&
	    strstr(info->path, "/guests/") != NULL)
		search->found = info->ref;
}

/* Whether a guest of that node has a path that ends so; and which. */
static inline bool has_guest(ward_kit *kit, const char *end)
{
	struct search search = {end, ward_nobody()};
	ward_system_actors(ward_kit_system(kit), look_at, &search);
	return !ward_ref_is_nobody(search.found);
}

static inline ward_ref find_guest(ward_kit *kit, const char *end)
{
	struct search search = {end, ward_nobody()};
	ward_system_actors(ward_kit_system(kit), look_at, &search);
	ward_assert(!ward_ref_is_nobody(search.found));
	return search.found;
}

#endif
