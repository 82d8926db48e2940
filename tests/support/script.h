/* SPDX-License-Identifier: MIT
 *
 * script.h - actors by description, and the journal that they write.
 *
 * A script says what one actor of a test does: its name, its children, which hook fails and when.
 * The actor notes each hook and each word that it gets as "name:what" in the journal, which is one
 * text for the whole test. Scripts belong to the test and outlive the system.
 *
 *	struct script child = {.name = "c", .traps = {{SCRIPT_PRE_START, .first = 2}}};
 *	struct script parent = {.name = "p", .strategy = &two_restarts, .children = {&child}};
 *
 * Words are the messages of tests. Each owns a block of memory, so that a word lost or dropped
 * twice is seen.
 */
#ifndef SUPPORT_SCRIPT_H
#define SUPPORT_SCRIPT_H

#include <ward/testkit.h>
#include <ward/ward.h>

typedef ward_result script_call(ward_self *self, void *arg);

/* ---- words ------------------------------------------------------------------------------- */

struct script_word {
	char *text; /* noted unless it is empty; owned, never NULL */
	const ward_failure_class *breaks;
	bool jumps; /* fails by ward_fail() */
	script_call *call;
	void *arg;
};
extern const ward_type ward_type_script_word;

/* All fields but the text, which is copied: "break" for one that breaks. */
struct script_word script_word(const char *text, const struct script_word *rest);
/* Sends one, as an actor. */
void script_tell(ward_self *self, ward_ref to, const char *text);
void script_tell_break(ward_self *self, ward_ref to, const ward_failure_class *failure_class);
void script_tell_do(ward_self *self, ward_ref to, script_call *call, void *arg);
/* How many words were made and not dropped. */
int64_t script_words_left(void);

/* ---- scripts ----------------------------------------------------------------------------- */

enum script_hook {
	SCRIPT_INIT,
	SCRIPT_PRE_START,
	SCRIPT_RECEIVE,
	SCRIPT_POST_STOP,
	SCRIPT_PRE_RESTART,
	SCRIPT_POST_RESTART,
	SCRIPT_HOOKS
};

enum { SCRIPT_CHILDREN_MAX = 8, SCRIPT_TRAPS_MAX = 4 };
#define SCRIPT_ALWAYS UINT32_MAX

/* Makes a hook fail, at its end, in its first..last call of all incarnations; 0, 0: never. */
struct script_trap {
	enum script_hook hook;
	uint32_t first;
	uint32_t last;                           /* 0: as first */
	const ward_failure_class *failure_class; /* NULL: ward_exception */
	bool jumps;                              /* by ward_fail(), not by returning */
};

struct script {
	const char *name;
	const ward_strategy
		*strategy;      /* for its children; script_one and script_all ask the script */
	ward_directive decides; /* what script_decide() answers */
	ward_directive (*decide)(ward_self *self, ward_ref child, const ward_failure *failure);
	ward_mailbox mailbox;
	uint32_t stash_max;
	/* Spawned, in order, at the end of pre_start, those that are not there already. */
	struct script *children[SCRIPT_CHILDREN_MAX];
	bool watches_children;
	bool keeps_children; /* in pre_restart; else the default hook is called */
	struct script_trap traps[SCRIPT_TRAPS_MAX];
	/* What a hook does after its note and before its trap. */
	script_call *init, *pre_start, *post_stop;
	ward_result (*pre_restart)(ward_self *self, const ward_failure *why, const ward_msg *msg);
	ward_result (*post_restart)(ward_self *self, const ward_failure *why);
	/* Before the words; WARD_UNHANDLED: go on with them. */
	ward_result (*receive)(ward_self *self, const ward_msg *msg);
	void *arg; /* the test's own, and that of init, pre_start, post_stop */
	/* written */
	ward_ref ref;
	uint32_t calls[SCRIPT_HOOKS];
};

/* Notes "decide CHILD", then answers what the script's `decide` says, else its `decides`. */
ward_directive script_decide(ward_self *self, ward_ref child, const ward_failure *failure);
/* Strategies that ask script_decide() about everything, without a limit. */
extern const ward_strategy script_one, script_all;

/* What it takes to spawn it. Borrows the script; the props are good until the next call. */
const ward_props *script_props(struct script *script);
/* Spawns it as a child, and keeps its ref in the script. */
ward_err script_spawn_child(ward_self *self, struct script *script);
/* The script of the running actor. */
struct script *script_of(const ward_self *self);
/* The name of the scripted actor with this ref, dead or alive, or "?". */
const char *script_name(ward_ref ref);
void script_name_add(ward_ref ref, const char *name);

/* ---- the journal ------------------------------------------------------------------------- */

/* Appends a note; notes are parted by ";". */
__attribute__((format(printf, 1, 2))) void journal_note(const char *text, ...);
const char *journal_text(void);
void journal_clear(void);
/* The notes of one actor, without its name. Good until the next call. */
const char *journal_of(const char *name);

#define assert_journal(wanted) ward_assert_str(journal_text(), wanted)
#define assert_journal_of(name, wanted)                                                            \
	ward_test_check_str(__FILE__, __LINE__, "notes of " name, journal_of(name), wanted)

/* ---- in a kit, simulated ----------------------------------------------------------------- */

/* A kit for a test with scripts: forgets the notes, names and words of the last one. One at a time
 * in a process. */
ward_kit *script_start(const ward_kit_options *options);
/* The end of it; checks also that the text of each word was freed. */
void script_finish(ward_kit *kit);

/* Spawns the scripted actor at the top and lets it start; the ref is in the script. */
void script_spawn(ward_kit *kit, struct script *script);
/* Sends a word from outside: one to note, one to fail by, one that makes a call. */
void script_say(ward_kit *kit, ward_ref to, const char *text);
void script_break(ward_kit *kit, ward_ref to, const ward_failure_class *failure_class);
void script_do(ward_kit *kit, ward_ref to, script_call *call, void *arg);
/* Breaks siblings, one after the other. True: all have failed, and their parent has not had a turn
 * since the first did. Whether it comes to that is up to the seed. */
bool script_break_at_once(ward_kit *kit, const ward_ref *siblings, size_t count);

#endif
