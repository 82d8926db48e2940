/* SPDX-License-Identifier: MIT
 *
 * chapter_24.h - what chapter 24 leaves out around its pieces.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>

#include <ward/net.h>
#include <ward/net/sim.h>
#include <ward/testkit.h>

extern const ward_behavior client;
static ward_kit *kit;

struct session;
static struct session *me;
static uint64_t length;
static const char *path;
static ward_ref worker;
static struct page {
	const void *bytes;
	size_t size;
} * page;
static void page_release(void *arg) WARD_NOEXCEPT
{
	(void)arg;
}
struct proxy {
	ward_stream *client, *server;
};
struct price_of {
	int article;
};
WARD_MESSAGE_FLAT(price_of);
struct price {
	int cents;
};
WARD_MESSAGE_FLAT(price);
static ward_ref shop;
