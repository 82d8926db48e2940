/* SPDX-License-Identifier: MIT
 *
 * object.h - the active objects that the mistakes are made with.
 */
#include <ward/akka_zero.h>

#include "common.h"

struct iban {
	char text[34];
};

#define ACCOUNT(TELL, ASK)                                                                         \
	TELL(account, deposit, (int64_t, cents))                                                   \
	ASK(account, balance, int64_t)
WARD_OBJECT(account, ACCOUNT);

#define JOURNAL(TELL, ASK) TELL(journal, write, (int64_t, number))
WARD_OBJECT(journal, JOURNAL);
