/* SPDX-License-Identifier: MIT
 *
 * account.h - the calls of an account and of a journal.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <ward/akka_zero.h>
#include <ward/ward.h>

#define ACCOUNT(TELL, ASK)                                                                         \
	TELL(account, deposit, (int64_t, cents))                                                   \
	ASK(account, withdraw, int64_t, (int64_t, cents))                                          \
	ASK(account, balance, int64_t)                                                             \
	TELL(account, clean_up)                                                                    \
	TELL(account, begin_again)
WARD_OBJECT(account, ACCOUNT);

#define JOURNAL(TELL, ASK)                                                                         \
	TELL(journal, note, (int64_t, cents))                                                      \
	ASK(journal, count, uint32_t)
WARD_OBJECT(journal, JOURNAL);

#endif
