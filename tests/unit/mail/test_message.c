/* SPDX-License-Identifier: MIT
 *
 * test_message.c - messages in memory: what fits a type, and what becomes of what a body owns.
 *
 * Method: messages from a pool of its own, which must be empty at the end. A body owns by its
 * number: how many were cloned and dropped is counted.
 */
#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/testkit.h>

#include "base/memory.h"
#include "mail/auto_received.h"
#include "mail/message.h"
#include "turn/auto_receive.h"

struct desk {
	struct wardi_alloc alloc;
	struct wardi_pool pool;
	struct wardi_source from;
};

static int cloned, dropped;

static void drop(void *body)
{
	ward_assert_eq(*(unsigned char *)body, 7);
	dropped++;
}

static ward_err clone_odd(void *to, const void *from)
{
	ward_assert(memcmp(to, from, 1) == 0);
	cloned++;
	return *(const unsigned char *)from % 2 == 1 ? WARD_OK : WARD_ENOMEM;
}

static int64_t allocations;

static void *counted_alloc(void *arg, size_t size)
{
	(void)arg;
	allocations++;
	return malloc(size);
}

static void counted_free(void *arg, void *block, size_t size)
{
	(void)arg;
	(void)size;
	free(block);
}

enum { SMALL = 8, LARGE = 500 };
static const ward_type plain = {.name = "plain", .size = SMALL};
static const ward_type large = {.name = "large", .size = LARGE};
static const ward_type moved = {.name = "moved", .size = SMALL, .drop = drop};
static const ward_type copied = {.name = "copied", .size = SMALL, .drop = drop, .clone = clone_odd};
static const ward_type copied_large = {
	.name = "copied", .size = LARGE, .drop = drop, .clone = clone_odd};
static const ward_type varying = {.name = "varying", .size = 0, .size_max = LARGE};

static void open_desk(struct desk *desk)
{
	memset(desk, 0, sizeof(*desk));
	wardi_alloc_init(&desk->alloc, NULL, true);
	wardi_pool_init(&desk->pool, &desk->alloc);
	desk->pool.counts_owners = true;
	desk->from = (struct wardi_source){&desk->pool, NULL};
	cloned = dropped = 0;
}

static void close_desk(struct desk *desk)
{
	ward_assert_eq(desk->pool.owners, 0);
	ward_assert_eq(desk->alloc.blocks, 0);
	wardi_pool_finish(&desk->pool);
}

/* A body of that first byte. */
static struct ward_msg *make(struct desk *desk, const ward_type *type, unsigned char first)
{
	unsigned char body[LARGE] = {first};
	struct ward_msg *msg = wardi_msg_make(desk->from, type, body, type->size);

	ward_assert(msg != NULL);
	msg->sender_uid = 11;
	wardi_msg_set_sender_place(msg, 22);
	return msg;
}

/* The names, sizes and layouts of two types, of all that differ early, late, or not at all. */
WARD_TEST(a_match_in_the_program_says_what_the_library_says)
{
	static const char *const names[] = {"", "a", "b", "ab", "ac", "abc", "abd", "abcd"};
	enum { NAMES = sizeof names / sizeof *names, TYPES = NAMES * 4 };
	ward_type types[TYPES], twins[TYPES];
	struct desk desk;

	open_desk(&desk);
	for (uint32_t i = 0; i < TYPES; i++)
		twins[i] = types[i] = (ward_type){.name = names[i % NAMES],
						  .size = 4 + i / NAMES % 2,
						  .layout = i / NAMES / 2 << 16};
	for (int i = 0; i < TYPES; i++) {
		struct ward_msg *msg = make(&desk, &types[i], 1);

		for (int j = 0; j < TYPES; j++)
			ward_assert(ward_msg_match_(msg, &twins[j]) == (i == j ? msg->body : NULL));
		ward_assert(ward_msg_match_(msg, &types[i]) == msg->body);
		wardi_msg_destroy(desk.from, msg);
	}
	ward_assert(ward_msg_match_(NULL, &plain) == NULL);
	close_desk(&desk);
}

WARD_TEST(a_reply_goes_to_the_sender)
{
	struct desk desk;
	struct ward_msg *msg;

	open_desk(&desk);
	msg = make(&desk, &plain, 1);
	ward_assert_eq(ward_msg_sender_(msg).uid, 11);
	ward_assert_eq(wardi_ref_place(ward_msg_sender_(msg)), 22);
	ward_assert(ward_ref_equal(ward_msg_sender_(msg), ward_msg_sender(msg)));
	ward_assert(ward_ref_is_nobody(ward_msg_sender_(NULL)));
	wardi_msg_destroy(desk.from, msg);
	close_desk(&desk);
}

WARD_TEST(types_are_the_same_by_name_size_and_layout)
{
	const ward_type twin = {.name = "plain", .size = SMALL};
	const ward_type name = {.name = "other", .size = SMALL};
	const ward_type size = {.name = "plain", .size = SMALL + 1};
	const ward_type layout = {.name = "plain", .size = SMALL, .layout = 1 << 16};

	ward_assert(ward_type_same(&plain, &plain));
	ward_assert(ward_type_same(&plain, &twin));
	ward_assert(!ward_type_same(&plain, &name));
	ward_assert(!ward_type_same(&plain, &size));
	ward_assert(!ward_type_same(&plain, &layout));
	ward_assert(!ward_type_same(&plain, NULL));
	ward_assert(!ward_type_same(NULL, &plain));
	ward_assert(ward_type_same(NULL, NULL));
}

WARD_TEST(what_does_not_fit_a_type_is_refused_with_words)
{
	const ward_type nameless = {.size = SMALL};
	const ward_type of_sizes = {.name = "of_sizes", .size = 4, .size_max = SMALL};
	unsigned char body[SMALL] = {0};

	ward_assert_ok(wardi_type_refuse(&plain, body, SMALL));
	ward_assert_ok(wardi_type_refuse(&plain, NULL, 0));
	ward_assert_err(wardi_type_refuse(NULL, body, SMALL), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "this one is NULL");
	ward_assert_err(wardi_type_refuse(&nameless, body, SMALL), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "has no name");
	ward_assert_err(wardi_type_refuse(&plain, body, SMALL - 1), WARD_ESIZE);
	ward_assert_str(ward_err_detail(),
			"message \"plain\": 7 bytes do not fit the type, which has 8");
	ward_assert_err(wardi_type_refuse(&plain, body, SMALL + 1), WARD_ESIZE);
	ward_assert_str(ward_err_detail(),
			"message \"plain\": 9 bytes do not fit the type, which has 8: only "
			"ward_make() appends bytes, or the type has a size_max");
	ward_assert_err(wardi_type_refuse(&of_sizes, body, SMALL + 1), WARD_ESIZE);
	ward_assert_str(ward_err_detail(),
			"message \"of_sizes\": 9 bytes do not fit the type, which has 4 to 8");
	ward_assert_err(wardi_type_refuse(&plain, NULL, 1), WARD_ESIZE);
}

WARD_TEST(body_that_is_not_sent_is_dropped_if_it_fits)
{
	unsigned char body[SMALL] = {7};

	dropped = 0;
	wardi_body_drop(&moved, body, SMALL);
	ward_assert_eq(dropped, 1);
	wardi_body_drop(&moved, NULL, 0);
	wardi_body_drop(&moved, body, SMALL - 1);
	wardi_body_drop(&plain, body, SMALL);
	wardi_body_drop(NULL, body, SMALL);
	ward_assert_eq(dropped, 1);
}

WARD_TEST(body_is_where_its_size_finds_room)
{
	static const size_t sizes[] = {1, 16, 17, 48, 49, 112, 113, LARGE};
	static const enum wardi_form forms[] = {WARDI_IN_48,   WARDI_IN_48,  WARDI_IN_80,
						WARDI_IN_80,   WARDI_IN_144, WARDI_IN_144,
						WARDI_OUTSIDE, WARDI_OUTSIDE};
	struct desk desk;
	unsigned char body[LARGE];

	open_desk(&desk);
	for (size_t i = 0; i < LARGE; i++)
		body[i] = (unsigned char)i;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		const ward_type type = {.name = "sized", .size = (uint32_t)sizes[i]};
		struct ward_msg *msg = wardi_msg_make(desk.from, &type, body, sizes[i]);

		ward_assert(msg != NULL);
		ward_assert_eq(wardi_msg_form(msg), forms[i]);
		ward_assert(wardi_msg_type(msg) == &type);
		ward_assert_eq(wardi_msg_size(msg), sizes[i]);
		ward_assert(memcmp(wardi_msg_bytes(msg), body, sizes[i]) == 0);
		ward_assert_eq(wardi_msg_plain(msg), forms[i] != WARDI_OUTSIDE);
		msg->type |= WARDI_MSG_AUTO_RECEIVED;
		ward_assert(!wardi_msg_plain(msg));
		ward_assert(wardi_msg_type(msg) == &type);
		ward_assert_eq(wardi_msg_form(msg), forms[i]);
		wardi_msg_destroy(desk.from, msg);
	}
	close_desk(&desk);
}

WARD_TEST(body_of_any_size_keeps_its_own)
{
	static const size_t sizes[] = {0, 1, 16, LARGE};
	struct desk desk;
	unsigned char body[LARGE] = {3};

	open_desk(&desk);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct ward_msg *msg = wardi_msg_make(desk.from, &varying, body, sizes[i]);

		ward_assert(msg != NULL);
		ward_assert_eq(wardi_msg_size(msg), sizes[i]);
		ward_assert(memcmp(wardi_msg_bytes(msg), body, sizes[i]) == 0);
		wardi_msg_destroy(desk.from, msg);
	}
	close_desk(&desk);
}

WARD_TEST(body_of_null_is_all_zero)
{
	struct desk desk;
	static const unsigned char zero[LARGE];

	open_desk(&desk);
	/* Blocks are used again: what was in them must not be seen. */
	for (int i = 0; i < 2; i++) {
		const ward_type *types[] = {&plain, &large};

		for (size_t t = 0; t < 2; t++) {
			struct ward_msg *msg = wardi_msg_make(desk.from, types[t], NULL, 0);

			ward_assert(msg != NULL);
			ward_assert_eq(wardi_msg_size(msg), types[t]->size);
			ward_assert(memcmp(wardi_msg_bytes(msg), zero, types[t]->size) == 0);
			memset(wardi_msg_bytes(msg), 0xff, types[t]->size);
			wardi_msg_destroy(desk.from, msg);
		}
	}
	close_desk(&desk);
}

WARD_TEST(clone_owns_its_own_or_there_is_none)
{
	const ward_type *types[] = {&copied, &copied_large};
	struct desk desk;
	ward_err err;

	open_desk(&desk);
	for (int i = 0; i < 2; i++) {
		struct ward_msg *msg = make(&desk, types[i], 7);
		struct ward_msg *clone = wardi_msg_clone(desk.from, msg, &err);

		ward_assert(clone != NULL && clone != msg);
		ward_assert(wardi_msg_bytes(clone) != wardi_msg_bytes(msg));
		ward_assert_eq(clone->sender_uid, 11);
		ward_assert_eq(wardi_msg_sender_place(clone), 22);
		ward_assert_eq(cloned, i + 1);
		ward_assert_eq(desk.pool.owners, 2);
		wardi_msg_destroy(desk.from, clone);
		wardi_msg_destroy(desk.from, msg);
		ward_assert_eq(dropped, 2 * (i + 1));
	}
	/* It says no: nothing was made, so nothing is dropped. */
	struct ward_msg *even = make(&desk, &copied, 8);

	ward_assert(wardi_msg_clone(desk.from, even, &err) == NULL);
	ward_assert_eq(cloned, 3);
	ward_assert_eq(desk.pool.owners, 1);
	wardi_msg_hand_over(desk.from, even);
	ward_assert_eq(dropped, 4);
	close_desk(&desk);
}

WARD_TEST(what_owns_things_and_has_no_clone_is_not_cloned)
{
	struct desk desk;
	ward_err err;
	open_desk(&desk);
	struct ward_msg *msg = make(&desk, &moved, 7);
	ward_assert(wardi_msg_clone(desk.from, msg, &err) == NULL);
	ward_assert_err(err, WARD_EUNIQUE);
	ward_assert_eq(desk.pool.owners, 1);
	wardi_msg_destroy(desk.from, msg);
	ward_assert_eq(dropped, 1);
	/* One that owns nothing needs none. */
	msg = make(&desk, &plain, 7);
	struct ward_msg *clone = wardi_msg_clone(desk.from, msg, &err);
	ward_assert(clone != NULL);
	wardi_msg_destroy(desk.from, clone);
	wardi_msg_destroy(desk.from, msg);
	close_desk(&desk);
}

WARD_TEST(moved_body_is_owned_once)
{
	const ward_type *types[] = {&copied, &copied_large};
	struct desk desk;

	open_desk(&desk);
	for (int i = 0; i < 2; i++) {
		struct ward_msg *msg = make(&desk, types[i], 7);
		struct ward_msg *after = wardi_msg_move(desk.from, msg);

		ward_assert(after != NULL);
		ward_assert_eq(desk.pool.owners, 1);
		ward_assert_eq(after->sender_uid, 11);
		ward_assert_eq(wardi_msg_sender_place(after), 22);
		wardi_msg_free_body(desk.from, msg); /* it has none */
		wardi_msg_free(desk.from, msg);
		wardi_msg_destroy(desk.from, after);
		ward_assert_eq(dropped, i + 1);
	}
	ward_assert_eq(cloned, 0);
	close_desk(&desk);
}

WARD_TEST(taken_body_lies_outside_and_is_destroyed_once)
{
	const ward_type *types[] = {&copied, &copied_large};
	struct desk desk;

	open_desk(&desk);
	for (int i = 0; i < 2; i++) {
		struct ward_msg *msg = make(&desk, types[i], 7);
		struct wardi_body *body = wardi_msg_take(desk.from, msg);

		ward_assert(body != NULL);
		ward_assert_eq(body->size, types[i]->size);
		ward_assert(body->type == types[i]);
		ward_assert_eq(body->bytes[0], 7);
		wardi_msg_free_body(desk.from, msg);
		wardi_msg_free(desk.from, msg);
		wardi_body_destroy(desk.from, body);
		ward_assert_eq(dropped, i + 1);
	}
	close_desk(&desk);
}

WARD_TEST(abandoned_body_is_not_touched_again)
{
	struct desk desk;
	open_desk(&desk);
	struct ward_msg *msg = make(&desk, &large, 7);
	void *bytes = wardi_msg_bytes(msg);
	struct wardi_body *left = wardi_container_of(bytes, struct wardi_body, bytes);
	wardi_msg_abandon(msg);
	wardi_msg_free_body(desk.from, msg);
	wardi_msg_free(desk.from, msg);
	ward_assert_eq(left->bytes[0], 7);
	ward_assert_eq(desk.alloc.blocks, 1);
	wardi_body_free(desk.from, left);
	/* One in the message goes with it. */
	msg = make(&desk, &plain, 7);
	wardi_msg_abandon(msg);
	ward_assert_eq(((unsigned char *)wardi_msg_bytes(msg))[0], 7);
	wardi_msg_free_body(desk.from, msg);
	wardi_msg_free(desk.from, msg);
	close_desk(&desk);
}

/* How many allocations a body of that size needs after one of the same size was freed. */
static int64_t allocations_of_second(size_t size)
{
	struct ward_allocator hooks = {counted_alloc, counted_free, NULL};
	struct desk desk = {0};
	struct wardi_cache cache;
	int64_t before;

	wardi_alloc_init(&desk.alloc, &hooks, false);
	desk.alloc.separate = false; /* under AddressSanitizer, too */
	wardi_pool_init(&desk.pool, &desk.alloc);
	wardi_cache_init(&cache, &desk.pool);
	desk.from = (struct wardi_source){&desk.pool, &cache};
	wardi_body_free(desk.from, wardi_body_make(desk.from, &plain, size));
	before = allocations;
	wardi_body_free(desk.from, wardi_body_make(desk.from, &plain, size));
	wardi_cache_finish(&cache);
	wardi_pool_finish(&desk.pool);
	return allocations - before;
}

WARD_TEST(body_outside_of_up_to_4_kib_is_in_a_block)
{
	static const size_t sizes[] = {0, 256, 1024, 1500, 4096, 4128};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		ward_assert_eq(allocations_of_second(sizes[i]), 0);
	ward_assert_eq(allocations_of_second(4129), 1);
	ward_assert_eq(allocations_of_second(64 * 1024), 1);
}

WARD_TEST(kind_that_is_none_is_forged)
{
	for (uint32_t kind = 0; kind < WARDI_AUTO_KINDS + 3u; kind++) {
		const ward_type type = {.name = "special", .flags = WARDI_AUTO_TYPE(kind)};

		ward_assert_eq(wardi_auto_kind(&type),
			       kind < WARDI_AUTO_KINDS ? kind : (uint32_t)WARDI_AUTO_FORGED);
	}
}

WARD_TEST(piece_is_zeroed_also_where_another_was)
{
	static const size_t sizes[] = {1, 48, 100, 144, LARGE, 5000};
	static const unsigned char zero[5000];
	struct desk desk;

	open_desk(&desk);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		for (int again = 0; again < 2; again++) {
			void *piece = wardi_memory_get(desk.from, sizes[i]);

			ward_assert(piece != NULL);
			ward_assert(memcmp(piece, zero, sizes[i]) == 0);
			memset(piece, 0xff, sizes[i]);
			wardi_memory_put(desk.from, piece, sizes[i]);
		}
	}
	close_desk(&desk);
}

WARD_TEST_MAIN
