/* SPDX-License-Identifier: MIT
 *
 * parcels.c - a shared object that lists its messages; and, as a program, values of them as JSON,
 * one on each line.
 */
#include "../unit/codec/parcel.h"

#include <stdio.h>
#include <ward/config.h>

static const ward_type *const messages[] = {&ward_type_parcel, &ward_type_page, &ward_type_stop,
					    NULL};

#ifdef PRINT
static int print_value(const ward_type *type, uint64_t seed)
{
	_Alignas(16) unsigned char body[8192];
	ward_bytes out = {.data = NULL};
	size_t size;

	if (ward_value_random(type, seed, body, sizeof body, &size) != WARD_OK ||
	    ward_encode(WARD_FORMAT_JSON, type, body, size, &out) != WARD_OK) {
		puts(ward_err_detail());
		return 1;
	}
	printf("%.*s\n", (int)out.size, (const char *)out.data);
	ward_bytes_finish(&out);
	if (type->drop != NULL)
		type->drop(body);
	return 0;
}

int main(void)
{
	for (uint64_t seed = 0; seed < 300; seed++)
		for (size_t i = 0; messages[i] != NULL; i++)
			if (print_value(messages[i], seed) != 0)
				return 1;
	return 0;
}
#else
WARD_API extern const ward_config_module ward_module;
WARD_API const ward_config_module ward_module = {
	.version = WARD_CONFIG_VERSION,
	.name = "parcels",
	.messages = messages,
};
#endif
