/* SPDX-License-Identifier: MIT
 *
 * ward/codec.h - the fields of a message as a table, for what leaves the process.
 *
 *	struct deposit { uint64_t account; int64_t cents; char note[24]; };
 *	WARD_MESSAGE_FIELDS(deposit, 1,
 *		WARD_FIELD(UINT, deposit, account, .min = 1),
 *		WARD_FIELD(INT, deposit, cents),
 *		WARD_FIELD(TEXT, deposit, note));
 *
 *	ward_bytes out = {.max = 65536};
 *	struct deposit d = {.account = 7, .cents = 500, .note = "rent"};
 *	err = ward_encode(WARD_FORMAT_TERM, &ward_type_deposit, &d, sizeof d, &out);
 *	err = ward_decode(WARD_FORMAT_TERM, &ward_type_deposit, out.data, out.size, &d, sizeof d,
 *			  NULL);
 *	ward_bytes_finish(&out);
 *
 * WARD_MESSAGE_FIELDS stands in place of WARD_MESSAGE: the type is the same, and also has a table.
 * The table is constant and needs no registration. It serves Erlang terms, JSON, the compact format
 * of ward, and tests; a file (ward/config.h) reads arguments by the same rows.
 *
 * A body is checked by its table when it is written and when it is read, so a receiver never gets a
 * value that the table forbids, with one exception: a row that the sender left out is zero, also
 * where its range excludes zero. A decoder trusts nothing: it stays within the bytes that it is
 * given, follows at most WARD_CODEC_DEPTH_MAX levels, and allocates memory only for a STRING whose
 * bytes are there.
 *
 * A later version of a type appends rows: `.since = 2`. A reader skips keys that it does not know;
 * a row that the sender's version did not have is left out, and so may be an optional one.
 *
 * WARD_SIGNAL types need no table. A type without one, or with something that rows cannot describe,
 * stays in the process (WARD_ELOCAL), unless it has an `encode` and a `decode` of its own.
 */
#ifndef WARD_CODEC_H
#define WARD_CODEC_H

#include <ward/message.h>

WARD_BEGIN

/* ---- tables ------------------------------------------------------------------------------ */

/** What a field is, in the struct and in the formats. Kinds that say "files" are for arguments in
 *  files; the codec refuses a type that has one. */
typedef enum ward_field_kind {
	WARD_FIELD_END = 0,   /* the last row of a table */
	WARD_FIELD_BOOL = 1,  /* a bool; as a term: true or false */
	WARD_FIELD_INT = 2,   /* a signed integer of 1, 2, 4 or 8 bytes; as a term: an integer */
	WARD_FIELD_UINT = 3,  /* an unsigned integer of 1, 2, 4 or 8 bytes */
	WARD_FIELD_FLOAT = 4, /* a finite double; as a term: a float; an integer is accepted */
	/** In a message: a char *, owned by the body, allocated by malloc(), may be NULL; for
	 *  WARD_MESSAGE_FIELDS_OWNED. In files: a const char *, borrowed. As a term: a binary, and
	 *  `undefined` for NULL, which stands for no text: `min` and `max` do not apply to it. */
	WARD_FIELD_STRING = 5,
	WARD_FIELD_TEXT = 6,    /* a char array with room for the text and its 0; a binary */
	WARD_FIELD_STRINGS = 7, /* files */
	/** An int64_t of milliseconds, 0 or more, or WARD_FOREVER; as a term: an integer, or
	 *  `infinity`. */
	WARD_FIELD_DURATION = 8,
	WARD_FIELD_SIZE = 9,      /* as UINT; in files also "64 KiB" */
	WARD_FIELD_ENUM = 10,     /* an int or an enum: one of `names`; as a term: its atom */
	WARD_FIELD_MASK = 11,     /* a uint32_t: `names` or'ed; as a term: a list of atoms */
	WARD_FIELD_REF = 12,      /* a ward_ref; as a term: a pid, `undefined` for nobody */
	WARD_FIELD_STRATEGY = 13, /* files */
	WARD_FIELD_GROUP = 14,    /* a struct with `fields` of its own; as a term: a map */
	WARD_FIELD_CHILDREN = 15, /* files */
	WARD_FIELD_BEHAVIOR = 16, /* files */
	/** An unsigned char array, of which WARD_COUNTED_BY() bytes are in use, without it all; as
	 *  a term: a binary. */
	WARD_FIELD_BYTES = 17,
	/** An array of structs with `fields` of their own, of which WARD_COUNTED_BY() are in use,
	 *  without it all; as a term: a list of maps. */
	WARD_FIELD_LIST = 18,
	/** The bytes behind the struct: WARD_TAIL_FIELD(); as a term: a binary. */
	WARD_FIELD_TAIL = 19
} ward_field_kind;

/** A word and its value. A NULL name ends the table. */
typedef struct ward_field_name {
	const char *name;
	int32_t value;
} ward_field_name;

/** The names of all error codes: `WARD_FIELD(ENUM, answer, err, .names = ward_err_names)`. */
WARD_API extern const ward_field_name ward_err_names[];

/**
 * One row: a key and the member of the struct that has its value. Constant. A row of all zeros ends
 * the table. In C++ the options of a row, from `min` on, are written in this order.
 *
 * A range is that of an integer, of a duration in milliseconds, of a size in bytes, of the length
 * of a string, a text, bytes or a tail, or of the number of items of a list. Both ends zero: the
 * range of the kind; with a min above 0, a max of 0 means no maximum.
 */
typedef struct ward_field {
	const char *key;      /* letters, digits, '-' and '_'; begins with a letter */
	ward_field_kind kind; /* the macros below set this and the next four */
	uint32_t offset;      /* of the member */
	uint32_t size;        /* of the member */
	uint32_t item;        /* LIST: of one item */
	bool required;        /* a missing key is an error; false: the value then stays as it is */
	int64_t min, max;     /* exact */
	/** The same of a UINT or SIZE, where int64_t does not reach; 0: min, or max. */
	uint64_t umin, umax;
	double low, high;                /* the range of a FLOAT; both zero: min and max */
	const ward_field_name *names;    /* for ENUM and MASK */
	const struct ward_field *fields; /* for GROUP and LIST: ward_fields_T of that struct */
	uint32_t count_at, count_size;   /* WARD_COUNTED_BY(); count_size 0: all are in use */
	/** The version of the type that brought the row; 0: the first one. */
	uint32_t since;
	uint32_t key_size;     /* bytes of the key, for speed; 0: they end at its 0 */
	uintptr_t reserved[2]; /* zero */
} ward_field;

/** The table of a type: ward_type.codec. Constant. */
typedef struct ward_codec {
	uint32_t version;         /* of the type, from 1 */
	uint32_t flags;           /* WARD_CODEC_... */
	const ward_field *fields; /* ended by WARD_FIELD_END */
	const char *atom;         /* its name in all formats; NULL: that of the type */
	uintptr_t reserved[2];    /* zero */
} ward_codec;

/** Flags of a table, and limits. */
enum {
	/** As a term: {deposit, 7, 5}, the values in the order of the rows, as a record of Erlang.
	 *  Otherwise {deposit, #{account => 7, cents => 5}}. */
	WARD_CODEC_TUPLE = 1,
	WARD_CODEC_DEPTH_MAX = 64,   /* levels of groups and lists, also of values to skip */
	WARD_CODEC_FIELDS_MAX = 256, /* rows of one table */
	WARD_CODEC_KEY_MAX = 255,    /* bytes of a key, of a name and of an atom */
	WARD_CODEC_VERSION_MAX = 65535
};

/**
 * Checks the table of a type as far as the compiler cannot: two rows for one key, members and
 * counts that overlap or lie outside the struct, kinds of files, ranges that nothing satisfies, a
 * STRING in a type without a drop function, too many rows or levels. For tests and for what loads
 * modules; ward_encode() and ward_decode() trust the table. A type without a body needs no table.
 *
 * Threads    any.
 * Cost       O(rows), and O(rows) squared for each table.
 * Errors     WARD_EINVAL the table is wrong; WARD_ELOCAL the type has no table, and no `encode` and
 *            `decode`. ward_err_detail() names the type, and the row.
 * Contract   S179
 */
WARD_API WARD_MUST_USE ward_err ward_codec_check(const ward_type *type);

/* ---- bytes ------------------------------------------------------------------------------- */

/** A buffer that grows. All zero: empty, without a maximum. */
struct ward_bytes {
	unsigned char *data; /* from malloc(); the bytes are data[0..size-1] */
	size_t size;
	size_t room;
	size_t max; /* of size; 0: no maximum */
};

/** Appends bytes. Also for an `encode` of a program. Cost: O(size); grows by doubling. Errors:
 *  WARD_ESIZE over the maximum; WARD_ENOMEM. The buffer is unchanged then. */
WARD_API WARD_MUST_USE ward_err ward_bytes_add(ward_bytes *bytes, const void *data, size_t size);

/** Frees the bytes. The buffer is empty then, with the same maximum. Cost: O(1). */
WARD_API void ward_bytes_finish(ward_bytes *bytes);

/* ---- writing and reading bodies ---------------------------------------------------------- */

/** How a body is written. */
typedef enum ward_format {
	/** Erlang's external term format, as term_to_binary() writes it: {deposit, #{account => 7,
	 *  ...}}; a signal is an atom. */
	WARD_FORMAT_TERM = 1,
	WARD_FORMAT_JSON = 2, /* {"deposit": {"account": 7, ...}} */
	/** ward's own: row numbers and values; compact and fast. For the other processes of one
	 *  program, also of other versions, and for recordings. */
	WARD_FORMAT_WIRE = 3,
	/** The bytes as they are in memory, only of a WARD_TYPE_FLAT; no table is needed. For a
	 *  reader that is the same program on the same machine. */
	WARD_FORMAT_MEMORY = 4
} ward_format;

/**
 * How the refs in a body are written and read, for those who bring messages to other places. NULL:
 * the numbers of the ref, which mean something only to its own system.
 *
 * `put` appends one whole value in the format: a term without the version byte, a JSON value, any
 * bytes for WARD_FORMAT_WIRE. `get` gets exactly those bytes back. An error that either returns is
 * that of ward_encode_refs() or ward_decode_refs(); it may note a text with ward_refused().
 */
typedef struct ward_codec_refs {
	void *arg;
	ward_err (*put)(void *arg, ward_format format, ward_ref ref, ward_bytes *out) WARD_NOEXCEPT;
	ward_err (*get)(void *arg, ward_format format, const void *bytes, size_t count,
			ward_ref *ret_ref) WARD_NOEXCEPT;
	uintptr_t reserved[2]; /* zero */
} ward_codec_refs;

/**
 * Appends a body to *out. A body of NULL with size 0 stands for all zeros.
 *
 * Ownership  borrows all for the call.
 * Threads    any.
 * Cost       O(bytes); grows the buffer at most a few times.
 * Errors     WARD_ELOCAL the type has no table, or the format is not for it; WARD_EINVAL a value
 *            that its row forbids; WARD_ESIZE the size does not match the type, or the maximum of
 *            the buffer is reached; WARD_ENOMEM; that of an `encode` of the type. *out is unchanged
 *            then, except for its room; ward_err_detail() names the type, and the key.
 * Contract   S175, S176, S178
 */
WARD_API WARD_MUST_USE ward_err ward_encode(ward_format format, const ward_type *type,
					    const void *body, size_t size, ward_bytes *out);

/** As ward_encode(), with a say in how refs are written. Cost: as ward_encode(). */
WARD_API WARD_MUST_USE ward_err ward_encode_refs(ward_format format, const ward_codec_refs *refs,
						 const ward_type *type, const void *body,
						 size_t size, ward_bytes *out);

/**
 * Reads a body. `count` bytes are exactly one message; `room` is that of `body`, at least the size
 * of the type, and for a type with a tail up to its size_max. The size of the body comes in
 * *ret_size; NULL: not wanted.
 *
 * Ownership  the strings in the body are the caller's, who frees them with the drop function of the
 *            type; after an error there are none.
 * Threads    any.
 * Cost       O(bytes), and O(rows) for each key that does not come in the order of the table; an
 *            allocation for each STRING.
 * Errors     WARD_EINVAL the bytes are no such message, with the place, the key and what would be
 *            right in ward_err_detail(); WARD_ESIZE the room is too small; WARD_ELOCAL as
 *            ward_encode(); WARD_ENOMEM; that of a `decode` of the type. The body is all zeros
 *            then.
 * Contract   S175, S176, S177, S178
 */
WARD_API WARD_MUST_USE ward_err ward_decode(ward_format format, const ward_type *type,
					    const void *bytes, size_t count, void *body,
					    size_t room, size_t *ret_size);

/** As ward_decode(), with a say in how refs are read. Cost: as ward_decode(). */
WARD_API WARD_MUST_USE ward_err ward_decode_refs(ward_format format, const ward_codec_refs *refs,
						 const ward_type *type, const void *bytes,
						 size_t count, void *body, size_t room,
						 size_t *ret_size);

/** Returns a size of room that suffices to decode these bytes: the size of the type, and for a type
 *  with a tail no more than `count` bytes above it, nor more than its size_max. Cost: O(1). */
WARD_API size_t ward_decode_room(const ward_type *type, size_t count);

/* ---- bodies that own their strings -------------------------------------------------------- */

/** Frees the strings of a struct by its table; what is a drop function of
 *  WARD_MESSAGE_FIELDS_OWNED. Threads: any. Cost: O(rows), and O(items) for lists. */
WARD_API void ward_fields_drop(const ward_field *fields, void *body);

/** Replaces the strings that *to shares with *from by copies: the clone function of
 *  WARD_MESSAGE_FIELDS_OWNED. Threads: any. Cost: as ward_fields_drop(), and an allocation for each
 *  string. Errors: WARD_ENOMEM; the copies are freed again then. */
WARD_API WARD_MUST_USE ward_err ward_fields_clone(const ward_field *fields, void *to,
						  const void *from);

/* ---- for tests --------------------------------------------------------------------------- */

/** Returns true if two bodies have the same values by the table of their type: padding, what is
 *  behind the 0 of a text, and items that are not in use do not count. Cost: O(size). */
WARD_API bool ward_value_same(const ward_type *type, const void *a, size_t a_size, const void *b,
			      size_t b_size);

/**
 * Makes a body that the table of a type allows; the same seed makes the same one. The first seeds,
 * from 0, have edges in all rows: nothing, the smallest value, the largest, one beside each; later
 * ones mix them with others. A STRING without a max has up to 256 bytes, or is NULL; so has a tail.
 *
 *	struct deposit some;
 *
 *	err = ward_value_random(&ward_type_deposit, 42, &some, sizeof some, NULL);
 *
 * Ownership  the strings in the body are the caller's, who frees them with the drop function of the
 *            type; after an error there are none, and the body is all zeros.
 * Threads    any.
 * Cost       O(size); an allocation for each STRING.
 * Errors     WARD_ELOCAL the type has no table; WARD_ESIZE the room is too small; WARD_ENOMEM.
 * Contract   S183
 */
WARD_API WARD_MUST_USE ward_err ward_value_random(const ward_type *type, uint64_t seed, void *body,
						  size_t room, size_t *ret_size);

/**
 * Makes a body with which a test fails smaller, as long as the test still fails: numbers towards 0,
 * texts and lists shorter, row by row. `fails` returns whether the test fails with a body; it is
 * called at most 10,000 times, never with a value that the table forbids, and must not keep or
 * change the body. *size is that of the body, and that of the smaller one.
 *
 * Ownership  strings that are replaced are freed; the body owns those that it has then.
 * Threads    any; `fails` runs on this thread.
 * Cost       that of `fails`: O(bits) times for a number, O(length) for a text, O(items) for a
 *            list; again as long as something became smaller.
 * Errors     WARD_ELOCAL the type has no table; WARD_EINVAL the test does not fail with the body;
 *            WARD_ENOMEM the body is a smaller one, or the same, with which the test fails.
 * Contract   S183
 */
WARD_API WARD_MUST_USE ward_err ward_value_shrink(const ward_type *type, void *body, size_t *size,
						  bool (*fails)(const void *body, size_t size,
								void *arg) WARD_NOEXCEPT,
						  void *arg);

/* ---- for other programs ------------------------------------------------------------------- */

/**
 * Appends the JSON schema (draft 2020-12) of a type as WARD_FORMAT_JSON writes it: kinds, ranges,
 * names, and which keys must be there. `ward types` prints those of a module.
 *
 * Threads    any.
 * Cost       O(rows).
 * Errors     WARD_ELOCAL the type has no table; WARD_ESIZE, WARD_ENOMEM as ward_bytes_add(). *out
 *            is unchanged then, except for its room.
 * Contract   S184
 */
WARD_API WARD_MUST_USE ward_err ward_codec_schema(const ward_type *type, ward_bytes *out);

WARD_END

/* ---- declaring --------------------------------------------------------------------------- */

/** A row of a table: `WARD_FIELD(UINT, deposit, account, .min = 1)`, with the name of the kind, the
 *  struct, the member, and options of ward_field. The key is the name of the member, and must be
 *  there. The compiler checks that the member exists, and that its size fits the kind. */
#define WARD_FIELD(KIND, T, ...)                                                                   \
	WARD_FIELD_ROW_(true, WARD_FIELD_##KIND, WARD_FITS_##KIND##_, WARD_ITEM_##KIND##_, T,      \
			__VA_ARGS__, )
/** As WARD_FIELD, but the key may be missing: the member is zero then. */
#define WARD_OPTIONAL_FIELD(KIND, T, ...)                                                          \
	WARD_FIELD_ROW_(false, WARD_FIELD_##KIND, WARD_FITS_##KIND##_, WARD_ITEM_##KIND##_, T,     \
			__VA_ARGS__, )
/** The row of the bytes behind the struct, the last one: `WARD_TAIL_FIELD(page, text, .max =
 *  4096)`; in a type of WARD_MESSAGE_FIELDS_UP_TO. */
#define WARD_TAIL_FIELD(T, ...) WARD_TAIL_ROW_(T, __VA_ARGS__, )
/** An option of BYTES and LIST: the member, an unsigned integer, that says how many are in use:
 *  `WARD_FIELD(LIST, order, items, .fields = ward_fields_item, WARD_COUNTED_BY(order, count))`. It
 *  has no row of its own. */
#define WARD_COUNTED_BY(T, member)                                                                 \
	.count_at = (uint32_t)offsetof(struct T, member),                                          \
	.count_size = WARD_FIELD_SIZE_(T, member, WARD_FITS_UINT_(T, member))

/** Declares the table ward_fields_T of struct T, which occurs in messages as a GROUP or in a LIST.
 */
#define WARD_FIELDS(T, ...)                                                                        \
	enum { ward_fields_own_##T = 1 };                                                          \
	WARD_UNUSED static const ward_field ward_fields_##T[] = {__VA_ARGS__, WARD_FIELD_LAST_}
/** Declares struct T as a message, as WARD_MESSAGE does, with a table: its version, from 1, and its
 *  rows. */
#define WARD_MESSAGE_FIELDS(T, version, ...)                                                       \
	WARD_FIELDS_PLAIN_(T, __VA_ARGS__);                                                        \
	WARD_FIELDS_TYPE_(T, version, 0, 0, WARD_TYPE_PLAIN_, NULL, NULL)
/** As WARD_MESSAGE_FIELDS, with flags: `WARD_MESSAGE_FIELDS_FLAGS(pause, 1, WARD_TYPE_CONTROL,
 *  ...)`. */
#define WARD_MESSAGE_FIELDS_FLAGS(T, version, flags, ...)                                          \
	WARD_FIELDS_PLAIN_(T, __VA_ARGS__);                                                        \
	WARD_FIELDS_TYPE_(T, version, 0, 0, (flags) | WARD_TYPE_PLAIN_, NULL, NULL)
/** As WARD_MESSAGE_FIELDS; as a term it is a record, {deposit, 7, 5}. */
#define WARD_MESSAGE_FIELDS_TUPLE(T, version, ...)                                                 \
	WARD_FIELDS_PLAIN_(T, __VA_ARGS__);                                                        \
	WARD_FIELDS_TYPE_(T, version, WARD_CODEC_TUPLE, 0, WARD_TYPE_PLAIN_, NULL, NULL)
/** As WARD_MESSAGE_FIELDS, of a type whose bodies have sizeof(struct T) to `size_max` bytes; see
 *  WARD_TAIL_FIELD and ward_make(). */
#define WARD_MESSAGE_FIELDS_UP_TO(T, version, size_max, ...)                                       \
	WARD_FIELDS_PLAIN_(T, __VA_ARGS__);                                                        \
	WARD_STATIC_ASSERT((size_max) >= sizeof(struct T), "ward: size_max is below the struct");  \
	WARD_FIELDS_TYPE_(T, version, 0, size_max, 0, NULL, NULL)
/** As WARD_MESSAGE_FIELDS, of a type whose body owns its strings, also those in groups and lists:
 *  with a drop function and a clone function made from the table. */
#define WARD_MESSAGE_FIELDS_OWNED(T, version, ...)                                                 \
	WARD_FIELDS(T, __VA_ARGS__);                                                               \
	static void ward_drop_##T(void *body_) WARD_NOEXCEPT                                       \
	{                                                                                          \
		ward_fields_drop(ward_fields_##T, body_);                                          \
	}                                                                                          \
	static ward_err ward_clone_##T(void *to_, const void *from_) WARD_NOEXCEPT                 \
	{                                                                                          \
		return ward_fields_clone(ward_fields_##T, to_, from_);                             \
	}                                                                                          \
	WARD_FIELDS_TYPE_(T, version, 0, 0, 0, ward_drop_##T, ward_clone_##T)

/* A STRING names ward_fields_own_T, which only tables of structs that own something declare. */
#define WARD_FIELDS_PLAIN_(T, ...)                                                                 \
	WARD_UNUSED static const ward_field ward_fields_##T[] = {__VA_ARGS__, WARD_FIELD_LAST_}
#define WARD_FIELDS_TYPE_(T, version_, codec_flags_, size_max_, flags_, drop_, clone_)             \
	WARD_STATIC_ASSERT((version_) >= 1 && (version_) <= WARD_CODEC_VERSION_MAX,                \
			   "ward: the version of a table is 1 to 65535");                          \
	WARD_STATIC_ASSERT(WARD_ALIGNOF(struct T) <= 16, "a message is aligned to 16 at most");    \
	WARD_TYPE_NAME_(T)                                                                         \
	WARD_UNUSED static const ward_codec ward_codec_##T = {                                     \
		(version_), (codec_flags_), ward_fields_##T, #T, {0, 0}};                          \
	WARD_UNUSED static const ward_type ward_type_##T = {WARD_TYPE_NAME_OF_(T, #T),             \
							    (uint32_t)sizeof(struct T),            \
							    (size_max_),                           \
							    (uint32_t)(version_) << 16,            \
							    (flags_),                              \
							    drop_,                                 \
							    clone_,                                \
							    NULL,                                  \
							    NULL,                                  \
							    &ward_codec_##T,                       \
							    {0, 0}}

/* What the compiler checks of a member, by its kind; a kind of files has no such macro. */
#define WARD_MEMBER_(T, m) ((struct T *)0)->m
#define WARD_INTEGER_(size) ((size) == 1 || (size) == 2 || (size) == 4 || (size) == 8)
#define WARD_WHOLE_(T, m)                                                                          \
	(WARD_INTEGER_(sizeof(WARD_MEMBER_(T, m))) && (WARD_TYPEOF_(T, m))0.5 == 0)
#define WARD_NEGATIVE_(T, m) ((WARD_TYPEOF_(T, m)) - 1 < 1)
#define WARD_FITS_BOOL_(T, m) WARD_IS_(T, m, bool)
#define WARD_FITS_INT_(T, m) WARD_WHOLE_(T, m) && WARD_NEGATIVE_(T, m)
#define WARD_FITS_UINT_(T, m) WARD_WHOLE_(T, m) && !WARD_NEGATIVE_(T, m)
#define WARD_FITS_SIZE_(T, m) WARD_WHOLE_(T, m) && !WARD_NEGATIVE_(T, m)
#define WARD_FITS_FLOAT_(T, m) WARD_IS_(T, m, double)
#define WARD_FITS_STRING_(T, m) WARD_IS_(T, m, char *) && ward_fields_own_##T == 1
#define WARD_FITS_TEXT_(T, m) WARD_IS_ARRAY_(T, m) && sizeof WARD_MEMBER_(T, m)[0] == 1
#define WARD_FITS_DURATION_(T, m) WARD_IS_(T, m, int64_t)
#define WARD_FITS_ENUM_(T, m) sizeof(WARD_MEMBER_(T, m)) == sizeof(int) && WARD_WHOLE_(T, m)
#define WARD_FITS_MASK_(T, m) WARD_IS_(T, m, uint32_t)
#define WARD_FITS_REF_(T, m) WARD_IS_(T, m, ward_ref)
#define WARD_FITS_GROUP_(T, m) sizeof(WARD_MEMBER_(T, m)) > 0
#define WARD_FITS_BYTES_(T, m) WARD_FITS_TEXT_(T, m)
#define WARD_FITS_LIST_(T, m) WARD_IS_ARRAY_(T, m)
#define WARD_ITEM_BOOL_(T, m) 0
#define WARD_ITEM_INT_(T, m) 0
#define WARD_ITEM_UINT_(T, m) 0
#define WARD_ITEM_SIZE_(T, m) 0
#define WARD_ITEM_FLOAT_(T, m) 0
#define WARD_ITEM_STRING_(T, m) 0
#define WARD_ITEM_TEXT_(T, m) 0
#define WARD_ITEM_DURATION_(T, m) 0
#define WARD_ITEM_ENUM_(T, m) 0
#define WARD_ITEM_MASK_(T, m) 0
#define WARD_ITEM_REF_(T, m) 0
#define WARD_ITEM_GROUP_(T, m) 0
#define WARD_ITEM_BYTES_(T, m) 0
#define WARD_ITEM_LIST_(T, m) (uint32_t)sizeof WARD_MEMBER_(T, m)[0]

#ifdef __cplusplus
/** The options of a row, in the order of ward_field. */
struct ward_field_options_ {
	int64_t min = 0, max = 0;
	uint64_t umin = 0, umax = 0;
	double low = 0, high = 0;
	const ward_field_name *names = nullptr;
	const ward_field *fields = nullptr;
	uint32_t count_at = 0, count_size = 0;
	uint32_t since = 0;
};

/** Makes a row at compile time. Cost: O(1). */
constexpr ward_field ward_field_row_(const char *key, uint32_t key_size, ward_field_kind kind,
				     uint32_t offset, uint32_t size, uint32_t item, bool required,
				     const ward_field_options_ &with)
{
	return ward_field{key,        kind,        offset,        size,
			  item,       required,    with.min,      with.max,
			  with.umin,  with.umax,   with.low,      with.high,
			  with.names, with.fields, with.count_at, with.count_size,
			  with.since, key_size,    {0, 0}};
}

/** Returns the size, if it fits the kind; otherwise it does not compile. Cost: O(1). */
template <bool fits> constexpr uint32_t ward_field_size_(size_t size)
{
	static_assert(fits, "ward: the member does not fit the kind of its row");
	return (uint32_t)size;
}

template <class A, class B> constexpr bool ward_is_same_ = false;
template <class A> constexpr bool ward_is_same_<A, A> = true;
template <class A> constexpr bool ward_is_array_ = false;
template <class A, size_t N> constexpr bool ward_is_array_<A[N]> = true;

#define WARD_TYPEOF_(T, m) decltype(WARD_MEMBER_(T, m))
#define WARD_IS_(T, m, type) ward_is_same_<WARD_TYPEOF_(T, m), type>
#define WARD_IS_ARRAY_(T, m) ward_is_array_<WARD_TYPEOF_(T, m)>
#define WARD_FIELD_SIZE_(T, m, fits) ward_field_size_<(fits)>(sizeof(WARD_MEMBER_(T, m)))
#define WARD_FIELD_ROW_(required_, kind_, fits_, item_, T, m, ...)                                 \
	ward_field_row_(#m, sizeof #m - 1, kind_, (uint32_t)offsetof(struct T, m),                 \
			WARD_FIELD_SIZE_(T, m, fits_(T, m)), item_(T, m), required_,               \
			ward_field_options_{__VA_ARGS__})
#define WARD_TAIL_ROW_(T, key_, ...)                                                               \
	ward_field_row_(#key_, sizeof #key_ - 1, WARD_FIELD_TAIL, (uint32_t)sizeof(struct T), 0,   \
			0, true, ward_field_options_{__VA_ARGS__})
#define WARD_FIELD_LAST_ ward_field_row_(nullptr, 0, WARD_FIELD_END, 0, 0, 0, false, {})
#else
#define WARD_TYPEOF_(T, m) __typeof__(WARD_MEMBER_(T, m))
#define WARD_IS_(T, m, type) __builtin_types_compatible_p(WARD_TYPEOF_(T, m), type)
#define WARD_IS_ARRAY_(T, m)                                                                       \
	!__builtin_types_compatible_p(WARD_TYPEOF_(T, m), __typeof__(&WARD_MEMBER_(T, m)[0]))
#define WARD_FIELD_SIZE_(T, m, fits)                                                               \
	(uint32_t)(sizeof(WARD_MEMBER_(T, m)) +                                                    \
		   0 * sizeof(struct {                                                             \
			   _Static_assert((fits), "the member does not fit the kind of its row");  \
			   char none_;                                                             \
		   }))
#define WARD_FIELD_ROW_(required_, kind_, fits_, item_, T, m, ...)                                 \
	{                                                                                          \
		.key = #m, .kind = kind_, .offset = (uint32_t)offsetof(struct T, m),               \
		.size = WARD_FIELD_SIZE_(T, m, fits_(T, m)), .item = item_(T, m),                  \
		.required = required_, .key_size = sizeof #m - 1, __VA_ARGS__                      \
	}
#define WARD_TAIL_ROW_(T, key_, ...)                                                               \
	{                                                                                          \
		.key = #key_, .kind = WARD_FIELD_TAIL, .offset = (uint32_t)sizeof(struct T),       \
		.required = true, .key_size = sizeof #key_ - 1, __VA_ARGS__                        \
	}
#define WARD_FIELD_LAST_                                                                           \
	{                                                                                          \
		.key = NULL                                                                        \
	}
#endif

#endif
