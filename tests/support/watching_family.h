/* SPDX-License-Identifier: MIT
 *
 * watching_family.h - actors that watch, for the tests of the watch and of the watcher.
 */
#ifndef SUPPORT_WATCHING_FAMILY_H
#define SUPPORT_WATCHING_FAMILY_H

#include "support/family_tree.h"

enum { ROUNDS = 40 };

WARD_UNUSED static const ward_failure_class bad_luck = {.name = "bad_luck",
							.parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_luck);

static inline void stop_and_run(struct family *f, const struct script *who)
{
	ward_system_stop(ward_kit_system(f->kit), who->ref);
	ward_kit_run(f->kit);
}

static inline void do_and_run(struct family *f, const struct script *who, script_call *call,
			      void *arg)
{
	script_do(f->kit, who->ref, call, arg);
	ward_kit_run(f->kit);
}

static inline ward_result watch_arg(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_watch(self, ((struct script *)arg)->ref));
	return WARD_DONE;
}

static inline ward_err watch_with_word(ward_self *self, ward_ref who, const char *text)
{
	struct script_word word = script_word(text, &(struct script_word){0});
	return ward_try_watch_with_send(self, who, &ward_type_script_word, &word, sizeof(word));
}

static inline ward_result watch_arg_with(ward_self *self, void *arg)
{
	ward_assert_ok(watch_with_word(self, ((struct script *)arg)->ref, "lost"));
	return WARD_DONE;
}

#endif
