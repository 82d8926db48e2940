/* SPDX-License-Identifier: MIT
 *
 * common.h - the messages and the behaviour that the mistakes are made with.
 */
#include <ward/ward.h>

struct note {
	int number;
};
WARD_MESSAGE(note);

struct question {
	int number;
};
WARD_MESSAGE(question);

struct answer {
	int number;
};
WARD_MESSAGE(answer);
WARD_REPLY(question, answer);

static const ward_failure_class broken = {.name = "broken", .parent = &ward_exception};
