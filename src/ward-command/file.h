/* SPDX-License-Identifier: MIT
 *
 * file.h - a file that is read and checked, with the shared objects that it names.
 */
#ifndef WARD_COMMAND_FILE_H
#define WARD_COMMAND_FILE_H

#include <ward/config.h>

/* Returns NULL, and has said all that is wrong on standard error. End it with ward_config_close().
 * The shared objects stay for the life of the process. */
ward_config *file_load(const char *path);
/* Whether there is anything to run; if not, says so on standard error. A program of its own may
 * still have use for such a file. */
bool file_has_actors(const ward_config *config, const char *path);

#endif
