/* SPDX-License-Identifier: MIT
 *
 * message_that_owns.cc - in C++, a message whose struct is more than its bytes.
 *
 * refused: always
 * gcc: a message is copied as bytes, so its struct must be trivially copyable
 * clang: a message is copied as bytes, so its struct must be trivially copyable
 */
#include <string>

#include <ward/ward.h>

struct letter {
#ifdef CORRECT
	const char *text;
#else
	std::string text;
#endif
};
WARD_MESSAGE(letter);
