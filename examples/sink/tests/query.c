/* SPDX-License-Identifier: MIT
 *
 * query.c - query DB SQL: prints the rows, one in a line; for scripts, where no sqlite3 is at hand.
 */
#include <sqlite3.h>
#include <stdio.h>

static int print_row(void *arg, int columns, char **values, char **names)
{
	(void)arg;
	(void)names;
	for (int i = 0; i < columns; i++)
		printf("%s%s", i > 0 ? "|" : "", values[i] ? values[i] : "NULL");
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	sqlite3 *db = NULL;
	char *error = NULL;
	if (argc != 3)
		return 2;
	if (sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
	    sqlite3_busy_timeout(db, 5000) != SQLITE_OK ||
	    sqlite3_exec(db, argv[2], print_row, NULL, &error) != SQLITE_OK) {
		fprintf(stderr, "query: %s\n", error ? error : sqlite3_errmsg(db));
		return 1;
	}
	sqlite3_close(db);
	return 0;
}
