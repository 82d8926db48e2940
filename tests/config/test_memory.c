/* SPDX-License-Identifier: MIT
 *
 * test_memory.c - no memory for a file: each allocation of the reader finds none once.
 *
 * Method: the linker puts the functions below in place of those of the C library, for what is
 * linked into this program; libconfig, a shared library, has memory always: it would not notice.
 */
#include <unistd.h>

#include "scratch.h"
#include "shop.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static size_t left; /* until one finds none; 0: all find some */

static bool fails(void)
{
	return left > 0 && --left == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
	return fails() ? NULL : __real_realloc(block, size);
}

static const char text[] =
	"modules = [\"./a.so\"];\n"
	"system: { dispatchers: { disk = 1; }; phases: { a: { }; b: { after = [\"a\"]; }; }; };\n"
	"strategies: { s: { rules: { jammed = \"stop\"; }; }; };\n"
	"actors: { a: { behavior = \"plain\"; };\n"
	" b: { behavior = \"till\"; args: { journal = \"a\"; papers = [\"x\"]; }; }; };\n";

/* Runs it once for each n-th allocation, until there are no more; gives how many there were. */
static size_t for_each(ward_err (*load)(struct told *told, ward_config **ret_config))
{
	for (size_t count = 1;; count++) {
		struct told told = {"", 0};
		ward_config *config;
		ward_err err;

		left = count;
		err = load(&told, &config);
		if (left > 0) {
			left = 0;
			ward_assert_ok(err);
			ward_config_close(config);
			return count - 1;
		}
		ward_assert_err(err, WARD_ENOMEM);
		ward_assert_part(ward_err_detail(), "not enough memory");
	}
}

static ward_err load_text(struct told *told, ward_config **ret_config)
{
	ward_err err = shop_load(text, told, ret_config);

	ward_assert_eq(told->count, 0); /* it is not the file that is wrong */
	return err;
}

WARD_TEST(texts_for_which_there_is_no_memory_are_refused)
{
	ward_assert(for_each(load_text) > 20);
}

static ward_err load_file(struct told *told, ward_config **ret_config)
{
	(void)told;
	return ward_config_load("a.conf", shops, NULL, ret_config);
}

WARD_TEST(files_for_which_there_is_no_memory_are_refused)
{
	FILE *file;

	scratch_begin();
	file = fopen("b.conf", "w");
	ward_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
	file = fopen("a.conf", "w");
	ward_assert(file != NULL && fputs("@include \"b.conf\"\n", file) >= 0 && fclose(file) == 0);
	ward_assert(for_each(load_file) > 20);
	scratch_end();
}

WARD_TEST(tree_for_which_there_is_no_memory_is_not_started)
{
	ward_config *config = shop_good(text);
	ward_kit *kit = shop_kit(config);

	left = 1;
	ward_assert_err(ward_config_spawn(config, ward_kit_system(kit)), WARD_ENOMEM);
	ward_assert_str(shop_seen(), "");
	ward_assert_ok(ward_config_spawn(config, ward_kit_system(kit)));
	ward_kit_finish(kit);
	ward_config_close(config);
}

WARD_TEST_MAIN
