/* SPDX-License-Identifier: MIT
 *
 * postponed_decision.h - what the tests of WARD_LATER share: p puts decisions off, and makes them
 * when told.
 */
#ifndef SCENARIO_SUPERVISION_POSTPONED_DECISION_H
#define SCENARIO_SUPERVISION_POSTPONED_DECISION_H

#include "support/family_tree.h"

/* What p is told to decide, and what ward_decide() has to say to it. */
struct answer {
	const struct script *child;
	ward_directive directive;
	ward_err wanted;
};

static inline ward_result answer(ward_self *self, void *arg)
{
	const struct answer *a = arg;
	ward_assert_err(ward_decide(self, a->child->ref, a->directive), a->wanted);
	return WARD_DONE;
}

/* As p, in a receive of its own; then everything settles. */
static inline void try_to_decide(struct family *f, const struct script *child,
				 ward_directive directive, ward_err wanted)
{
	struct answer a = {child, directive, wanted};
	script_do(f->kit, f->p.ref, answer, &a);
	ward_kit_run(f->kit);
}

static inline void decide(struct family *f, const struct script *child, ward_directive directive)
{
	try_to_decide(f, child, directive, WARD_OK);
}

/* That the child failed and waits: suspended by `times` failures or parents, deaf to mail. */
static inline void check_waits(struct family *f, const struct script *child, uint32_t times)
{
	ward_actor_info info;
	ward_assert(ward_kit_info(f->kit, child->ref, &info));
	ward_assert_eq(info.suspended, times);
	journal_clear();
	script_say(f->kit, child->ref, "mail");
	ward_kit_run(f->kit);
	assert_journal("");
}

#endif
