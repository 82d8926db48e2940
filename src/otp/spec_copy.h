/* SPDX-License-Identifier: MIT
 *
 * spec_copy.h - copies of child specifications and of whole tables, that own all they point to.
 */
#ifndef WARDI_SPEC_COPY_H
#define WARDI_SPEC_COPY_H

#include <ward/otp.h>
#include <ward/types.h>

/* Makes *ret_copy own all it points to; by malloc(). */
ward_err wardi_otp_spec_clone(ward_otp_child_spec *ret_copy, const ward_otp_child_spec *spec);

/* All zero is fine. */
void wardi_otp_spec_drop(ward_otp_child_spec *copy);

/* The arguments of a supervisor: a ward_otp_supervisor, copied deep. */
extern const ward_type wardi_type_otp_table;

#endif
