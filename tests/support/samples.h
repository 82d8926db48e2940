/* SPDX-License-Identifier: MIT
 *
 * samples.h - cases that are wrong, each in its own way, and the report that they get.
 *
 * With WARD_SAMPLES set, the program registers its samples as cases besides its own; these run it
 * again with one of the samples, and read the TAP that it prints.
 */
#ifndef SUPPORT_SAMPLES_H
#define SUPPORT_SAMPLES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/testkit.h>

#define SAMPLE(name_)                                                                              \
	static void name_(void);                                                                   \
	__attribute__((constructor)) static void name_##_register_(void)                           \
	{                                                                                          \
		static const char *const none[] = {NULL};                                          \
		static struct ward_test_case sample = {#name_, none, name_, NULL};                 \
		if (getenv("WARD_SAMPLES") != NULL)                                                \
			ward_test_register(&sample);                                               \
	}                                                                                          \
	static void name_(void)

/* Runs one sample, for at most that time; gives whether it passed, and its report. */
static inline bool sample_passes(const char *sample, unsigned limit_s, char *text, size_t max)
{
	char self[1024], command[2048];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ward_assert(length > 0);
	self[length] = '\0';
	snprintf(command, sizeof(command), "WARD_SAMPLES=1 WARD_TEST_TIMEOUT_S=%u '%s' %s 2>&1",
		 limit_s, self, sample);
	FILE *output = popen(command, "r");
	ward_assert(output != NULL);
	text[fread(text, 1, max - 1, output)] = '\0';
	int status = pclose(output);
	ward_assert(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status) == 0;
}

/* That it fails, and that this part is in the report. */
static inline void check_sample(const char *sample, const char *part)
{
	char text[16384];

	ward_assert(!sample_passes(sample, 60, text, sizeof(text)));
	ward_assert_part(text, part);
}

#endif
