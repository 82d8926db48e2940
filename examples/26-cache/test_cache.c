/* SPDX-License-Identifier: MIT
 *
 * test_cache.c - how to write a cache whose entries expire, and how to test it on a virtual clock.
 *
 *	cd examples/26-cache && cc *.c $(pkg-config --cflags --libs ward-testkit) -o cache
 *
 * Prints the result of each test. The last test is a simulation, which runs with many seeds.
 */
#include <ward/testkit.h>

#include "cache.h"

static bool is_found(ward_kit *kit, ward_ref it, const char *key)
{
	struct get get = {{0}};
	struct entry entry;

	for (int i = 0; key[i]; i++)
		get.key[i] = key[i];
	ward_assert_ok(ward_system_ask_send(ward_kit_system(kit), it, WARD_SECOND, &ward_type_entry,
					    &entry, WARD_COPY(get, &get)));
	return entry.found;
}

WARD_TEST(entry_is_found_until_it_expires)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref it = ward_kit_spawn(kit, &cache);
	ward_actor_info info;

	ward_kit_tell(kit, it, put, "rate", 108, .ttl_ms = 2500);
	ward_kit_advance(kit, 2499);
	ward_assert(is_found(kit, it, "rate"));
	ward_kit_advance(kit, 1);
	ward_assert(!is_found(kit, it, "rate"));
	ward_kit_advance(kit, 500); /* the slot is freed at the next full second */
	ward_assert(ward_kit_info(kit, it, &info));
	ward_assert_str(info.status, "0 of 4 slots in use");
	ward_kit_finish(kit);
}

WARD_TEST(full_cache_replaces_the_entry_that_would_expire_first)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref it = ward_kit_spawn(kit, &cache);

	ward_kit_tell(kit, it, put, "a", 1, .ttl_ms = 4000);
	ward_kit_tell(kit, it, put, "b", 2, .ttl_ms = 1000);
	ward_kit_tell(kit, it, put, "c", 3, .ttl_ms = 3000);
	ward_kit_tell(kit, it, put, "d", 4, .ttl_ms = 2000);
	ward_kit_tell(kit, it, put, "e", 5, .ttl_ms = 5000);
	ward_assert(is_found(kit, it, "a") && !is_found(kit, it, "b") && is_found(kit, it, "e"));
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
