/* SPDX-License-Identifier: MIT
 *
 * chapter_05.h - what chapter 5 leaves out: the rest of a telephone line.
 */
#include <stdio.h>

#include <ward/ward.h>

enum { IDLE_MS = 50 };
struct say {
	char text[24];
};
WARD_MESSAGE(say);

void dial(ward_self *self);
ward_result line_dialling(ward_self *self, void *state, const ward_msg *msg);
ward_result line_open(ward_self *self, void *state, const ward_msg *msg);
