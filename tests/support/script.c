/* SPDX-License-Identifier: MIT
 *
 * script.c - the scripted actor, its words, and the journal.
 *
 * single-threaded: one simulated system at a time.
 */
#include "support/script.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/raw_bytes.h"

enum { JOURNAL_MAX = 256 * 1024, NAMES_MAX = 4096, NAME_MAX = 64 };

static struct {
	char text[JOURNAL_MAX];
	size_t length;
	char part[JOURNAL_MAX];
} journal;

static struct {
	ward_ref ref;
	char name[NAME_MAX];
} names[NAMES_MAX];
static size_t names_count;
static ward_kit *kit_of_names; /* NULL: it has ended */

static int64_t words_left;

/* ---- the journal ------------------------------------------------------------------------- */

void journal_note(const char *text, ...)
{
	if (journal.length > 0)
		journal.text[journal.length++] = ';';
	va_list args;
	va_start(args, text);
	int length =
		vsnprintf(journal.text + journal.length, JOURNAL_MAX - journal.length, text, args);
	va_end(args);
	/* In a shortage the check fails an actor, and others go on: they may write no further. */
	if (journal.length + (size_t)length + 1 >= JOURNAL_MAX) {
		journal.length -= journal.length > 0;
		ward_test_fail(__FILE__, __LINE__, "the journal is full");
	}
	journal.length += (size_t)length;
}

const char *journal_text(void)
{
	journal.text[journal.length] = '\0';
	return journal.text;
}

void journal_clear(void)
{
	journal.length = 0;
}

const char *journal_of(const char *name)
{
	size_t name_length = strlen(name), length = 0;
	const char *note = journal_text();
	while (*note != '\0') {
		size_t count = strcspn(note, ";");
		if (strncmp(note, name, name_length) == 0 && note[name_length] == ':') {
			if (length > 0)
				journal.part[length++] = ';';
			memcpy(journal.part + length, note + name_length + 1,
			       count - name_length - 1);
			length += count - name_length - 1;
		}
		note += count + (note[count] == ';');
	}
	journal.part[length] = '\0';
	return journal.part;
}

/* ---- words ------------------------------------------------------------------------------- */

static void word_drop(void *body)
{
	struct script_word *word = body;
	/* A body that was sent as all zero has no text. */
	if (word->text == NULL)
		return;
	free(word->text);
	word->text = NULL;
	words_left--;
}

static ward_err word_clone(void *to, const void *from)
{
	const struct script_word *original = from;
	struct script_word *copy = to;
	*copy = script_word(original->text, original);
	return WARD_OK;
}

/* As bytes: the text, and the rest as it is. What a word points to is the test's own, and all
 * systems of a test are in its process. */
static ward_err word_encode(const void *body, size_t size, ward_bytes *out)
{
	struct script_word rest = *(const struct script_word *)body;
	const char *text = rest.text;
	ward_err err;
	(void)size;
	rest.text = NULL;
	err = ward_bytes_add(out, &rest, sizeof rest);
	return err == WARD_OK ? ward_bytes_add(out, text, strlen(text) + 1) : err;
}

static ward_err word_decode(const void *bytes, size_t count, void *body, size_t size)
{
	const char *text = (const char *)bytes + size;
	struct script_word rest;
	if (count <= size || text[count - size - 1] != '\0')
		return ward_refused(WARD_EINVAL, "not a word: %zu bytes", count);
	memcpy(&rest, bytes, size);
	*(struct script_word *)body = script_word(text, &rest);
	return WARD_OK;
}

const ward_type ward_type_script_word = {.name = "script_word",
					 .size = sizeof(struct script_word),
					 .drop = word_drop,
					 .clone = word_clone,
					 .encode = word_encode,
					 .decode = word_decode};

struct script_word script_word(const char *text, const struct script_word *rest)
{
	struct script_word word = *rest;
	word.text = strdup(text);
	if (word.text == NULL)
		ward_test_fail(__FILE__, __LINE__, "no memory for a word");
	words_left++;
	return word;
}

static void tell(ward_self *self, ward_ref to, struct script_word word)
{
	ward_send(self, to, &ward_type_script_word, &word, sizeof(word));
}

void script_tell(ward_self *self, ward_ref to, const char *text)
{
	tell(self, to, script_word(text, &(struct script_word){0}));
}

void script_tell_break(ward_self *self, ward_ref to, const ward_failure_class *failure_class)
{
	tell(self, to, script_word("break", &(struct script_word){.breaks = failure_class}));
}

void script_tell_do(ward_self *self, ward_ref to, script_call *call, void *arg)
{
	tell(self, to, script_word("", &(struct script_word){.call = call, .arg = arg}));
}

int64_t script_words_left(void)
{
	return words_left;
}

/* ---- the actor --------------------------------------------------------------------------- */

struct script_args {
	struct script *script;
};
RAW_MESSAGE(script_args);

struct script *script_of(const ward_self *self)
{
	const struct script_args *args = ward_args(self);
	return args->script;
}

static void note_hook(ward_self *self, const char *what)
{
	journal_note("%s:%s", script_of(self)->name, what);
}

/* Counts the call, and fails it if a trap is set for it. */
static ward_result end_hook(ward_self *self, enum script_hook hook, ward_result result)
{
	struct script *script = script_of(self);
	uint32_t call = ++script->calls[hook];
	for (int i = 0; i < SCRIPT_TRAPS_MAX; i++) {
		const struct script_trap *trap = &script->traps[i];
		uint32_t last = trap->last != 0 ? trap->last : trap->first;
		if (trap->hook != hook || trap->first == 0 || call < trap->first || call > last)
			continue;
		const ward_failure_class *failure_class =
			trap->failure_class != NULL ? trap->failure_class : &ward_exception;
		if (trap->jumps)
			ward_fail(self, failure_class, "trap %u", call);
		return ward_failed(self, failure_class, "trap %u", call);
	}
	return result;
}

static ward_result actor_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	const struct script *script = ((const struct script_args *)args)->script;
	note_hook(self, "init");
	ward_result result = script->init != NULL ? script->init(self, script->arg) : WARD_DONE;
	return end_hook(self, SCRIPT_INIT, result);
}

static ward_result spawn_children(ward_self *self, const struct script *script)
{
	for (int i = 0; i < SCRIPT_CHILDREN_MAX && script->children[i] != NULL; i++) {
		struct script *child = script->children[i];
		if (!ward_ref_is_nobody(ward_child(self, child->name)))
			continue;
		ward_err err = script_spawn_child(self, child);
		if (err == WARD_OK && script->watches_children)
			err = ward_try_watch(self, child->ref);
		if (err != WARD_OK)
			return ward_failed(self, &ward_exception, "no child %s: %s", child->name,
					   ward_err_text(err));
	}
	return WARD_DONE;
}

static ward_result actor_pre_start(ward_self *self, void *state)
{
	(void)state;
	const struct script *script = script_of(self);
	note_hook(self, "pre_start");
	ward_result result =
		script->pre_start != NULL ? script->pre_start(self, script->arg) : WARD_DONE;
	if (result == WARD_DONE)
		result = spawn_children(self, script);
	return end_hook(self, SCRIPT_PRE_START, result);
}

static ward_result actor_post_stop(ward_self *self, void *state)
{
	(void)state;
	const struct script *script = script_of(self);
	note_hook(self, "post_stop");
	ward_result result =
		script->post_stop != NULL ? script->post_stop(self, script->arg) : WARD_DONE;
	return end_hook(self, SCRIPT_POST_STOP, result);
}

static ward_result actor_pre_restart(ward_self *self, void *state, const ward_failure *why,
				     const ward_msg *msg)
{
	(void)state;
	const struct script *script = script_of(self);
	note_hook(self, "pre_restart");
	ward_result result =
		script->pre_restart != NULL ? script->pre_restart(self, why, msg) : WARD_DONE;
	if (result == WARD_DONE && !script->keeps_children)
		result = ward_default_pre_restart(self);
	return end_hook(self, SCRIPT_PRE_RESTART, result);
}

static ward_result actor_post_restart(ward_self *self, void *state, const ward_failure *why)
{
	(void)state;
	const struct script *script = script_of(self);
	note_hook(self, "post_restart");
	ward_result result =
		script->post_restart != NULL ? script->post_restart(self, why) : WARD_DONE;
	if (result == WARD_DONE)
		result = ward_default_post_restart(self);
	return end_hook(self, SCRIPT_POST_RESTART, result);
}

static ward_result obey(ward_self *self, const struct script_word *word)
{
	if (word->text[0] != '\0')
		note_hook(self, word->text);
	if (word->call != NULL)
		return word->call(self, word->arg);
	if (word->breaks != NULL && word->jumps)
		ward_fail(self, word->breaks, "%s", word->text);
	if (word->breaks != NULL)
		return ward_failed(self, word->breaks, "%s", word->text);
	return WARD_DONE;
}

static ward_result actor_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_assert(msg != NULL);
	const struct script *script = script_of(self);
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	const struct ward_terminated *gone;

	ward_result result = script->receive != NULL ? script->receive(self, msg) : WARD_UNHANDLED;
	if (result != WARD_UNHANDLED) {
		/* handled */
	} else if (word != NULL) {
		result = obey(self, word);
	} else if ((gone = ward_match(msg, ward_terminated))) {
		journal_note("%s:gone %s", script->name, script_name(gone->who));
		result = WARD_DONE;
	}
	return end_hook(self, SCRIPT_RECEIVE, result);
}

ward_directive script_decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const struct script *script = script_of(self);
	journal_note("%s:decide %s", script->name, script_name(child));
	return script->decide != NULL ? script->decide(self, child, failure) : script->decides;
}

const ward_strategy script_one = {.decide = script_decide};
const ward_strategy script_all = {.scope = WARD_ALL_FOR_ONE, .decide = script_decide};

static const ward_behavior actor = {
	.name = "scripted",
	.args = &ward_type_script_args,
	.init = actor_init,
	.receive = actor_receive,
	.pre_start = actor_pre_start,
	.post_stop = actor_post_stop,
	.pre_restart = actor_pre_restart,
	.post_restart = actor_post_restart,
};

const ward_props *script_props(struct script *script)
{
	static struct script_args args;
	static ward_props props;
	args = (struct script_args){script};
	props = (ward_props){
		.behavior = &actor,
		.name = script->name,
		.args = {WARD_COPY(script_args, &args)},
		.mailbox = script->mailbox,
		.stash_max = script->stash_max,
		.child_strategy = script->strategy,
	};
	return &props;
}

ward_err script_spawn_child(ward_self *self, struct script *script)
{
	ward_err err = ward_try_spawn(self, script_props(script), &script->ref);
	if (err == WARD_OK)
		script_name_add(script->ref, script->name);
	return err;
}

/* ---- names ------------------------------------------------------------------------------- */

void script_name_add(ward_ref ref, const char *name)
{
	if (names_count == NAMES_MAX)
		ward_test_fail(__FILE__, __LINE__, "too many scripted actors");
	names[names_count].ref = ref;
	snprintf(names[names_count].name, NAME_MAX, "%s", name);
	names_count++;
}

static const char *name_of(ward_ref ref)
{
	for (size_t i = names_count; i-- > 0;) {
		if (ward_ref_equal(names[i].ref, ref))
			return names[i].name;
	}
	return NULL;
}

/* A guest of a kit with far children has the path of its stand-in, whose name is known. */
static const char *name_of_guest(ward_ref ref)
{
	char path[WARD_EVENT_PATH], own[WARD_EVENT_PATH];

	if (kit_of_names == NULL || ward_ref_is_nobody(ref))
		return NULL;
	ward_kit_path(kit_of_names, ref, path);
	ward_system_path(ward_kit_system(kit_of_names), ref, own, sizeof own);
	if (strcmp(path, own) == 0)
		return NULL;
	for (size_t i = names_count; i-- > 0;) {
		ward_kit_path(kit_of_names, names[i].ref, own);
		if (strcmp(path, own) == 0)
			return names[i].name;
	}
	return NULL;
}

const char *script_name(ward_ref ref)
{
	const char *name = name_of(ref);

	if (name == NULL)
		name = name_of_guest(ref);
	return name != NULL ? name : "?";
}

/* ---- in a kit ---------------------------------------------------------------------------- */

ward_kit *script_start(const ward_kit_options *options)
{
	journal_clear();
	names_count = 0;
	words_left = 0;
	kit_of_names = NULL;
	kit_of_names = ward_kit_start(options);
	return kit_of_names;
}

void script_finish(ward_kit *kit)
{
	ward_kit_finish(kit);
	if (kit == kit_of_names)
		kit_of_names = NULL;
	ward_assert_eq(words_left, 0);
}

void script_spawn(ward_kit *kit, struct script *script)
{
	script->ref = ward_kit_spawn_props(kit, script_props(script));
	script_name_add(script->ref, script->name);
	ward_kit_run(kit);
}

static void send(ward_kit *kit, ward_ref to, struct script_word word)
{
	ward_system_send(ward_kit_system(kit), to, &ward_type_script_word, &word, sizeof(word));
}

void script_say(ward_kit *kit, ward_ref to, const char *text)
{
	send(kit, to, script_word(text, &(struct script_word){0}));
}

void script_break(ward_kit *kit, ward_ref to, const ward_failure_class *failure_class)
{
	send(kit, to, script_word("break", &(struct script_word){.breaks = failure_class}));
}

void script_do(ward_kit *kit, ward_ref to, script_call *call, void *arg)
{
	send(kit, to, script_word("", &(struct script_word){.call = call, .arg = arg}));
}

bool script_break_at_once(ward_kit *kit, const ward_ref *siblings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		script_break(kit, siblings[i], &ward_exception);
		if (i == 0)
			ward_kit_run_until_state(kit, siblings[i], WARD_STATE_FAILED);
		else if (!ward_kit_step(kit) ||
			 ward_kit_state(kit, siblings[i]) != WARD_STATE_FAILED)
			return false;
	}
	return true;
}
