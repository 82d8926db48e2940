/* SPDX-License-Identifier: MIT
 *
 * codec.c - a message with a table: as a term of Erlang, as JSON, in ward's own format, and back.
 *
 *	cd examples/39-codec && cc codec.c $(pkg-config --cflags --libs ward) -o codec
 *
 * Then it reads JSON that others have written, and prints why some of it is refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <ward/codec.h>
#include <ward/ward.h>

static const ward_field_name kinds[] = {{"rent", 1}, {"wage", 2}, {NULL, 0}};

struct deposit {
	uint64_t account;
	int64_t cents;
	int32_t kind;
	char note[24];
};
WARD_MESSAGE_FIELDS(deposit, 1, WARD_FIELD(UINT, deposit, account, .min = 1),
		    WARD_FIELD(INT, deposit, cents, .min = -1000000, .max = 1000000),
		    WARD_FIELD(ENUM, deposit, kind, .names = kinds),
		    WARD_OPTIONAL_FIELD(TEXT, deposit, note));

/* ---- printing ---------------------------------------------------------------------------- */

static void print_bytes(const ward_bytes *bytes)
{
	for (size_t i = 0; i < bytes->size; i++)
		printf("%02x%s", bytes->data[i], i % 24 == 23 ? "\n\t" : "");
	puts("");
}

static void print_deposit(const struct deposit *deposit)
{
	printf("\t%" PRIu64 " gets %" PRId64 " cents: \"%s\"\n", deposit->account, deposit->cents,
	       deposit->note);
}

/* Prints the deposit in a format, and what comes back. */
static ward_err show(const char *name, ward_format format, const struct deposit *deposit)
{
	ward_bytes out = {.max = 65536};
	struct deposit back;
	ward_err err = ward_encode(format, &ward_type_deposit, deposit, sizeof *deposit, &out);

	if (err == WARD_OK)
		err = ward_decode(format, &ward_type_deposit, out.data, out.size, &back,
				  sizeof back, NULL);
	if (err == WARD_OK) {
		printf("%s, %zu bytes\n\t", name, out.size);
		if (format == WARD_FORMAT_JSON)
			printf("%.*s\n", (int)out.size, (const char *)out.data);
		else
			print_bytes(&out);
		print_deposit(&back);
	}
	ward_bytes_finish(&out);
	return err;
}

/* ---- reading ----------------------------------------------------------------------------- */

static void read_text(const char *text)
{
	struct deposit deposit;

	printf("%s\n", text);
	if (ward_decode(WARD_FORMAT_JSON, &ward_type_deposit, text, strlen(text), &deposit,
			sizeof deposit, NULL) == WARD_OK)
		print_deposit(&deposit);
	else
		printf("\t%s\n", ward_err_detail());
}

int main(void)
{
	const struct deposit deposit = {
		.account = 7, .cents = -500, .kind = 1, .note = "caf\xc3\xa9"};

	if (show("term", WARD_FORMAT_TERM, &deposit) != WARD_OK ||
	    show("JSON", WARD_FORMAT_JSON, &deposit) != WARD_OK ||
	    show("wire", WARD_FORMAT_WIRE, &deposit) != WARD_OK) {
		puts(ward_err_detail());
		return 1;
	}
	read_text("{\"deposit\": {\"cents\": 5, \"kind\": \"wage\", \"by\": [1, 2], \"account\": "
		  "9}}");
	read_text("{\"deposit\": {\"account\": 9, \"cents\": 5000000, \"kind\": \"wage\"}}");
	read_text("{\"deposit\": {\"account\": 9, \"cents\": 5, \"kind\": \"rant\"}}");
	read_text("{\"deposit\": {\"account\": 9, \"cents\": 5}}");
	return 0;
}
