/* SPDX-License-Identifier: MIT
 *
 * err_names.c - error codes as words, for rows of messages.
 */
#include <ward/codec.h>

const ward_field_name ward_err_names[] = {
	{"ok", WARD_OK},
	{"einval", WARD_EINVAL},
	{"enomem", WARD_ENOMEM},
	{"ename", WARD_ENAME},
	{"eexist", WARD_EEXIST},
	{"enoent", WARD_ENOENT},
	{"estopping", WARD_ESTOPPING},
	{"edead", WARD_EDEAD},
	{"efull", WARD_EFULL},
	{"esize", WARD_ESIZE},
	{"eunique", WARD_EUNIQUE},
	{"elocal", WARD_ELOCAL},
	{"eforeign", WARD_EFOREIGN},
	{"etimedout", WARD_ETIMEDOUT},
	{"etype", WARD_ETYPE},
	{"elimit", WARD_ELIMIT},
	{"ethread", WARD_ETHREAD},
	{"eforked", WARD_EFORKED},
	{"esys", WARD_ESYS},
	{"eopen", WARD_EOPEN},
	{"efailed", WARD_EFAILED},
	{"eunreached", WARD_EUNREACHED},
	{NULL, 0},
};
