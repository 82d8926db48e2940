/* SPDX-License-Identifier: MIT
 *
 * suggest.c - suggestions: the known word that is nearest to an unknown word.
 *
 * The distance is the number of letters to insert, delete, change or swap with the next one; case
 * is ignored, and '-' equals '_'. A word that starts with the given word is near, too: "restarts"
 * for "restarts-max"; and one that is near behind its dot: "blocking" for "ward.blocking".
 *
 * Threads: as the config.
 */
#include "config/read/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/read/blocks.h"
#include "config/read/reader.h"

enum { LETTERS_MAX = 48, PREFIX_MIN = 3 };

void wardi_config_word(ward_config *config, struct wardi_config_words *words, const char *word)
{
	if (config->errors >= WARD_CONFIG_ERRORS_MAX)
		return; /* nobody will read them */
	if (words->count == words->room) {
		size_t room = words->room == 0 ? 16 : 2 * words->room;
		const char **more = wardi_config_make(config, room * sizeof *more);

		if (more == NULL)
			return;
		if (words->count > 0)
			memcpy(more, words->words, words->count * sizeof *more);
		words->words = more;
		words->room = room;
	}
	words->words[words->count++] = word;
}

static char plain(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '_' ? '-' : c;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Three rows of the usual table: of this letter of `a`, the one before, and the one before that. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][LETTERS_MAX + 1];
	size_t a_length = strlen(a), b_length = strlen(b);

	if (a_length > LETTERS_MAX || b_length > LETTERS_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *row = rows[i % 3], *before = rows[(i + 2) % 3];
		const size_t *second = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			bool same = plain(a[i - 1]) == plain(b[j - 1]);

			row[j] = least(least(row[j - 1], before[j]) + 1, before[j - 1] + !same);
			if (i > 1 && j > 1 && plain(a[i - 1]) == plain(b[j - 2]) &&
			    plain(a[i - 2]) == plain(b[j - 1]))
				row[j] = least(row[j], second[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

static bool begins(const char *word, const char *with)
{
	size_t length = 0;

	while (with[length] != '\0' && plain(word[length]) == plain(with[length]))
		length++;
	return with[length] == '\0' && length >= PREFIX_MIN;
}

/* "blocking" of "ward.blocking". */
static const char *last_part(const char *word)
{
	const char *dot = strrchr(word, '.');

	return dot != NULL ? dot + 1 : word;
}

static const char *nearest(const struct wardi_config_words *words, const char *word)
{
	size_t best = strlen(word) / 3 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < words->count; i++) {
		size_t far = least(distance(words->words[i], word),
				   distance(last_part(words->words[i]), word));

		if (far < best) {
			best = far;
			found = words->words[i];
		}
	}
	for (size_t i = 0; found == NULL && i < words->count; i++)
		if (begins(words->words[i], word) || begins(word, words->words[i]))
			found = words->words[i];
	return found;
}

void wardi_config_suggest(const struct wardi_config_words *words, const char *word,
			  const char *may_be, char *text, size_t max)
{
	const char *found = nearest(words, word);
	size_t at;

	if (found != NULL) {
		snprintf(text, max, "did you mean \"%s\"?", found);
		return;
	}
	at = (size_t)snprintf(text, max, "%s: ", words->count > 0 ? may_be : "there are none");
	if (words->count == 0)
		text[strlen(text) - 2] = '\0';
	for (size_t i = 0; i < words->count; i++) {
		if (at + strlen(words->words[i]) + sizeof ", ..." > max) {
			snprintf(text + at, max - at, "%s", "...");
			return;
		}
		at += (size_t)snprintf(text + at, max - at, "%s%s", words->words[i],
				       i + 1 < words->count ? ", " : "");
	}
}
