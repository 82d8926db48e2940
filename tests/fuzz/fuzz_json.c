/* SPDX-License-Identifier: MIT
 *
 * fuzz_json.c - any bytes as JSON: see fuzz_codec.h. For libFuzzer, and for replay.c.
 */
#include "fuzz_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return fuzz_codec(WARD_FORMAT_JSON, bytes, size);
}
