/* SPDX-License-Identifier: MIT
 *
 * test_prefetch.c - what a thread that takes a cell over is told to fetch: the mail that waits.
 */
#include "actor/ask.h"
#include "cell/table.h"
#include "send/deliver.h"
#include "support/script.h"
#include "turn/turn.h"

struct touched {
	const void *places[WARDI_TOUCHES];
};

static struct touched touched(ward_kit *kit, ward_ref ref)
{
	struct touched it = {{NULL}};

	wardi_cell_touches(
		&wardi_table_cell(ward_kit_system(kit), wardi_uid_slot(ref.uid))->runnable,
		it.places);
	return it;
}

WARD_TEST(one_without_mail_has_nothing_that_is_touched)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	for (int i = 0; i < 2; i++) {
		struct touched it = touched(kit, a.ref);

		ward_assert(it.places[0] == NULL);
		ward_assert(it.places[1] == NULL);
		ward_system_stop(ward_kit_system(kit), a.ref); /* a system message is no mail */
	}
	script_finish(kit);
}

WARD_TEST(message_that_waits_is_touched)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_say(kit, a.ref, "it");
	struct touched it = touched(kit, a.ref);
	const struct script_word *word = ward_msg_body(it.places[0], &ward_type_script_word);
	ward_assert(word != NULL);
	ward_assert_str(word->text, "it");
	ward_assert(it.places[1] == NULL);
	script_finish(kit);
}

WARD_TEST(answer_is_touched_with_its_envelope)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	struct wardi_source from = wardi_outside_source(system);
	struct script_word word = script_word("it", &(struct script_word){0});
	ward_reason reason;
	script_spawn(kit, &a);
	struct ward_msg *answer = wardi_msg_make(from, &ward_type_script_word, &word, sizeof word);
	struct ward_msg *envelope =
		answer == NULL ? NULL : wardi_answer_wrap(from, a.ref, a.ref, answer);
	ward_assert(envelope != NULL);
	ward_assert_ok(wardi_deliver(system, NULL, a.ref, envelope, &reason));
	struct touched it = touched(kit, a.ref);
	ward_assert(it.places[0] == envelope);
	ward_assert(it.places[1] == answer);
	script_finish(kit);
}

WARD_TEST_MAIN
