/* SPDX-License-Identifier: MIT
 *
 * chapter_15.h - what chapter 15 leaves out: the rest of two classes.
 */
#include <inttypes.h>

#include <ward/akka_zero.h>
#include <ward/ward.h>

extern const ward_failure_class overdrawn;
extern const ward_object_class journal_class;

struct account;
static ward_result account_do_deposit(ward_self *self, struct account *me, int64_t cents)
{
	return WARD_DONE;
}
static ward_result account_do_balance(ward_self *self, struct account *me, int64_t *ret_cents)
{
	return WARD_DONE;
}
ward_result account_create(ward_self *self, void *object, const void *args);
ward_result account_destroy(ward_self *self, void *object);
ward_result call_deposit(ward_self *self, void *object, const void *args, void *ret_answer);
ward_result call_balance(ward_self *self, void *object, const void *args, void *ret_answer);
