/* SPDX-License-Identifier: MIT
 *
 * family_tree.h - the tree of most tests of supervision: g above p above a, b and c.
 *
 * g and p ask script_decide(), which notes "decide NAME" and answers what the script says. Change
 * the scripts between FAMILY and family_start().
 */
#ifndef SUPPORT_FAMILY_TREE_H
#define SUPPORT_FAMILY_TREE_H

#include <string.h>

#include "support/script.h"

struct family {
	ward_kit *kit;
	bool leaves_mail; /* with one who waits for a decision at the end */
	struct script g, p, a, b, c;
};

#define FAMILY                                                                                     \
	{                                                                                          \
		.g = {.name = "g", .strategy = &script_one, .decides = WARD_RESUME},               \
		.p = {.name = "p", .strategy = &script_one, .decides = WARD_RESTART},              \
		.a = {.name = "a"}, .b = {.name = "b"}, .c = {.name = "c"},                        \
	}

/* Spawns all under /user with that strategy, lets them start, and forgets what was noted so far. */
static inline void family_start_below(struct family *f, const ward_strategy *user_strategy)
{
	f->g.children[0] = &f->p;
	f->p.children[0] = &f->a;
	f->p.children[1] = &f->b;
	f->p.children[2] = &f->c;
	f->kit = script_start(&(ward_kit_options){.system.user_strategy = user_strategy,
						  .may_leave_mail = f->leaves_mail});
	script_spawn(f->kit, &f->g);
	ward_assert(ward_kit_is_alive(f->kit, f->c.ref));
	journal_clear();
	ward_kit_forget_events(f->kit);
}

static inline void family_start(struct family *f)
{
	family_start_below(f, NULL);
}

/* Breaks a and b before p looks. True: it came to that, and p's next turn sees both reports. */
static inline bool family_break_both(struct family *f)
{
	return script_break_at_once(f->kit, (ward_ref[]){f->a.ref, f->b.ref}, 2);
}

/* That the actor is running, is not held back by anything, and answers. */
static inline void check_well(ward_kit *kit, const struct script *who)
{
	ward_actor_info info;
	ward_assert(ward_kit_info(kit, who->ref, &info));
	ward_assert_str(info.state, "running");
	ward_assert_eq(info.suspended, 0);
	journal_clear();
	script_say(kit, who->ref, "well");
	ward_kit_run(kit);
	ward_assert_str(journal_of(who->name), "well");
}

/* Whether `first` was noted, and `second` either was not or was later. */
static inline bool noted_before(const char *first, const char *second)
{
	const char *at_first = strstr(journal_text(), first);
	const char *at_second = strstr(journal_text(), second);
	return at_first != NULL && (at_second == NULL || at_first < at_second);
}

#endif
