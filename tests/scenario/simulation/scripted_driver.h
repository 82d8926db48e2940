/* SPDX-License-Identifier: MIT
 *
 * scripted_driver.h - a simulation that a test drives: strikes at chosen occasions, a trace of all
 * outcomes.
 *
 * A strike names a point, an actor, perhaps a type, and which time of it. The trace has what done()
 * was told, "receive a word;", with a "!" in front of what failed; turns only if they are wanted.
 * Actors do what they are sent: a function, or a word that goes to the journal.
 */
#ifndef SCENARIO_SIMULATION_SCRIPTED_DRIVER_H
#define SCENARIO_SIMULATION_SCRIPTED_DRIVER_H

#include <stdio.h>
#include <string.h>

#include <ward/simulation.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#define MS INT64_C(1000000)

enum { STRIKES_MAX = 8, REASONS = WARD_REASON_DOWN + 1 };

struct strike {
	ward_point point;
	const char *who;  /* last name of its path, "outside"; NULL: any */
	const char *type; /* NULL: any */
	int nth;          /* from 1; 0: each one */
	ward_fault fault;
	int seen;
};

struct driven {
	ward_simulation driver;
	ward_kit *kit;
	ward_system *system; /* of the kit */
	struct strike strikes[STRIKES_MAX];
	bool traces_turns;
	char trace[8192];
	char journal[4096]; /* "a:word;" */
	uint64_t reasons[REASONS];
	char failure[WARD_EVENT_NAME + WARD_EVENT_TEXT + 2]; /* "class: text" of the last one */
	char dead_words[256];
	int dropped; /* parcels */
};

/* The one of this process: actors find it here. */
static struct driven driven;

struct word {
	char text[16];
};
WARD_MESSAGE_FLAT(word);

struct act {
	ward_result (*fn)(ward_self *self, ward_ref to);
	ward_ref to;
};
WARD_MESSAGE(act);

struct parcel {
	int number;
};
static inline void parcel_drop(struct parcel *parcel)
{
	(void)parcel;
	driven.dropped++;
}
static inline ward_err parcel_clone(struct parcel *to, const struct parcel *from)
{
	*to = *from;
	return WARD_OK;
}
WARD_MESSAGE_CLONE(parcel, parcel_drop, parcel_clone);

/* ---- the driver -------------------------------------------------------------------------- */

static inline const char *last_name(ward_system *system, ward_ref ref, char path[WARD_EVENT_PATH])
{
	if (ward_ref_is_nobody(ref))
		return "outside";
	ward_system_path(system, ref, path, WARD_EVENT_PATH);
	return strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
}

static inline ward_fault driven_fault(void *arg, ward_system *system, const ward_occasion *it)
{
	struct driven *d = arg;
	char path[WARD_EVENT_PATH];
	const char *who = last_name(system, it->who, path);

	for (struct strike *s = d->strikes; s < d->strikes + STRIKES_MAX; s++) {
		if (s->fault.kind == WARD_FAULT_NONE || s->point != it->point ||
		    (s->who != NULL && strcmp(s->who, who) != 0) ||
		    (s->type != NULL && (it->type == NULL || strcmp(s->type, it->type->name) != 0)))
			continue;
		s->seen++;
		if (s->nth == 0 || s->seen == s->nth)
			return s->fault;
	}
	return (ward_fault){WARD_FAULT_NONE, 0};
}

static inline void driven_done(void *arg, ward_system *system, const ward_occasion *it)
{
	struct driven *d = arg;
	char path[WARD_EVENT_PATH];
	size_t length = strlen(d->trace);

	if (it->point == WARD_POINT_TURN && !d->traces_turns)
		return;
	snprintf(d->trace + length, sizeof d->trace - length, "%s%s %s%s%s;", it->failed ? "!" : "",
		 ward_point_text(it->point), last_name(system, it->who, path),
		 it->type == NULL ? "" : " ", it->type == NULL ? "" : it->type->name);
}

static inline void driven_hear(void *arg, const ward_event *event)
{
	struct driven *d = arg;

	if (event->kind == WARD_EVENT_DEAD_LETTER)
		d->reasons[event->reason]++;
	if (event->kind == WARD_EVENT_DEAD_LETTER && event->bytes_count == sizeof(struct word)) {
		size_t length = strlen(d->dead_words);

		snprintf(d->dead_words + length, sizeof d->dead_words - length, "%.15s;",
			 (const char *)event->bytes);
	}
	if (event->kind == WARD_EVENT_FAILURE || event->kind == WARD_EVENT_HOOK_FAILURE)
		snprintf(d->failure, sizeof d->failure, "%s: %s", event->failure_class,
			 event->text);
}

/* ---- actors ------------------------------------------------------------------------------ */

static inline void write_journal(ward_self *self, const char *text)
{
	char path[WARD_EVENT_PATH];
	size_t length = strlen(driven.journal);

	snprintf(driven.journal + length, sizeof driven.journal - length, "%s:%s;",
		 last_name(driven.system, ward_self_ref(self), path), text);
}

static inline ward_result pupil_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct act *act = ward_match(msg, act);
	const struct word *word = ward_match(msg, word);

	(void)state;
	if (act != NULL)
		return act->fn(self, act->to);
	if (ward_match(msg, ward_terminated) != NULL)
		write_journal(self, "terminated");
	else
		write_journal(self, word != NULL ? word->text : ward_msg_type(msg)->name);
	return WARD_DONE;
}

static inline ward_result pupil_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	write_journal(self, "init");
	return WARD_DONE;
}

static inline ward_result pupil_hook(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	return WARD_DONE;
}

static const ward_behavior pupil = {
	.name = "pupil",
	.init = pupil_init,
	.receive = pupil_receive,
	.pre_start = pupil_hook,
	.post_stop = pupil_hook,
};

/* Nobody is put off any more, also those whom a strike would put off again and again. */
static inline void driven_let_go(void *arg)
{
	struct driven *d = arg;

	memset(d->strikes, 0, sizeof d->strikes);
}

/* What the simulation, its log and its patience are is not up to the options. */
static inline void driven_start_with(ward_kit_options options,
				     size_t (*choose)(void *arg, ward_system *system, size_t count),
				     struct strike first)
{
	driven = (struct driven){
		.driver = {.choose = choose,
			   .fault = driven_fault,
			   .done = driven_done,
			   .arg = &driven},
		.strikes = {first},
	};
	options.simulation = &driven.driver;
	options.log = driven_hear;
	options.log_arg = &driven;
	options.patience_ms = WARD_FOREVER; /* some stall for hours */
	driven.kit = ward_kit_start(&options);
	driven.system = ward_kit_system(driven.kit);
	ward_kit_on_cut(driven.kit, driven_let_go, &driven);
}

static inline void driven_start_by(size_t (*choose)(void *arg, ward_system *system, size_t count),
				   struct strike first)
{
	driven_start_with((ward_kit_options){.seed = 0}, choose, first);
}

static inline void driven_start(struct strike first)
{
	driven_start_by(NULL, first);
}

static inline void run_all(void)
{
	ward_kit_run(driven.kit);
}

static inline ward_ref start_pupil(const char *name)
{
	ward_ref ref = ward_kit_spawn(driven.kit, &pupil, .name = name);

	run_all();
	return ref;
}

/* Also what comes later. */
static inline void run_out(void)
{
	do
		run_all();
	while (ward_simulation_advance(driven.system, INT64_MAX));
}

static inline void say(ward_ref to, const char *text)
{
	struct word word = {""};

	snprintf(word.text, sizeof word.text, "%s", text);
	ward_system_send(driven.system, to, WARD_COPY(word, &word));
}

static inline void let(ward_ref who, ward_result (*fn)(ward_self *self, ward_ref to), ward_ref to)
{
	ward_system_tell(driven.system, who, act, .fn = fn, .to = to);
}

/* Nothing may be left, and nothing may have been counted that was not there. */
static inline void driven_finish(void)
{
	ward_kit_finish(driven.kit);
}

#endif
