/* SPDX-License-Identifier: MIT
 *
 * shown.h - what the examples of headers and of manual pages leave out, beside headers.h.
 *
 * SHOWN_NAME is defined for the file that is compiled. Names that headers.h has for something else
 * are renamed there.
 */
#if defined SHOWN_exponential || defined SHOWN_text
#define line others_line
#endif
#ifdef SHOWN_delivery
#define store others_store
#endif
#ifdef SHOWN_link
#define worker others_worker
#endif
#define me others_me
#include "headers.h"
#undef line
#undef store
#undef worker
#undef me

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ward/bridge.h>
#include <ward/delivery.h>
#include <ward/extend.h>
#include <ward/object.h>
#include <ward/testkit.h>
#include <ward/text.h>

static struct {
	bool connected;
	int fd;
#ifdef SHOWN_event
	size_t count;
#else
	int count;
#endif
	const char *journal, *host, *standby;
	struct ward_breaker breaker;
	struct ward_retry retry;
	struct ward_fsm fsm;
	struct ward_zero_links links;
	struct ward_delivery out;
	ward_stream *peer;
	ward_exponential wait;
} * me;

/* Failures that examples name. */
static const ward_failure_class disk_gone = {.name = "disk_gone", .parent = &ward_error};
static const ward_failure_class jammed = {.name = "jammed", .parent = &ward_exception};
static const ward_failure_class no_plan = {.name = "no_plan", .parent = &ward_exception};
static const ward_failure_class out_of_paper = {.name = "out_of_paper", .parent = &jammed};
static const ward_failure_class paper_jam = {.name = "paper_jam", .parent = &jammed};

static const char *name, *host;
static unsigned count;

struct page {
	int number;
};
WARD_MESSAGE(page);
WARD_SIGNAL(break_down);

#ifdef SHOWN_bridge
struct pool {
	int threads;
};
ward_result pool_start(ward_self *self, void *state, const void *args, ward_bridge *bridge);
ward_result pool_stop(ward_self *self, void *state, const ward_exit_reason *reason, bool dead);
ward_result pool_submit(ward_self *self, void *state, const ward_msg *msg);
static ward_bridge *bridge;
#endif

#ifdef SHOWN_config
#include <ward/config.h>
extern const ward_config_module shop_module;
static const ward_config_behavior behaviors[1];
static ward_config *config;
#endif

#ifdef SHOWN_delivery
struct order {
	uint64_t id;
};
WARD_MESSAGE(order);
static const struct order *order;
static const ward_delivery_options options;
static ward_ref store;
#endif

#ifdef SHOWN_extend
struct crew {
	ward_strategy strategy;
};
#endif

#ifdef SHOWN_kit
static ward_ref one;
static ward_result lose_the_key(ward_self *self, void *state, void *arg)
{
	(void)self, (void)state, (void)arg;
	return WARD_DONE;
}
#endif

#ifdef SHOWN_link
static ward_ref worker;
#endif

#ifdef SHOWN_message
struct clerk {
	int desk;
};
WARD_MESSAGE(clerk);
static const struct clerk options;
#endif

#if defined SHOWN_object || defined SHOWN_otp || defined SHOWN_zero_factory
enum { DEPOSIT, BALANCE_OF };
struct account {
	int64_t cents;
};
ward_result account_deposit(ward_self *self, void *object, const void *args, void *ret_answer);
ward_result account_balance(ward_self *self, void *object, const void *args, void *ret_answer);
ward_result account_create(ward_self *self, void *object, const void *args);
extern const ward_object_class journal;
static ward_objects *objects;
static ward_object acc;
static int64_t cents;
#endif

#ifdef SHOWN_stream
struct proxy {
	ward_stream *client, *server;
};
#endif

#ifdef SHOWN_text
static char line[256];
#endif

#ifdef SHOWN_ward_otp
struct call_args {
	int number;
};
WARD_MESSAGE(call_args);
extern const ward_behavior call;
#endif

#ifdef SHOWN_watch
static const struct ward_terminated *gone;
#endif

/* Of tests. */
struct hello {
	const char *name;
};
WARD_MESSAGE(hello);
#ifndef SHOWN_codec
struct deposit {
	int account, cents;
};
WARD_MESSAGE(deposit);
#endif
extern const ward_behavior greeter, bank_behavior;
static ward_kit *kit;
static ward_ref clerk;
static ward_stats stats;
static ward_props props;
static ward_ref ref;
static struct books {
	int deposits;
} books;
bool books_balance(void *arg);
int handled(void);
void framework_fail(const char *file, int line, const char *text);
