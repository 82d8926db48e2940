/* SPDX-License-Identifier: MIT
 *
 * misspelt_option.c - an option is misspelt.
 *
 * refused: always
 * gcc: 'ward_options' has no member named 'worker'
 * clang: field designator 'worker' does not refer to any field in type 'ward_options'
 */
#include "common.h"

ward_err make(ward_system **ret_system);

ward_err make(ward_system **ret_system)
{
#ifdef CORRECT
	return ward_system_create(&(ward_options){.workers = 2}, ret_system);
#else
	return ward_system_create(&(ward_options){.worker = 2}, ret_system);
#endif
}
