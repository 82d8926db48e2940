/* SPDX-License-Identifier: MIT
 *
 * two_systems.h - what the tests of other systems share: two simulated systems and a loop between
 * them, by value, in which the refs of scripts are valid on both sides.
 *
 * What is trapped, and how a watched actor has ended, is noted: "a:exited b: shutdown", "a:gone b:
 * stopped b".
 */
#ifndef SCENARIO_ABROAD_TWO_SYSTEMS_H
#define SCENARIO_ABROAD_TWO_SYSTEMS_H

#include <stdio.h>
#include <string.h>

#include <ward/association.h>
#include <ward/testkit/neighbours.h>

#include "support/script.h"

WARD_UNUSED static const ward_failure_class bad_luck = {.name = "bad_luck",
							.parent = &ward_exception};

/* a and c are on the left, b and d on the right. */
struct two {
	ward_kit *left, *right;
	ward_loop *loop;
	struct script a, b, c, d;
};

static inline const char *end_text(ward_end end)
{
	static const char *const texts[] = {
		[WARD_END_NORMAL] = "normal",       [WARD_END_STOPPED] = "stopped",
		[WARD_END_FAILED] = "failed",       [WARD_END_KILLED] = "killed",
		[WARD_END_UNKNOWN] = "unknown",     [WARD_END_EXITED] = "exited",
		[WARD_END_UNREACHED] = "unreached",
	};

	ward_assert((unsigned)end < sizeof texts / sizeof texts[0] && texts[end] != NULL);
	return texts[end];
}

static inline ward_result note_ends(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct ward_exited *exited = ward_match(msg, ward_exited);
	const char *name = script_of(self)->name;
	char text[128];

	if (gone != NULL) {
		ward_assert(ward_ref_equal(gone->who, ward_msg_sender(msg)));
		journal_note("%s:gone %s: %s%s%s%s%s", name, script_name(gone->who),
			     end_text(gone->end), gone->name[0] != '\0' ? " " : "", gone->name,
			     gone->failure_class != NULL ? " " : "",
			     gone->failure_class != NULL ? gone->failure_class->name : "");
		return WARD_DONE;
	}
	if (exited != NULL) {
		ward_assert(ward_ref_equal(exited->who, ward_msg_sender(msg)));
		ward_exit_format(&exited->reason, text, sizeof text);
		journal_note("%s:exited %s: %s", name, script_name(exited->who), text);
		return WARD_DONE;
	}
	return WARD_UNHANDLED;
}

static inline void two_script(ward_kit *kit, struct script *script, const char *name)
{
	script->name = name;
	if (script->receive == NULL)
		script->receive = note_ends;
	script_spawn(kit, script);
}

static inline void two_start(struct two *two, const ward_loop_options *options)
{
	two->left =
		script_start(&(ward_kit_options){.system.name = "left", .may_leave_mail = true});
	two->right =
		ward_kit_start(&(ward_kit_options){.system.name = "right", .may_leave_mail = true});
	two->loop = ward_loop_start(options);
	ward_loop_join(two->loop, ward_kit_system(two->left), "left");
	ward_loop_join(two->loop, ward_kit_system(two->right), "right");
	ward_loop_connect(two->loop, "left", "right");
	ward_assert(ward_loop_await(two->loop, "left", "right", WARD_MINUTE));
	two_script(two->left, &two->a, "a");
	two_script(two->left, &two->c, "c");
	two_script(two->right, &two->b, "b");
	two_script(two->right, &two->d, "d");
	journal_clear();
}

static inline void two_finish(struct two *two)
{
	ward_loop_finish(two->loop);
	ward_kit_finish(two->right);
	script_finish(two->left);
}

/* Lets frames arrive, whatever the latency. */
static inline void settle(struct two *two)
{
	ward_kit_run(two->left);
	ward_kit_advance(two->left, 200);
	ward_kit_run(two->left);
}

/* Breaks the connection; it is tried again after 100 ms. */
static inline void lose(struct two *two)
{
	ward_loop_reset(two->loop, "left", "right");
	ward_kit_run(two->left);
}

static inline ward_kit *kit_of(struct two *two, const struct script *script)
{
	return script == &two->a || script == &two->c ? two->left : two->right;
}

static inline void let(struct two *two, struct script *script, script_call *call, void *arg)
{
	script_do(kit_of(two, script), script->ref, call, arg);
}

static inline void let_and_settle(struct two *two, struct script *script, script_call *call,
				  void *arg)
{
	let(two, script, call, arg);
	settle(two);
}

/* ---- calls -------------------------------------------------------------------------------- */

static inline ward_result do_watch(ward_self *self, void *arg)
{
	ward_watch(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

static inline ward_result do_unwatch(ward_self *self, void *arg)
{
	ward_unwatch(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

static inline ward_result do_link(ward_self *self, void *arg)
{
	ward_link(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

static inline ward_result do_unlink(ward_self *self, void *arg)
{
	ward_unlink(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

static inline ward_result do_trap(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_trap_exit(self, true);
	return WARD_DONE;
}

static inline ward_result do_stop(ward_self *self, void *arg)
{
	ward_stop(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

static inline ward_result do_end(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop_self(self);
	return WARD_DONE;
}

static inline ward_result do_fail(ward_self *self, void *arg)
{
	(void)arg;
	return ward_failed(self, &bad_luck, "as told");
}

static inline bool is_alive(struct two *two, const struct script *script)
{
	return ward_system_is_alive(ward_kit_system(kit_of(two, script)), script->ref);
}

#endif
