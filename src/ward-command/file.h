/* SPDX-License-Identifier: MIT
 *
 * file.h - reads and checks a file, and loads the shared objects that it names.
 */
#ifndef WARD_COMMAND_FILE_H
#define WARD_COMMAND_FILE_H

#include <ward/config.h>

/* NULL: has printed all errors on standard error. Free with ward_config_close(). The shared objects
 * stay loaded. */
ward_config *file_load(const char *path);
/* Whether there is anything to run; if not, says so on standard error. Another program may still
 * have a use for such a file. */
bool file_has_actors(const ward_config *config, const char *path);

#endif
