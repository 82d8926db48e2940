/* SPDX-License-Identifier: MIT
 *
 * text.h - short texts of bounded length.
 */
#ifndef WARDI_TEXT_H
#define WARDI_TEXT_H

#include <stddef.h>

/* Copies the text into to[max], cut to fit. */
void wardi_text_copy(char *to, size_t max, const char *text);

#endif
