/* SPDX-License-Identifier: MIT
 *
 * test_origin.c - the page by which a fork()ed child knows that it is one: what if there is none.
 *
 * Method: the calls of the kernel that make it are this program's own, and say no when told.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/ward.h>

static bool refuses_map, refuses_wipe;

/* Instead of the C library's. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (refuses_map) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

int madvise(void *at, size_t size, int advice)
{
	if (refuses_wipe && advice == MADV_WIPEONFORK) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_madvise, at, size, advice);
}

static ward_err create(ward_system **ret_system)
{
	static const ward_simulation driver;

	return ward_system_create(&(ward_options){.simulation = &driver}, ret_system);
}

WARD_TEST(system_without_its_page_is_not_created)
{
	ward_system *system = NULL;

	refuses_map = true;
	ward_assert_err(create(&system), WARD_ENOMEM);
	ward_assert_part(ward_err_detail(), "mmap: ");
	refuses_map = false;
	ward_assert(system == NULL);
}

WARD_TEST(system_on_a_kernel_that_cannot_wipe_is_not_created)
{
	ward_system *system = NULL;

	refuses_wipe = true;
	ward_assert_err(create(&system), WARD_ESYS);
	ward_assert_part(ward_err_detail(), "madvise(MADV_WIPEONFORK): ");
	refuses_wipe = false;
	ward_assert(system == NULL);
	ward_assert_ok(create(&system));
	ward_assert_ok(ward_system_destroy(system, WARD_MINUTE));
}

WARD_TEST_MAIN
