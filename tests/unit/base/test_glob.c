/* SPDX-License-Identifier: MIT
 *
 * test_glob.c - patterns match what they say, in time that does not explode.
 *
 * Method: a table; then all short patterns and texts against a definition by recursion.
 */
#include <string.h>

#include <ward/testkit.h>

#include "base/glob.h"

WARD_TEST(pattern_matches_whole_names, "S58")
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} rows[] = {
		{"", "", true},           {"", "a", false},           {"a", "", false},
		{"*", "", true},          {"*", "anything", true},    {"?", "", false},
		{"?", "a", true},         {"?", "ab", false},         {"w-*", "w-", true},
		{"w-*", "w-12", true},    {"w-*", "xw-1", false},     {"*-1", "w-1", true},
		{"*-1", "w-12", false},   {"w?1", "w-1", true},       {"w?1", "w1", false},
		{"a*b*c", "aXbYc", true}, {"a*b*c", "aXbYcZ", false}, {"a**c", "abc", true},
		{"*?", "", false},        {"?*", "ab", true},         {"*a", "baa", true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ward_assert_eq(wardi_glob_matches(rows[i].pattern, rows[i].text), rows[i].matches);
	ward_assert(wardi_is_pattern("a*"));
	ward_assert(wardi_is_pattern("?a"));
	ward_assert(!wardi_is_pattern("$a.b"));
}

static bool by_definition(const char *pattern, const char *text)
{
	if (*pattern == '\0')
		return *text == '\0';
	if (*pattern == '*')
		return by_definition(pattern + 1, text) ||
		       (*text != '\0' && by_definition(pattern, text + 1));
	return *text != '\0' && (*pattern == '?' || *pattern == *text) &&
	       by_definition(pattern + 1, text + 1);
}

/* The number-th text over these letters: "" for 0. */
static const char *text_of(unsigned number, const char *letters, char text[16])
{
	unsigned base = (unsigned)strlen(letters);
	size_t at = 0;

	for (; number > 0; number = (number - 1) / base)
		text[at++] = letters[(number - 1) % base];
	text[at] = '\0';
	return text;
}

WARD_TEST(pattern_agrees_with_its_definition, "S58")
{
	enum { PATTERNS = 1365, TEXTS = 127 }; /* all up to 5 and up to 6 letters */
	char pattern[16], text[16];
	int matches = 0;

	for (unsigned p = 0; p < PATTERNS; p++) {
		for (unsigned t = 0; t < TEXTS; t++) {
			text_of(p, "ab*?", pattern);
			text_of(t, "ab", text);
			bool wanted = by_definition(pattern, text);
			if (wardi_glob_matches(pattern, text) != wanted)
				ward_test_fail(__FILE__, __LINE__, "\"%s\" and \"%s\"", pattern,
					       text);
			matches += wanted;
		}
	}
	ward_assert(matches > 1000 && matches < PATTERNS * TEXTS);
}

WARD_TEST(pattern_with_many_stars_takes_no_time, "S58")
{
	/* by recursion over each star this would outlast the machine */
	static char text[1025], pattern[256];

	memset(text, 'a', 1024);
	for (int i = 0; i < 100; i++)
		strcat(pattern, "a*");
	strcat(pattern, "b");
	ward_assert(!wardi_glob_matches("a*a*a*a*b", text));
	ward_assert(!wardi_glob_matches(pattern, text));
	text[1023] = 'b';
	ward_assert(wardi_glob_matches(pattern, text));
}

WARD_TEST_MAIN
