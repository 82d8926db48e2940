/* SPDX-License-Identifier: MIT
 *
 * read_file.h - reads a whole regular file of limited size.
 */
#ifndef WARDI_CONFIG_READ_FILE_H
#define WARDI_CONFIG_READ_FILE_H

#include <ward/types.h>

/** Reads a whole file. Returns a code, with a detail; the bytes are malloc's. */
ward_err wardi_config_read_file(const char *path, size_t max, char **ret_bytes, size_t *ret_size);

#endif
