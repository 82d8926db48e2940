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
/* Returns how many bytes the first character has, and its code; 0: they are not well-formed. There
 * is one byte at least. */
size_t wardi_text_decode(const char *text, size_t left, uint32_t *ret_code);
/* False: a control, a separator of lines, or what turns the direction of the characters behind
 * it. */
bool wardi_text_is_visible(uint32_t code);
/* Whether it is a line of ASCII already. O(length), eight bytes at a time. */
bool wardi_text_is_plain(const char *text, size_t length);

#endif
