/* SPDX-License-Identifier: MIT
 *
 * suggest.h - suggestions: the known word that is nearest to an unknown word.
 */
#ifndef WARDI_CONFIG_SUGGEST_H
#define WARDI_CONFIG_SUGGEST_H

#include <ward/config.h>

struct wardi_config_words;

/** Writes `did you mean "x"?`, or which words there are: "allowed here: a, b". */
void wardi_config_suggest(const struct wardi_config_words *words, const char *word,
			  const char *may_be, char *text, size_t max);

/** Adds a word. Without memory the word is left out, and the config notes it. */
void wardi_config_word(ward_config *config, struct wardi_config_words *words, const char *word);

#endif
