/* SPDX-License-Identifier: MIT
 *
 * suggest.h - what was meant: the word that is nearest to one that is not there.
 */
#ifndef WARDI_CONFIG_SUGGEST_H
#define WARDI_CONFIG_SUGGEST_H

#include <ward/config.h>

struct wardi_config_words;

/** Writes `did you mean "x"?`, or which words there are: "here may be: a, b". */
void wardi_config_suggest(const struct wardi_config_words *words, const char *word,
			  const char *may_be, char *text, size_t max);

/** Adds one; what finds no memory is noted in the config and left out. */
void wardi_config_word(ward_config *config, struct wardi_config_words *words, const char *word);

#endif
