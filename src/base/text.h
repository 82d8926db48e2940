/* SPDX-License-Identifier: MIT
 *
 * text.h - short texts of bounded length, each of them one line; see ward/text.h.
 */
#ifndef WARDI_TEXT_H
#define WARDI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ward/text.h>

/* Copies the text into to[max] as one line, cut to fit. */
void wardi_text_copy(char *to, size_t max, const char *text);
/* Returns the length of the first character in bytes, and its code; 0: malformed. `left` is at
 * least 1. */
size_t wardi_text_decode(const char *text, size_t left, uint32_t *ret_code);
/* False: a control character, a line separator, or a character that changes the direction of
 * text. */
bool wardi_text_is_visible(uint32_t code);
/* Whether the text is one line of plain ASCII. O(length), eight bytes at a time. */
bool wardi_text_is_plain(const char *text, size_t length);

#endif
