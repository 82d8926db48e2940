/* SPDX-License-Identifier: MIT
 *
 * script.h - actors by description, and the journal that they write.
 *
 * A script says what one actor of a test does: its name, its children, which hook fails and when.
 * The actor notes each hook and each word that it gets as "name:what" in the journal, which is one
 * text for the whole test. Scripts belong to the test and outlive the system.
 *
 *	struct kit_script child = {.name = "c", .traps = {{KIT_PRE_START, .first = 2}}};
 *	struct kit_script parent = {.name = "p", .strategy = &two_restarts, .children = {&child}};
 *
 * Words are the messages of tests. Each owns a block of memory, so that a word lost or dropped
 * twice is seen.
 */
#ifndef KIT_SCRIPT_H
#define KIT_SCRIPT_H

#include <ward/testkit.h>
#include <ward/ward.h>

typedef ward_result kit_call(ward_self *self, void *arg);

/* ---- words ------------------------------------------------------------------------------- */

struct kit_word {
	char *text; /* noted unless it is empty; owned, never NULL */
	const ward_failure_class *breaks;
	bool jumps; /* fails by ward_fail() */
	kit_call *call;
	void *arg;
};
extern const ward_type kit_type_word;

/* All fields but the text, which is copied: "break" for one that breaks. */
struct kit_word kit_word(const char *text, const struct kit_word *rest);
/* Sends one, as an actor. */
void kit_tell(ward_self *self, ward_ref to, const char *text);
void kit_tell_break(ward_self *self, ward_ref to, const ward_failure_class *failure_class);
void kit_tell_do(ward_self *self, ward_ref to, kit_call *call, void *arg);
/* How many words were made and not dropped. */
int64_t kit_words_left(void);

/* ---- scripts ----------------------------------------------------------------------------- */

enum kit_hook {
	KIT_INIT,
	KIT_PRE_START,
	KIT_RECEIVE,
	KIT_POST_STOP,
	KIT_PRE_RESTART,
	KIT_POST_RESTART,
	KIT_HOOKS
};

enum { KIT_CHILDREN_MAX = 8, KIT_TRAPS_MAX = 4 };
#define KIT_ALWAYS UINT32_MAX

/* Makes a hook fail, at its end, in its first..last call of all incarnations; 0, 0: never. */
struct kit_trap {
	enum kit_hook hook;
	uint32_t first;
	uint32_t last;                           /* 0: as first */
	const ward_failure_class *failure_class; /* NULL: ward_exception */
	bool jumps;                              /* by ward_fail(), not by returning */
};

struct kit_script {
	const char *name;
	const ward_strategy *strategy; /* for its children; kit_one and kit_all ask the script */
	ward_directive decides;        /* what kit_decide() answers */
	ward_directive (*decide)(ward_self *self, ward_ref child, const ward_failure *failure);
	ward_mailbox mailbox;
	/* Spawned, in order, at the end of pre_start, those that are not there already. */
	struct kit_script *children[KIT_CHILDREN_MAX];
	bool watches_children;
	bool keeps_children; /* in pre_restart; else the default hook is called */
	struct kit_trap traps[KIT_TRAPS_MAX];
	/* What a hook does after its note and before its trap. */
	kit_call *init, *pre_start, *post_stop;
	ward_result (*pre_restart)(ward_self *self, const ward_failure *why, const ward_msg *msg);
	ward_result (*post_restart)(ward_self *self, const ward_failure *why);
	/* Before the words; WARD_UNHANDLED: go on with them. */
	ward_result (*receive)(ward_self *self, const ward_msg *msg);
	void *arg; /* the test's own, and that of init, pre_start, post_stop */
	/* written */
	ward_ref ref;
	uint32_t calls[KIT_HOOKS];
};

/* Notes "decide CHILD", then answers what the script's `decide` says, else its `decides`. */
ward_directive kit_decide(ward_self *self, ward_ref child, const ward_failure *failure);
/* Strategies that ask kit_decide() about everything, without a limit. */
extern const ward_strategy kit_one, kit_all;

/* What it takes to spawn it. Borrows the script; the props are good until the next call. */
const ward_props *kit_script_props(struct kit_script *script);
/* Spawns it as a child, and keeps its ref in the script. */
ward_err kit_spawn_child(ward_self *self, struct kit_script *script);
/* The script of the running actor. */
struct kit_script *kit_script(const ward_self *self);
/* The name of the scripted actor with this ref, dead or alive, or "?". */
const char *kit_name(ward_ref ref);
void kit_name_add(ward_ref ref, const char *name);

/* ---- the journal ------------------------------------------------------------------------- */

/* Appends a note; notes are parted by ";". */
__attribute__((format(printf, 1, 2))) void kit_note(const char *text, ...);
const char *kit_journal(void);
void kit_journal_clear(void);
/* The notes of one actor, without its name. Good until the next call. */
const char *kit_journal_of(const char *name);

#define CHECK_JOURNAL(wanted) ward_assert_str(kit_journal(), wanted)
#define CHECK_JOURNAL_OF(name, wanted)                                                             \
	ward_test_check_str(__FILE__, __LINE__, "notes of " name, kit_journal_of(name), wanted)

/* For kit_start(): forgets notes, names and words of the last round. */
void kit_script_reset(void);

#endif
