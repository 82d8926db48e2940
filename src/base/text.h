/* SPDX-License-Identifier: MIT
 *
 * text.h - short texts of bounded length, each of them one line; see ward/text.h.
 */
#ifndef WARDI_TEXT_H
#define WARDI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <ward/text.h>

/* Copies the text into to[max] as one line, cut to fit. */
void wardi_text_copy(char *to, size_t max, const char *text);
/* Whether it is a line of ASCII already. O(length), eight bytes at a time. */
bool wardi_text_is_plain(const char *text, size_t length);

#endif
