/* SPDX-License-Identifier: MIT
 *
 * otp_workers.h - supervisors of the OTP profile, and workers that do what they are told.
 *
 * What happens to a worker is a text: "a+" it starts, "ax" it cannot start, "a0" it has nothing to
 * do, "a-" it ended. Workers are found by their ids, and told by messages.
 */
#ifndef SUPPORT_OTP_WORKERS_H
#define SUPPORT_OTP_WORKERS_H

#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/otp.h>
#include <ward/testkit.h>
#include <ward/ward.h>

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

/* What a worker is told to do. */
struct act {
	enum { FAIL, LEAVE, PRETEND, UNLINK, HOLD, LET_GO } what;
	ward_exit_reason reason; /* LEAVE, PRETEND */
};
WARD_MESSAGE_FLAT(act);

struct name {
	char text[8];
};
WARD_MESSAGE_FLAT(name);

static struct {
	ward_kit *kit;
	ward_probe *probe;
	const char *broken;        /* workers of these letters cannot start */
	const char *idle;          /* and these have nothing to do */
	unsigned broken_for;       /* so many starts; 0: all */
	const ward_type *pleas[3]; /* and ask this about themselves before that */
	const char *turn_flags;    /* these end with a reason of their own when they are told to */
	char log[4096];
	char reports[4096];
} o;

static inline void o_note(char *log, size_t max, const char *who, const char *what)
{
	size_t length = strlen(log);

	ward_assert(length + strlen(who) + strlen(what) + 2 < max);
	snprintf(log + length, max - length, "%s%s%s", length > 0 ? " " : "", who, what);
}

static inline const char *o_taken(char *log, size_t max)
{
	static char copies[4][sizeof o.log];
	static unsigned next;
	char *copy = copies[next++ % 4];

	ward_kit_run(o.kit);
	memcpy(copy, log, max);
	log[0] = '\0';
	return copy;
}

/* What has happened since the last look; and what was reported, as "a:2:reason". */
static inline const char *seen(void)
{
	return o_taken(o.log, sizeof o.log);
}

static inline const char *reported(void)
{
	return o_taken(o.reports, sizeof o.reports);
}

static inline size_t times(const char *text, const char *what)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
		count++;
	return count;
}

/* ---- workers ----------------------------------------------------------------------------- */

static inline const char *name_of(ward_self *self)
{
	return ((const struct name *)ward_args(self))->text;
}

static inline bool is_among(const char *letters, const char *name)
{
	return letters != NULL && strchr(letters, name[0]) != NULL;
}

static inline bool breaks(const char *name)
{
	if (!is_among(o.broken, name))
		return false;
	if (o.broken_for > 0 && --o.broken_for == 0)
		o.broken = NULL;
	return true;
}

/* Asks, in the name of the probe: so the question is there before the failure is. */
static inline void plead(ward_self *self, const char *name)
{
	for (size_t i = 0; i < 3 && o.pleas[i] != NULL; i++) {
		char *id = ward_make_body(self, o.pleas[i], o.pleas[i]->size);

		if (id == NULL)
			return;
		if (o.pleas[i]->size >= WARD_OTP_ID)
			snprintf(id, WARD_OTP_ID, "%s", name);
		ward_give_body_from(self, ward_probe_ref(o.probe), ward_parent(self), o.pleas[i],
				    id);
	}
}

static inline ward_result worker_start(ward_self *self, void *state)
{
	const char *name = name_of(self);

	(void)state;
	if (breaks(name)) {
		o_note(o.log, sizeof o.log, name, "x");
		plead(self, name);
		return ward_failed(self, &bad_luck, "%s cannot start", name);
	}
	if (is_among(o.idle, name)) {
		o_note(o.log, sizeof o.log, name, "0");
		return ward_otp_ignore(self);
	}
	o_note(o.log, sizeof o.log, name, "+");
	return WARD_DONE;
}

static inline ward_result worker_stop(ward_self *self, void *state)
{
	(void)state;
	if (!is_among(o.idle, name_of(self)))
		o_note(o.log, sizeof o.log, name_of(self), "-");
	return WARD_DONE;
}

static inline ward_result worker_does(ward_self *self, const struct act *act)
{
	switch (act->what) {
	case FAIL:
		return ward_failed(self, &bad_luck, "%s had it", name_of(self));
	case LEAVE:
		if (ward_try_exit_self(self, &act->reason) != WARD_OK)
			return ward_failed(self, &ward_exception, "%s", ward_err_detail());
		return WARD_DONE;
	case PRETEND: /* to have ended */
		if (ward_exit(self, ward_parent(self), &act->reason) != WARD_OK)
			return ward_failed(self, &ward_exception, "%s", ward_err_detail());
		return WARD_DONE;
	case UNLINK:
		ward_unlink(self, ward_parent(self));
		return WARD_DONE;
	case HOLD: /* it gets the signals, and goes on all the same */
		(void)ward_trap_exit(self, true);
		return WARD_DONE;
	default:
		(void)ward_trap_exit(self, false);
		ward_stop_self(self);
		return WARD_DONE;
	}
}

/* It traps exits. */
static inline ward_result worker_is_told_to_end(ward_self *self)
{
	const ward_exit_reason turn_flags = {.kind = WARD_EXIT_OTHER, .name = "odd"};

	o_note(o.log, sizeof o.log, name_of(self), "!");
	if (is_among(o.turn_flags, name_of(self)) &&
	    ward_try_exit_self(self, &turn_flags) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	return WARD_DONE;
}

static inline ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct act *act = ward_match(msg, act);

	(void)state;
	if (act != NULL)
		return worker_does(self, act);
	return ward_match(msg, ward_exited) ? worker_is_told_to_end(self) : WARD_UNHANDLED;
}

static const ward_behavior worker = {
	.name = "worker",
	.args = &ward_type_name,
	.receive = worker_receive,
	.pre_start = worker_start,
	.post_stop = worker_stop,
};

#define NAMED(name_) .props = {.behavior = &worker, .args = WARD_ARGS(name, name_)}
#define CHILD(id_, ...)                                                                            \
	{                                                                                          \
		.id = id_, NAMED(id_), __VA_ARGS__                                                 \
	}
#define PERMANENT(id_) CHILD(id_, .restart = WARD_OTP_PERMANENT)
#define TRANSIENT(id_) CHILD(id_, .restart = WARD_OTP_TRANSIENT)
#define TEMPORARY(id_) CHILD(id_, .restart = WARD_OTP_TEMPORARY)
#define CHILDREN(...) ((const ward_otp_child_spec[]){__VA_ARGS__, {0}})

static inline void hears(ward_self *self, const ward_otp_report *report)
{
	char text[WARD_EXIT_NAME + WARD_EXIT_TEXT + 8], reason[WARD_EXIT_NAME + WARD_EXIT_TEXT];

	(void)self;
	ward_exit_format(&report->reason, reason, sizeof reason);
	snprintf(text, sizeof text, ":%d:%s", (int)report->kind, reason);
	o_note(o.reports, sizeof o.reports, report->id, text);
}

/* ---- the kit ----------------------------------------------------------------------------- */

static inline void o_begin_at(uint64_t seed)
{
	memset(&o, 0, sizeof o);
	o.kit = ward_kit_start(&(ward_kit_options){.seed = seed});
	o.probe = ward_probe_start(o.kit, "probe");
}

static inline void o_begin(void)
{
	o_begin_at(0);
}

#define o_end() ward_kit_finish(o.kit)

static inline ward_system *o_system(void)
{
	return ward_kit_system(o.kit);
}

static inline bool o_lives(ward_ref who)
{
	return ward_system_is_alive(o_system(), who);
}

static inline ward_ref o_start(const ward_otp_supervisor *table)
{
	ward_ref who = ward_nobody();

	ward_assert_ok(ward_otp_start(o_system(), table, WARD_MINUTE, &who));
	return who;
}

/* ---- its children ------------------------------------------------------------------------ */

/* All of them, as "c+ b? a-": alive, restarting, without an actor; the last started first. */
static inline const char *o_which(ward_ref supervisor)
{
	static const char marks[] = {'-', '+', '?'};
	static char text[1024];
	struct ward_otp_children all;
	size_t length = 0;

	ward_assert_ok(ward_system_ask(o_system(), supervisor, WARD_MINUTE, &all,
				       ward_otp_which_children));
	ward_assert_eq(all.code, WARD_OTP_OK);
	text[0] = '\0';
	for (size_t i = 0; i < all.count && length < sizeof text; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%c",
					   i > 0 ? " " : "", all.rows[i].id,
					   marks[all.rows[i].state]);
	ward_otp_children_drop(&all);
	return text;
}

/* An actor by the id of its specification; nobody: it has none. */
static inline ward_ref o_child(ward_ref supervisor, const char *id)
{
	struct ward_otp_children all;
	ward_ref who = ward_nobody();

	ward_assert_ok(ward_system_ask(o_system(), supervisor, WARD_MINUTE, &all,
				       ward_otp_which_children));
	for (size_t i = 0; i < all.count; i++)
		if (strcmp(all.rows[i].id, id) == 0)
			who = all.rows[i].who;
	ward_otp_children_drop(&all);
	return who;
}

#define o_tell(supervisor, id_, ...)                                                               \
	do {                                                                                       \
		ward_kit_tell(o.kit, o_child(supervisor, id_), act, __VA_ARGS__);                  \
		ward_kit_run(o.kit);                                                               \
	} while (0)
#define o_fail(supervisor, id_) o_tell(supervisor, id_, .what = FAIL)
#define o_leave(supervisor, id_, ...)                                                              \
	o_tell(supervisor, id_, .what = LEAVE, .reason = {__VA_ARGS__})

/* ---- asking ------------------------------------------------------------------------------ */

/* What is said of a child with an id; all three questions begin with that. */
static inline ward_otp_code o_ask(ward_ref supervisor, const ward_type *type, const char *id)
{
	struct ward_otp_terminate_child question = {.id = ""};
	struct ward_otp_done done = {0};

	snprintf(question.id, sizeof question.id, "%s", id);
	ward_assert_ok(ward_system_ask_send(o_system(), supervisor, WARD_MINUTE,
					    &ward_type_ward_otp_done, &done, type, &question,
					    type->size));
	return done.code;
}

static inline ward_otp_code o_terminate(ward_ref supervisor, const char *id)
{
	return o_ask(supervisor, &ward_type_ward_otp_terminate_child, id);
}

static inline ward_otp_code o_restart(ward_ref supervisor, const char *id)
{
	return o_ask(supervisor, &ward_type_ward_otp_restart_child, id);
}

static inline ward_otp_code o_delete(ward_ref supervisor, const char *id)
{
	return o_ask(supervisor, &ward_type_ward_otp_delete_child, id);
}

static inline struct ward_otp_done o_add(ward_ref supervisor, const ward_otp_child_spec *spec)
{
	struct ward_otp_done done = {0};

	ward_assert_ok(ward_otp_start_child_wait(o_system(), supervisor, WARD_MINUTE, spec, &done));
	return done;
}

/* To a template: one more, of that name. */
static inline ward_ref o_more(ward_ref supervisor, const char *name)
{
	struct name args = {""};
	struct ward_otp_done done;

	snprintf(args.text, sizeof args.text, "%s", name);
	done = o_add(supervisor,
		     &(ward_otp_child_spec){
			     .props = {.behavior = &worker, .args = {WARD_COPY(name, &args)}}});
	ward_assert_eq(done.code, WARD_OTP_OK);
	return done.who;
}

#endif
