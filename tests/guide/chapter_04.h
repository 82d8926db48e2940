/* SPDX-License-Identifier: MIT
 *
 * chapter_04.h - what chapter 4 leaves out: a clerk, a bank, and another framework.
 */
#include <ward/testkit.h>

extern const ward_failure_class nonsense;
extern const ward_behavior clerk;

struct fetch {
	int key;
};
WARD_MESSAGE_FLAT(fetch);
struct found {
	int key, value;
};
WARD_MESSAGE_FLAT(found);
WARD_SIGNAL(unreachable);
struct clerk_args {
	ward_ref store;
};
WARD_MESSAGE(clerk_args);
struct clerk {
	int asked;
};
struct books {
	int amount;
};

bool all_have_receipts(void *books);
bool receipts_are_true(void *books);
void ck_abort_msg(const char *text, ...);

static ward_kit *kit;
static ward_probe *store;
static ward_ref it;
