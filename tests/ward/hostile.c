/* SPDX-License-Identifier: MIT
 *
 * hostile.c - hostile SEED: prints its input with what steers a terminal at some places of it, and
 * hostile: checks that each line of its input is one, with nothing of that in it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/line_check.h"

enum { TEXT_MAX = 1 << 20, EACH = 40 /* so many bytes, about, between two places */ };

static const char *const pieces[] = {
	"\x1b[2J",
	"\x1b]0;x\x07",
	("\xc2\x9b"
	 "2J"),
	"\x9b",
	"\r",
	"\x7f",
	"\xe2\x80\xae",
	"\xe2\x81\xa6",
	"\xe2\x80\xa8",
	"\xf0\x9f",
	"\xff",
	"\b\b\b",
	"\xe2\x82\xac",
	"\x0e",
	"\xc2\x85",
};

static void print_mutated(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (lrand48() % EACH == 0)
			fputs(pieces[(size_t)lrand48() % (sizeof(pieces) / sizeof(pieces[0]))],
			      stdout);
		putchar(text[i]);
	}
}

static int check(char *text, size_t length)
{
	if (strlen(text) != length) {
		puts("a byte of 0");
		return 1;
	}
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (!is_line(line)) {
			puts("a line that steers the terminal");
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	static char text[TEXT_MAX];
	size_t length = fread(text, 1, sizeof(text) - 1, stdin);

	if (argc < 2)
		return check(text, length);
	srand48(strtol(argv[1], NULL, 10));
	print_mutated(text, length);
	return 0;
}
