/* SPDX-License-Identifier: MIT
 *
 * ward/cxx.h - what the compiler of a program in C++ sees to; empty in C.
 *
 * message.h includes it. There are no verbs in it: it looks at what is sent, which has to be its
 * bytes, and makes the names of message types, which have the namespaces of their structs.
 */
#ifndef WARD_CXX_H
#define WARD_CXX_H

#include <ward/message.h>

#ifdef __cplusplus

#define WARD_NOT_BYTES_                                                                            \
	"ward: a message is copied as bytes, so its struct must be trivially copyable: no "        \
	"std::string, no destructor, nothing virtual; keep what owns something behind a pointer, " \
	"and free it in the drop function of WARD_MESSAGE_DROP"

/** Whether a body is its bytes. Cost: O(1). */
template <class T> constexpr bool ward_is_bytes_()
{
	return __is_trivially_copyable(T);
}

/* It ends with "T = bank::deposit]". */
template <class T> constexpr const char *ward_pretty_()
{
	return __PRETTY_FUNCTION__;
}

/** Writes the name of a message's type, or counts its letters. Cost: O(length). */
struct ward_name_writer_ {
	char *text; /* NULL: only counts */
	size_t length;

	constexpr void put(char c)
	{
		if (text != nullptr)
			text[length] = c;
		length++;
	}

	constexpr void put_text(const char *from)
	{
		while (*from != '\0')
			put(*from++);
	}

	constexpr void put_number(int number)
	{
		if (number > 9)
			put_number(number / 10);
		put((char)('0' + number % 10));
	}

	/* Of the unnamed namespace, or within a function, a name is one of several. */
	constexpr void put_name(const char *pretty, const char *file, int line,
				const char *function)
	{
		bool is_one_of_several = function[0] != '\0';
		const char *from = pretty, *end = pretty;

		while (from[0] != 'T' || from[1] != ' ' || from[2] != '=' || from[3] != ' ')
			from++;
		for (from += 4; *end != '\0'; end++)
			;
		for (; from < end - 1; from++) {
			is_one_of_several |= *from == '(' || *from == '{';
			put(*from);
		}
		if (is_one_of_several) {
			put_text(" at ");
			put_text(file);
			put(':');
			put_number(line);
		}
		put('\0');
	}
};

/** The bytes that the name takes, the 0 at its end included. Cost: O(length). */
template <class T>
constexpr size_t ward_name_length_(const char *file, int line, const char *function)
{
	ward_name_writer_ writer{nullptr, 0};

	writer.put_name(ward_pretty_<T>(), file, line, function);
	return writer.length;
}

/** Room for the name. Cost: O(length), while it is compiled. */
template <size_t N> struct ward_name_ {
	char text[N];

	constexpr ward_name_(const char *pretty, const char *file, int line, const char *function)
	    : text{}
	{
		ward_name_writer_ writer{text, 0};

		writer.put_name(pretty, file, line, function);
	}
};

/* The plain sends, of a body whose type the compiler knows. */
#define WARD_BYTES_ONLY_ template <class T, size_t = sizeof(T)> inline

/** As above; a body that is more than its bytes does not compile. Cost: as ward_send(). */
WARD_BYTES_ONLY_ void ward_send(ward_self *self, ward_ref to, const ward_type *type, const T *body,
				size_t size)
{
	static_assert(ward_is_bytes_<T>(), WARD_NOT_BYTES_);
	ward_send(self, to, type, static_cast<const void *>(body), size);
}

/** As above. Cost: as ward_try_send(). */
WARD_BYTES_ONLY_ WARD_MUST_USE ward_err ward_try_send(ward_self *self, ward_ref to,
						      const ward_type *type, const T *body,
						      size_t size)
{
	static_assert(ward_is_bytes_<T>(), WARD_NOT_BYTES_);
	return ward_try_send(self, to, type, static_cast<const void *>(body), size);
}

/** As above. Cost: as ward_system_send(). */
WARD_BYTES_ONLY_ void ward_system_send(ward_system *system, ward_ref to, const ward_type *type,
				       const T *body, size_t size)
{
	static_assert(ward_is_bytes_<T>(), WARD_NOT_BYTES_);
	ward_system_send(system, to, type, static_cast<const void *>(body), size);
}

/** As above. Cost: as ward_system_try_send(). */
WARD_BYTES_ONLY_ WARD_MUST_USE ward_err ward_system_try_send(ward_system *system, ward_ref to,
							     const ward_type *type, const T *body,
							     size_t size)
{
	static_assert(ward_is_bytes_<T>(), WARD_NOT_BYTES_);
	return ward_system_try_send(system, to, type, static_cast<const void *>(body), size);
}

#endif
#endif
