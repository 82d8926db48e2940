/* SPDX-License-Identifier: MIT
 *
 * spec_check.h - checks the tables of the supervisor of OTP before a start.
 */
#ifndef WARDI_SPEC_CHECK_H
#define WARDI_SPEC_CHECK_H

#include <ward/otp.h>
#include <ward/types.h>

const ward_behavior *wardi_otp_behavior(const ward_otp_child_spec *spec);

/* Checks a specification by itself, as a child in this table. */
ward_err wardi_otp_check_spec(const ward_otp_supervisor *table, const ward_otp_child_spec *spec);

/* Checks a table that is not NULL, with all nested ones. A refusal names the paths from `id`, which
 * may be NULL. */
ward_err wardi_otp_check_nested(const ward_otp_supervisor *table, const char *id);

/* Whether this entry ends a table. */
bool wardi_otp_is_end(const ward_otp_child_spec *spec);

/* Never 0. */
int64_t wardi_otp_shutdown_ms(const ward_otp_child_spec *spec);

bool wardi_otp_is_supervisor(const ward_otp_child_spec *spec);

#endif
