/* SPDX-License-Identifier: MIT
 *
 * model.c - what the model is told: turns, calls, callbacks, events.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model_inside.h"

/* ---- the story, for rejections ----------------------------------------------------------- */

static void copy(char *to, size_t max, const char *from)
{
	char *end = memccpy(to, from, '\0', max);

	if (end == NULL)
		to[max - 1] = '\0';
}

/* Words are written out only when they are wanted: this happens several times a step. */
static void tell(struct model *model, unsigned long long who, const char *what,
		 unsigned long long whom, const char *more)
{
	struct model_line *line = &model->story[model->story_count++ % STORY_LINES];

	line->who = who;
	line->what = what;
	line->whom = whom;
	copy(line->more, sizeof line->more, more);
}

unsigned long long model_id(const struct model_life *life)
{
	return life == NULL ? 0 : (unsigned long long)life->ref.uid;
}

static size_t write_line(char *text, size_t max, const struct model_line *line)
{
	int length = snprintf(text, max, "\n  %llx: %s", line->who, line->what);

	if (line->whom != 0 && (size_t)length < max)
		length += snprintf(text + length, max - (size_t)length, " %llx", line->whom);
	if (line->more[0] != '\0' && (size_t)length < max)
		length += snprintf(text + length, max - (size_t)length, " %s", line->more);
	return (size_t)length;
}

void model_reject(struct model *model, const struct model_life *life, const char *clause,
		  const char *text, ...)
{
	static char message[STORY_LINES * (STORY_TEXT + 80) + 1024];
	size_t at = 0, max = sizeof message;
	va_list args;

	at += (size_t)snprintf(
		message, max, "%s: %llx (%s, suspended %u, incarnation %u): ", clause,
		model_id(life), life != NULL ? model_phase_text(life->phase) : "-",
		life != NULL ? life->suspended : 0, life != NULL ? life->incarnation : 0);
	va_start(args, text);
	at += (size_t)vsnprintf(message + at, max - at, text, args);
	va_end(args);
	at += (size_t)snprintf(message + at, max - at, "\nbefore that:");
	for (uint64_t i = model->story_count > STORY_LINES ? model->story_count - STORY_LINES : 0;
	     i < model->story_count && at < max; i++)
		at += write_line(message + at, max - at, &model->story[i % STORY_LINES]);
	model->rejected(model->arg, message);
	abort();
}

const char *model_phase_text(enum model_phase phase)
{
	static const char *const names[] = {
		"starting",   "start-failed",   "retrying", "running", "failed",
		"restarting", "restart-failed", "stopping", "gone",
	};

	return names[phase];
}

/* ---- lives ------------------------------------------------------------------------------- */

static struct model_life **bucket_of(const struct model *model, ward_ref ref)
{
	return (struct model_life **)&model->buckets[(ref.uid ^ ref.uid >> 32) % BUCKETS];
}

struct model_life *model_find(const struct model *model, ward_ref ref)
{
	struct model_life *life = *bucket_of(model, ref);

	while (life != NULL && !ward_ref_equal(life->ref, ref))
		life = life->next_in_bucket;
	return life;
}

static void *grow(void *items, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room != 0 ? *room * 2 : 8;
	items = realloc(items, *room * size);
	if (items == NULL)
		abort();
	return items;
}

void model_lives_add(struct model_lives *lives, struct model_life *life)
{
	lives->items = grow(lives->items, lives->count, &lives->room, sizeof(struct model_life *));
	lives->items[lives->count++] = life;
}

static size_t position(const struct model_lives *lives, const struct model_life *life)
{
	size_t at = 0;

	while (at < lives->count && lives->items[at] != life)
		at++;
	return at;
}

bool model_lives_have(const struct model_lives *lives, const struct model_life *life)
{
	return position(lives, life) < lives->count;
}

bool model_lives_remove(struct model_lives *lives, const struct model_life *life)
{
	size_t at = position(lives, life);

	if (at == lives->count)
		return false;
	lives->count--;
	memmove(lives->items + at, lives->items + at + 1,
		(lives->count - at) * sizeof(struct model_life *));
	return true;
}

struct model *model_create(model_rejected *rejected, void *arg)
{
	struct model *model = calloc(1, sizeof *model);

	if (model == NULL)
		abort();
	model->rejected = rejected;
	model->arg = arg;
	return model;
}

void model_destroy(struct model *model)
{
	for (size_t i = 0; i < model->lives.count; i++) {
		struct model_life *life = model->lives.items[i];

		free(life->children.items);
		free(life->notes.items);
		free(life->deferred.items);
		free(life->mail.items);
		free(life->watching.items);
		free(life->watchers.items);
		free(life);
	}
	free(model->lives.items);
	free(model->fates);
	free(model);
}

/* ---- turns ------------------------------------------------------------------------------- */

/* What must be seen of a turn has been seen by its end. */
void model_turn_over(struct model *model)
{
	struct model_life *life = model->turn;

	model->turn = NULL;
	if (life == NULL)
		return;
	if (life->phase != PHASE_GONE)
		model_advance(model, life);
	MODEL_NEEDS(model, life, life->calls_count == 0, "-", "a callback is under way still");
	MODEL_NEEDS(model, life, life->due == NOTHING_DUE, "S35, S42, S46, S18",
		    "%s should have been called", ward_point_text(life->due));
	MODEL_NEEDS(model, life, model->decisions_count == 0, "S30", "a decision was no event");
	MODEL_NEEDS(model, life,
		    strcmp(life->seen,
			   life->phase == PHASE_GONE ? "stopped" : model_phase_text(life->phase)) ==
			    0,
		    "S85", "the last event says it is %s", life->seen);
}

void model_turn(struct model *model, ward_ref who, int64_t now_ns)
{
	model_turn_over(model);
	model->now_ns = now_ns;
	model->turn = model_find(model, who);
	model->handled = false;
	if (model->turn == NULL)
		return;
	tell(model, model_id(model->turn), "has its turn", 0, "");
	model_advance(model, model->turn);
}

/* ---- calls ------------------------------------------------------------------------------- */

void model_spawned(struct model *model, ward_ref parent, ward_ref child,
		   const ward_strategy *strategy)
{
	struct model_life *life = calloc(1, sizeof *life);
	struct model_life **bucket = bucket_of(model, child);

	if (life == NULL)
		abort();
	MODEL_NEEDS(model, model_find(model, child), model_find(model, child) == NULL, "S57",
		    "a uid is used again");
	*life = (struct model_life){
		.next_in_bucket = *bucket,
		.ref = child,
		.parent = model_find(model, parent),
		.strategy = strategy,
		.due = WARD_POINT_INIT,
		.incarnation = 1,
		.seen = "starting",
	};
	*bucket = life;
	model_lives_add(&model->lives, life);
	model->alive++;
	tell(model, model_id(life->parent), "spawns", model_id(life), "");
	if (life->parent == NULL)
		return;
	MODEL_NEEDS(model, life->parent, life->parent->phase != PHASE_STOPPING, "S52",
		    "got a child while stopping");
	life->suspended = life->parent->suspended; /* S10 */
	model_lives_add(&life->parent->children, life);
}

void model_stop(struct model *model, ward_ref by, ward_ref who)
{
	struct model_life *life = model_find(model, who);

	if (life == NULL || life->phase == PHASE_GONE)
		return;
	tell(model, model_id(life), "is told to stop", 0, "");
	if (life->parent != NULL && ward_ref_equal(life->parent->ref, by))
		life->told_to_stop = true;
	if (!life->stop_sent)
		model_send_note(life, NOTE_STOP, NULL);
	life->stop_sent = true;
}

void model_watch(struct model *model, ward_ref by, ward_ref who)
{
	struct model_life *life = model_find(model, by), *target = model_find(model, who);

	if (target == NULL || life == target || model_lives_have(&life->watching, target))
		return; /* S59 */
	tell(model, model_id(life), "watches", model_id(target), "");
	model_lives_add(&life->watching, target);
	if (target->phase == PHASE_GONE) {
		model->seen[SEEN_DEAD_WATCHED]++;
		model_send_note(life, NOTE_TERMINATED, target); /* S62 */
	} else {
		model_lives_add(&target->watchers, life);
	}
}

static void remove_letter(struct model_life *life, size_t at)
{
	life->mail.count--;
	memmove(life->mail.items + at, life->mail.items + at + 1,
		(life->mail.count - at) * sizeof(struct model_letter));
}

void model_unwatch(struct model *model, ward_ref by, ward_ref who)
{
	struct model_life *life = model_find(model, by), *target = model_find(model, who);

	if (target == NULL || !model_lives_remove(&life->watching, target))
		return;
	tell(model, model_id(life), "unwatches", model_id(target), "");
	model_lives_remove(&target->watchers, life);
	for (size_t i = life->mail.count; i-- > 0;) /* not even one that waits already (S63) */
		if (life->mail.items[i].mail == MODEL_TERMINATED &&
		    life->mail.items[i].gone == target->ref.uid)
			remove_letter(life, i);
}

void model_sent(struct model *model, ward_ref from, ward_ref to, enum model_mail mail,
		uint64_t number)
{
	struct model_life *life = model_find(model, to);

	if (mail == MODEL_PING) {
		MODEL_NEEDS(model, life, number == model->pings, "-",
			    "pings are numbered in order");
		model->fates = grow(model->fates, model->pings, &model->fates_room, 1);
		model->fates[model->pings++] = 0;
	}
	if (life == NULL || life->phase == PHASE_GONE)
		return;
	life->mail.items = grow(life->mail.items, life->mail.count, &life->mail.room,
				sizeof(struct model_letter));
	life->mail.items[life->mail.count++] =
		(struct model_letter){mail, number, from.uid, from.uid};
}

static void know_fate(struct model *model, const struct model_life *life, uint64_t number)
{
	MODEL_NEEDS(model, life, number < model->pings, "S4", "ping %llu was never sent",
		    (unsigned long long)number);
	MODEL_NEEDS(model, life, model->fates[number] == 0, "S4, S49", "ping %llu has two fates",
		    (unsigned long long)number);
	model->fates[number] = 1;
	model->fates_known++;
}

/* ---- callbacks --------------------------------------------------------------------------- */

static struct model_life *caller(struct model *model, ward_ref who, const char *what)
{
	struct model_life *life = model_find(model, who);

	MODEL_NEEDS(model, life, life != NULL, "-", "a stranger's %s", what);
	MODEL_NEEDS(model, life, life == model->turn, "S1", "%s in the turn of %llx", what,
		    model_id(model->turn));
	return life;
}

/* Of two hooks, one may be called inside the other (S32). */
static bool nests(struct model_life *life, ward_point point)
{
	ward_point outer = life->calls_count == 1 ? life->calls[0] : WARD_POINTS;

	if (point == WARD_POINT_POST_STOP && outer == WARD_POINT_PRE_RESTART) {
		bool owed = life->owes_post_stop;

		life->owes_post_stop = false;
		return owed;
	}
	return point == WARD_POINT_PRE_START && outer == WARD_POINT_POST_RESTART;
}

void model_enter(struct model *model, ward_ref who, ward_point point, ward_ref child)
{
	struct model_life *life = caller(model, who, ward_point_text(point));

	tell(model, model_id(life), ward_point_text(point), 0, "");
	if (!nests(life, point)) {
		MODEL_NEEDS(model, life, life->calls_count == 0 && life->due == point,
			    "S32, S35, S42, S46, S48", "%s is called; %s is due",
			    ward_point_text(point),
			    life->due == NOTHING_DUE ? "no hook" : ward_point_text(life->due));
		life->due = NOTHING_DUE;
	}
	if (point == WARD_POINT_POST_STOP)
		life->owes_post_stop = false;
	if (point == WARD_POINT_DECIDE)
		MODEL_NEEDS(model, life,
			    life->deciding != NULL && ward_ref_equal(life->deciding->ref, child),
			    "S18", "decides about %llx, not about %llx",
			    (unsigned long long)child.uid, model_id(life->deciding));
	life->calls[life->calls_count++] = point;
}

void model_default_pre_restart(struct model *model, ward_ref who)
{
	struct model_life *life = caller(model, who, "default pre_restart");

	for (size_t i = 0; i < life->children.count; i++) {
		struct model_life *child = life->children.items[i];

		model_unwatch(model, who, child->ref);
		model_stop_child(child);
	}
}

/* Removes the letter. There must be one, and nothing before it from the same sender (S4). */
static void take_letter(struct model *model, struct model_life *life, size_t at, const char *what)
{
	MODEL_NEEDS(model, life, at < life->mail.count, "S4, S60, S63", "%s is not in its mail",
		    what);
	for (size_t i = 0; i < at; i++)
		MODEL_NEEDS(model, life, life->mail.items[i].from != life->mail.items[at].from,
			    "S4", "%s overtook what the same sender had sent before", what);
	remove_letter(life, at);
}

/* Mail is read, at last. */
static void may_read(struct model *model, struct model_life *life, const char *what)
{
	MODEL_NEEDS(model, life, life->phase == PHASE_RUNNING, "S17, S45, S49", "got %s", what);
	MODEL_NEEDS(model, life, life->suspended == 0, "S8", "got %s", what);
	MODEL_NEEDS(model, life, life->due == NOTHING_DUE, "S1", "got %s before %s", what,
		    ward_point_text(life->due));
	MODEL_NEEDS(model, life, life->notes.count == 0, "S1",
		    "got %s, with a system message pending", what);
	MODEL_NEEDS(model, life, !model->handled, "S1", "got %s, the second in its turn", what);
	model->handled = true;
}

void model_receive(struct model *model, ward_ref who, uint64_t number, ward_ref gone_ref)
{
	bool ping = ward_ref_is_nobody(gone_ref);
	const char *what = ping ? "a ping" : "a ward_terminated";
	struct model_life *life = caller(model, who, what);
	size_t at = 0;

	tell(model, model_id(life), what, ping ? number : gone_ref.uid, "");
	may_read(model, life, what);
	while (at < life->mail.count && (ping ? life->mail.items[at].mail != MODEL_PING ||
							 life->mail.items[at].number != number
					      : life->mail.items[at].mail != MODEL_TERMINATED ||
							 life->mail.items[at].gone != gone_ref.uid))
		at++;
	take_letter(model, life, at, what);
	if (ping)
		know_fate(model, life, number);
	else
		model_lives_remove(&life->watching, model_find(model, gone_ref));
	life->calls[life->calls_count++] = WARD_POINT_RECEIVE;
}

void model_leave(struct model *model, ward_ref who, ward_point point,
		 const struct model_outcome *outcome)
{
	struct model_life *life = caller(model, who, ward_point_text(point));
	bool outermost = life->calls_count == 1 || outcome->jumped;

	MODEL_NEEDS(model, life,
		    life->calls_count > 0 && life->calls[life->calls_count - 1] == point, "-",
		    "%s ends, and is not under way", ward_point_text(point));
	if (outcome->failed != NULL)
		tell(model, model_id(life), ward_point_text(point), 0, outcome->failed->name);
	if (point == WARD_POINT_DECIDE && outcome->failed == NULL)
		tell(model, model_id(life), "decides", 0, ward_directive_text(outcome->directive));
	point = life->calls[0];
	life->calls_count = outermost ? 0 : life->calls_count - 1;
	if (!outermost)
		return;
	model_hook_over(model, life, point, outcome);
	model_advance(model, life);
}

/* ---- events ------------------------------------------------------------------------------ */

/* Pills and kills are the runtime's own: what comes of them is all that is seen (S50). */
static void take_own(struct model *model, struct model_life *life, enum model_mail mail,
		     const char *what)
{
	size_t at = 0;

	while (at < life->mail.count && life->mail.items[at].mail != mail)
		at++;
	may_read(model, life, what);
	take_letter(model, life, at, what);
}

static void on_lifecycle(struct model *model, const ward_event *event)
{
	struct model_life *life = model_find(model, event->subject);

	if (life == NULL || strcmp(event->new_state, "free") == 0)
		return;
	tell(model, model_id(life), "becomes", 0, event->new_state);
	copy(life->seen, sizeof life->seen, event->new_state);
	if (life != model->turn || life->phase != PHASE_RUNNING || life->calls_count > 0)
		return;
	if (strcmp(event->new_state, "failed") == 0) {
		take_own(model, life, MODEL_KILL, "ward_kill");
		model->seen[SEEN_KILL]++;
		model_fail(model, life, &ward_killed, NULL);
	} else if (strcmp(event->new_state, "stopping") == 0) {
		take_own(model, life, MODEL_PILL, "ward_poison_pill");
		model->seen[SEEN_PILL]++;
		model_begin_stop(model, life);
	}
	model_advance(model, life);
}

static void on_failure(struct model *model, const ward_event *event)
{
	struct model_life *life = model_find(model, event->subject);
	struct model_decision *due = &model->decisions[model->decisions_first];

	if (life == NULL || life->parent == NULL)
		return;
	MODEL_NEEDS(model, life, model->decisions_count > 0, "S18, S30",
		    "%s was decided, and nothing was to be decided",
		    ward_directive_text((ward_directive)event->directive));
	model->decisions_first = (model->decisions_first + 1) % DECISIONS_MAX;
	model->decisions_count--;
	MODEL_NEEDS(model, life,
		    ward_ref_equal(due->child, event->subject) &&
			    due->directive == (ward_directive)event->directive &&
			    due->denied == (event->denied != 0),
		    "S19-S25", "%s%s was decided, in place of %s%s for %llx",
		    ward_directive_text((ward_directive)event->directive),
		    event->denied != 0 ? " (denied)" : "", ward_directive_text(due->directive),
		    due->denied ? " (denied)" : "", (unsigned long long)due->child.uid);
	MODEL_NEEDS(model, life, due->restarts == UINT32_MAX || due->restarts == event->restarts,
		    "S71", "%u restarts are charged, in place of %u", event->restarts,
		    due->restarts);
}

static void lost(struct model_life *life, uint64_t number)
{
	for (size_t i = 0; life != NULL && i < life->mail.count; i++)
		if (life->mail.items[i].mail == MODEL_PING && life->mail.items[i].number == number)
			remove_letter(life, i);
}

static void on_dead_letter(struct model *model, const ward_event *event)
{
	struct model_life *life = model_find(model, event->subject);
	uint64_t number;

	if (strcmp(event->message_type, "ping") != 0)
		return;
	memcpy(&number, event->bytes, sizeof number);
	if (event->reason == WARD_REASON_LOST || event->reason == WARD_REASON_NO_MEMORY)
		lost(life, number); /* it never arrived */
	else
		MODEL_NEEDS(model, life, life == NULL || life->phase == PHASE_GONE, "S49",
			    "ping %llu became a dead letter", (unsigned long long)number);
	know_fate(model, life, number);
}

void model_event(struct model *model, const ward_event *event)
{
	switch (event->kind) {
	case WARD_EVENT_LIFECYCLE:
		on_lifecycle(model, event);
		break;
	case WARD_EVENT_FAILURE:
		on_failure(model, event);
		break;
	case WARD_EVENT_DEAD_LETTER:
		on_dead_letter(model, event);
		break;
	default:
		tell(model, event->subject.uid, "has an event:", 0, event->text);
		break;
	}
}
