/* SPDX-License-Identifier: MIT
 *
 * consistent_hash.c - consistent hashing: each hash keeps its routee for as long as that is in the
 * pool.
 *
 * Each pair of a hash and a routee has a weight, pseudo-random but always the same; the heaviest
 * routee wins (rendezvous hashing). When a routee leaves, only its own hashes move, evenly to all
 * others; a new routee takes an even share from all. A ring with virtual nodes comes close to that,
 * but needs memory and a table to rebuild; this needs neither, but looks at each routee.
 *
 * Threads: in the router's callbacks.
 */
#include "patterns/router/consistent_hash.h"

#include <ward/extend.h>

/* The finalizer of splitmix64: each input bit flips about half of the output bits. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* FNV-1a: the same path selects the same routee in every run. */
static uint64_t hash_of_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t number_of(const struct wardi_routee *routee)
{
	if (routee->path != NULL)
		return hash_of_text(routee->path);
	return ward_ref_number(routee->ref) ^ ward_ref_place(routee->ref);
}

static size_t pick(struct wardi_router *router, ward_self *self, const ward_msg *msg)
{
	const struct wardi_roster *roster = router->roster;
	uint64_t key = mix(router->args->hash(msg) + UINT64_C(0x9e3779b97f4a7c15));
	uint64_t heaviest = 0;
	size_t best = 0;

	(void)self;
	for (size_t i = 0; i < roster->count; i++) {
		uint64_t weight = mix(key ^ mix(number_of(&roster->at[i])));

		if (weight >= heaviest) {
			best = i;
			heaviest = weight;
		}
	}
	return best;
}

const struct wardi_logic wardi_route_hash = {.pick = pick};
