/* SPDX-License-Identifier: MIT
 *
 * spec_copy.h - deep copies of child specifications and of whole tables.
 */
#ifndef WARDI_SPEC_COPY_H
#define WARDI_SPEC_COPY_H

#include <ward/otp.h>
#include <ward/types.h>

/* *ret_copy owns all that it points to, from malloc(). */
ward_err wardi_otp_spec_clone(ward_otp_child_spec *ret_copy, const ward_otp_child_spec *spec);

/* Also takes an all-zero copy. */
void wardi_otp_spec_drop(ward_otp_child_spec *copy);

/* The arguments of a supervisor: a ward_otp_supervisor with a deep clone. */
extern const ward_type wardi_type_otp_table;

#endif
