/* SPDX-License-Identifier: MIT
 *
 * from_rust.h - what the page for those who come from Rust leaves out.
 */
#include <inttypes.h>
#include <stdio.h>

#include <ward/ward.h>

WARD_SIGNAL(begin);
struct frame {
	size_t size;
};
WARD_MESSAGE(frame);
struct teller {
	ward_ref account;
};
struct reader {
	FILE *rows;
};
