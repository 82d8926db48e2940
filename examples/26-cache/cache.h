/* SPDX-License-Identifier: MIT
 *
 * cache.h - what a cache understands.
 */
#ifndef CACHE_H
#define CACHE_H

#include <ward/ward.h>

enum { KEY_TEXT = 16, CACHE_SLOTS = 4 };

struct put {
	char key[KEY_TEXT];
	int value;
	int64_t ttl_ms; /* the entry expires after this time */
};
WARD_MESSAGE_FLAT(put);
WARD_SIGNAL(stored);
WARD_REPLY(put, stored);

struct get {
	char key[KEY_TEXT];
};
WARD_MESSAGE_FLAT(get);
struct entry {
	bool found;
	int value;
};
WARD_MESSAGE_FLAT(entry);
WARD_REPLY(get, entry);

extern const ward_behavior cache;

#endif
