/* SPDX-License-Identifier: MIT
 *
 * body_that_owns.cc - in C++, a plain send of a body that is more than its bytes.
 *
 * refused: always
 * gcc: a message is copied as bytes, so its struct must be trivially copyable
 * clang: a message is copied as bytes, so its struct must be trivially copyable
 */
#include <ward/ward.h>

struct letter {
	int number;
#ifndef CORRECT
	~letter()
	{
	}
#endif
};
static ward_type letter_type();

static ward_type letter_type()
{
	ward_type type = {};
	type.name = "letter";
	type.size = sizeof(letter);
	return type;
}

void post(ward_self *self, ward_ref to);

void post(ward_self *self, ward_ref to)
{
	static const ward_type type = letter_type();
	letter body = {};

	ward_send(self, to, &type, &body, sizeof body);
}
