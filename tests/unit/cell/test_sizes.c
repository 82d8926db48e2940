/* SPDX-License-Identifier: MIT
 *
 * test_sizes.c - the tables of docs/internals/memory.md say what the sources do.
 *
 * Method: a segment is made of the sizes and offsets of this build, and looked for in the document.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/testkit.h>

#include "actor/ask.h"
#include "actor/rare.h"
#include "actor/selecting.h"
#include "base/pool.h"
#include "cell/cell.h"
#include "mail/message.h"

static char *document;

static void read_document(void)
{
	const char *path = WARD_SOURCE_ROOT "/docs/internals/memory.md";
	FILE *file = fopen(path, "re");
	size_t max = 64 * 1024;

	ward_assert(file != NULL);
	document = calloc(1, max);
	ward_assert(document != NULL);
	ward_assert(fread(document, 1, max - 1, file) > 0);
	ward_assert(feof(file));
	fclose(file);
}

/* A line that begins so. */
static void expect(const char *begin)
{
	char line[200];

	snprintf(line, sizeof line, "\n%s", begin);
	if (strstr(document, line) == NULL)
		ward_test_fail(__FILE__, __LINE__, "no line of memory.md begins \"%s\"", begin);
}

static void expect_part(size_t from, size_t to, const char *what)
{
	char line[160];

	snprintf(line, sizeof line, "| %zu | %zu | %s", from, to - from, what);
	expect(line);
}

WARD_TEST(sizes_of_the_parts_of_a_cell_are_those_of_the_document)
{
#define AT(member) offsetof(struct wardi_cell, member)
	read_document();
	expect_part(0, AT(mailbox), "the link of the run queue, the dispatcher |");
	expect_part(AT(mailbox), AT(open_gen), "the mailbox, its front: ");
	expect_part(AT(open_gen), AT(incarnation), "`open_gen`, ");
	expect_part(AT(incarnation), AT(command_node), "incarnation |");
	expect_part(AT(command_node), AT(behavior), "three system messages |");
	expect_part(AT(behavior), AT(suspended), "behaviour, rare record |");
	expect_part(AT(suspended), AT(uid), "counters that hold mail back, ");
	expect_part(AT(uid), AT(mailbox.tail), "uid, `receive`, state |");
	expect_part(AT(mailbox.tail), AT(end) - 1, "the mailbox, its back: ");
	expect_part(AT(end) - 1, AT(watchers), "flags, restarts |");
	expect_part(AT(watchers), AT(commands), "the watchers, the last failure ");
	expect_part(AT(commands), AT(parent), "the command slot |");
	expect_part(AT(parent), sizeof(struct wardi_cell), "parent, birth, entry, siblings |");
#undef AT
	char line[80];
	snprintf(line, sizeof line, "| its cell | %zu | always |", sizeof(struct wardi_cell));
	expect(line);
	free(document);
}

WARD_TEST(sizes_of_the_parts_of_a_message_are_those_of_the_document)
{
	static const enum wardi_block_class blocks[] = {WARDI_BLOCK_48, WARDI_BLOCK_80,
							WARDI_BLOCK_144};
	const size_t body = offsetof(struct ward_msg, body);
	char line[160];

	read_document();
#define AT(member) offsetof(struct ward_msg, member)
	expect_part(AT(next), AT(type), "the link to the next one ");
	expect_part(AT(type), AT(sender_uid), "its type; ");
	expect_part(AT(sender_uid), AT(target_gen), "the sender: ");
	expect_part(AT(target_gen), body, "the generation of the receiver ");
#undef AT
	snprintf(line, sizeof line, "| %zu | | the body |", body);
	expect(line);
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
		size_t size = wardi_block_size(blocks[i]);

		snprintf(line, sizeof line, "| up to %zu bytes | %zu |", size - body, size);
		expect(line);
	}
	snprintf(line, sizeof line,
		 "| larger, or of varying size | %zu, and the body outside: "
		 "its bytes and %zu, in a block of up to %zu or an allocation of its own |",
		 wardi_block_size(WARDI_BLOCK_48), offsetof(struct wardi_body, bytes),
		 wardi_block_size(WARDI_BLOCK_4160));
	expect(line);
	free(document);
}

WARD_TEST(sizes_of_records_outside_the_cell_are_those_of_the_document)
{
	static const struct {
		const char *name;
		size_t size;
		const char *more;
	} records[] = {
		{"wardi_entry", offsetof(struct wardi_entry, name), " and the name |"},
		{"wardi_rare", sizeof(struct wardi_rare), " |"},
		{"wardi_children", sizeof(struct wardi_children), " |"},
		{"wardi_extra", sizeof(struct wardi_extra), " |"},
		{"wardi_selecting", sizeof(struct wardi_selecting), " |"},
	};

	read_document();
	for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
		char line[80];

		snprintf(line, sizeof line, "| `%s` | %zu%s", records[i].name, records[i].size,
			 records[i].more);
		expect(line);
	}
	free(document);
}

WARD_TEST_MAIN
