/* SPDX-License-Identifier: MIT
 *
 * chapter_12.h - what chapter 12 leaves out: a camera, and its uploader.
 */
#include <ward/exponential.h>
#include <ward/ward.h>

extern const ward_behavior uploader;

enum { AGAIN = 1 };
WARD_SIGNAL(again);
struct photo {
	uint64_t number;
};
WARD_MESSAGE(photo);

bool number_of_photo(const ward_msg *msg, uint64_t *ret_id);

static const struct photo *photo;
static struct camera {
	ward_ref archive;
	ward_exponential wait;
} * me;
