/* SPDX-License-Identifier: MIT
 *
 * replay.c - gives each file of a folder to a fuzz target, once: the corpus, without libFuzzer.
 * Prints TAP, one case; the file that ends the program is the last one that was named.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { ROOM = 65536 };

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay(const char *folder, const char *name)
{
	static uint8_t room[ROOM];
	uint8_t *bytes;
	char path[4096];
	size_t size;
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "rb");
	if (file == NULL)
		return 0;
	printf("# %s\n", name);
	fflush(stdout);
	size = fread(room, 1, sizeof room, file);
	fclose(file);
	/* A block of its own, so that a sanitizer sees what is read behind it. */
	bytes = malloc(size > 0 ? size : 1);
	if (bytes == NULL)
		return 0;
	for (size_t i = 0; i < size; i++)
		bytes[i] = room[i];
	LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
	return 1;
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count = argc == 2 ? scandir(argv[1], &entries, is_file, alphasort) : -1;
	int done = 0;

	if (count < 0) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < count; i++) {
		done += replay(argv[1], entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	printf("%s 1 - %d of %d files replayed\n1..1\n",
	       done == count && done > 0 ? "ok" : "not ok", done, count);
	return done == count && done > 0 ? 0 : 1;
}
