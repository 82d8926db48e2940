/* SPDX-License-Identifier: MIT
 *
 * model_look.c - the model compared with what there is, and what it is asked.
 */
#include <string.h>

#include "sim/model_inside.h"

static const char *kind_text(enum model_kind kind)
{
	static const char *const names[] = {"orders", "a stop", "a report", "an end", "a notice"};

	return names[kind];
}

void model_look(struct model *model, const ward_actor_info *info)
{
	struct model_life *life = model_find(model, info->ref);

	if (life == NULL || life->phase == PHASE_STOPPING || life->phase == PHASE_GONE)
		return;
	MODEL_NEEDS(model, life, strcmp(info->state, model_phase_text(life->phase)) == 0, "-",
		    "it is %s", info->state);
	MODEL_NEEDS(model, life, info->suspended == life->suspended, "S8, S9",
		    "it is suspended %u times", info->suspended);
	MODEL_NEEDS(model, life,
		    life->phase != PHASE_RUNNING || info->incarnation == life->incarnation, "S35",
		    "it is incarnation %u", info->incarnation);
}

void model_children(struct model *model, ward_ref parent, const ward_ref *children, size_t count)
{
	const struct model_life *life = model_find(model, parent);

	MODEL_NEEDS(model, life, count == life->children.count, "S54, S65",
		    "sees %zu children and has %zu", count, life->children.count);
	for (size_t i = 0; i < count; i++)
		MODEL_NEEDS(model, life, ward_ref_equal(children[i], life->children.items[i]->ref),
			    "S54, S65", "sees %llx in place of child %zu",
			    (unsigned long long)children[i].uid, i);
}

void model_idle(struct model *model)
{
	model_turn_over(model);
	for (size_t i = 0; i < model->lives.count; i++) {
		const struct model_life *life = model->lives.items[i];

		if (life->phase == PHASE_GONE)
			continue;
		MODEL_NEEDS(model, life, life->notes.count == 0, "S1, S2",
			    "nobody moves, and it has not carried out %s about %llx",
			    kind_text(life->notes.items[0].kind),
			    model_id(life->notes.items[0].about));
		MODEL_NEEDS(model, life, life->phase == PHASE_RUNNING && life->suspended == 0, "S9",
			    "nobody moves, and it waits for nobody");
		MODEL_NEEDS(model, life, life->deferred.count == 0, "S6",
			    "a deferred message is left");
		MODEL_NEEDS(model, life, life->mail.count == 0, "S4, S60",
			    "nobody moves, and it has %zu messages", life->mail.count);
	}
	MODEL_NEEDS(model, NULL, model->fates_known == model->pings, "S49",
		    "%llu of %llu pings have no fate",
		    (unsigned long long)(model->pings - model->fates_known),
		    (unsigned long long)model->pings);
}

uint64_t model_seen(const struct model *model, enum model_seen what)
{
	return model->seen[what];
}

const char *model_seen_text(enum model_seen what)
{
	static const char *const names[] = {
		[SEEN_RETRY] = "starts tried again",
		[SEEN_WAIT] = "restarts that waited",
		[SEEN_SURVIVOR] = "survivors restarted",
		[SEEN_RESTART_FAILED] = "failed restarts",
		[SEEN_MADE_IN_VAIN] = "children made in vain",
		[SEEN_NOT_RESUMED] = "resumes made restarts",
		[SEEN_ESCALATED] = "escalations",
		[SEEN_HIGHER] = "escalations of escalations",
		[SEEN_DENIED] = "denied restarts",
		[SEEN_GROUP] = "group restarts",
		[SEEN_ONE_FOR_TWO] = "restarts for several",
		[SEEN_DEFERRED] = "deferred messages",
		[SEEN_ANSWERED] = "failures answered before",
		[SEEN_TWO_REPORTS] = "double reports",
		[SEEN_STALE_REPORT] = "stale reports",
		[SEEN_STOP_WON] = "stops before restarts",
		[SEEN_DEAD_WATCHED] = "watches of the dead",
		[SEEN_KILL] = "kills",
		[SEEN_PILL] = "pills",
		[SEEN_PACT] = "death pacts",
		[SEEN_LATER] = "decisions put off",
	};

	return names[what];
}

ward_ref model_undecided(const struct model *model)
{
	for (size_t i = 0; i < model->lives.count; i++) {
		const struct model_life *life = model->lives.items[i];

		if (life->phase != PHASE_GONE && life->pending > 0 && !life->told_to_stop &&
		    life->parent->phase == PHASE_RUNNING && life->parent->suspended == 0)
			return life->parent->ref;
	}
	return ward_nobody();
}

bool model_is_alive(const struct model *model, ward_ref who)
{
	const struct model_life *life = model_find(model, who);

	return life != NULL && life->phase != PHASE_GONE;
}

size_t model_alive(const struct model *model)
{
	return model->alive;
}
