/* SPDX-License-Identifier: MIT
 *
 * shop.h - a module for tests of files: behaviours that note what happens to them, with arguments
 * of all types.
 */
#ifndef TESTS_CONFIG_SHOP_H
#define TESTS_CONFIG_SHOP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/config.h>
#include <ward/testkit.h>
#include <ward/ward.h>

/* Of a "till". */
struct till_args {
	bool open;
	int8_t small;
	int32_t number;
	uint16_t port;
	uint64_t large;
	double factor;
	const char *drawer;
	char label[8];
	const char *const *papers;
	int64_t wait_ms;
	size_t bytes;
	int colour;
	uint32_t colours;
	ward_ref journal;
	ward_ref other;
	const ward_strategy *strategy;
	struct {
		uint32_t deep;
		const char *text;
		ward_ref back;
	} nested;
};
extern const struct till_args till_defaults;

/* Of a "house", which starts the children that the file gives it. */
struct house_args {
	const ward_config_children *children;
	bool forgets; /* to start them */
	bool brief;   /* ends with its first message, which it sends itself */
};

extern const ward_failure_class jammed, torn;
extern const ward_config_module shop, shed;
extern const ward_config_module *const shops[];

/* What has happened: "journal+ till+ till-", '+' for pre_start and '-' for post_stop. */
extern char shop_log[2048];
/* Returns the log and empties it. */
const char *shop_seen(void);
/* The arguments of the till that started last. */
extern struct till_args shop_till;
/* What the modules refuse to start with, or WARD_OK. */
extern ward_err shop_refuses;
extern bool shop_has_no_words; /* it refuses with errno alone */

/* Messages: fails with that class; answers the arguments of a till. */
struct fail_with {
	const ward_failure_class *failure_class;
};
WARD_MESSAGE(fail_with);
struct note {
	char text[16];
};
WARD_MESSAGE_FLAT(note);

/* Opens and checks a text against `shops`; what is wrong is noted, a line each. */
struct told {
	char text[65536];
	size_t count;
};
ward_err shop_load(const char *text, struct told *told, ward_config **ret_config);
/* The same for one that must be right. */
ward_config *shop_good(const char *text);
/* The same for one that must be wrong: all that is told must be `wanted`, lines without the end. */
void shop_wrong(const char *text, const char *wanted);

/* A kit with the options of the config. */
ward_kit *shop_kit(ward_config *config);
/* The ref of the actor at a path, or nobody. */
ward_ref shop_at(ward_kit *kit, const char *path);

#endif
