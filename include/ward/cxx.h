/* SPDX-License-Identifier: MIT
 *
 * ward/cxx.h - checks for programs in C++; empty in C.
 *
 * message.h includes it. It makes sure at compile time that a body can be sent as its bytes, by
 * templates with the names of the plain sends, and makes the names of message types, which include
 * the namespaces of their structs. All else in C++ is as in C.
 */
#ifndef WARD_CXX_H
#define WARD_CXX_H

#include <ward/message.h>

#ifdef __cplusplus

#define WARD_NOT_BYTES_                                                                            \
	"ward: a message is copied as bytes, so its struct must be trivially copyable: no "        \
	"std::string, no destructor, nothing virtual; keep what owns something behind a pointer, " \
	"and free it in the drop function of WARD_MESSAGE_DROP"

/** True if a body may be copied as its bytes. Cost: O(1). */
template <class T> constexpr bool ward_is_bytes_()
{
	return __is_trivially_copyable(T);
}

/* It ends with "T = bank::deposit]". */
template <class T> constexpr const char *ward_pretty_()
{
	return __PRETTY_FUNCTION__;
}

/** Writes the name of a message's type, or counts its characters. Cost: O(length). */
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

	/* A name in the unnamed namespace or inside a function may occur several times. */
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

/** Returns the size of the name, including the terminating 0. Cost: O(length). */
template <class T>
constexpr size_t ward_name_length_(const char *file, int line, const char *function)
{
	ward_name_writer_ writer{nullptr, 0};

	writer.put_name(ward_pretty_<T>(), file, line, function);
	return writer.length;
}

/** Storage for the name. Cost: O(length), at compile time. */
template <size_t N> struct ward_name_ {
	char text[N];

	constexpr ward_name_(const char *pretty, const char *file, int line, const char *function)
	    : text{}
	{
		ward_name_writer_ writer{text, 0};

		writer.put_name(pretty, file, line, function);
	}
};

/* The plain sends, for a body whose type the compiler knows. */
#define WARD_BYTES_ONLY_ template <class T, size_t = sizeof(T)> inline

/** As ward_send(); does not compile for a body that is not trivially copyable. Cost: as
 *  ward_send(). */
WARD_BYTES_ONLY_ void ward_send(ward_self *self, ward_ref to, const ward_type *type, const T *body,
				size_t size)
{
	static_assert(ward_is_bytes_<T>(), WARD_NOT_BYTES_);
	ward_send(self, to, type, static_cast<const void *>(body), size);
}

/** As ward_try_send(); does not compile for a body that is not trivially copyable. Cost: as
 *  ward_try_send(). */
WARD_BYTES_ONLY_ WARD_MUST_USE ward_err ward_try_send(ward_self *self, ward_ref to,
						      const ward_type *type, const T *body,
						      size_t size)
{
	static_assert(ward_is_bytes_<T>(), WARD_NOT_BYTES_);
	return ward_try_send(self, to, type, static_cast<const void *>(body), size);
}

/** As ward_system_send(); does not compile for a body that is not trivially copyable. Cost: as
 *  ward_system_send(). */
WARD_BYTES_ONLY_ void ward_system_send(ward_system *system, ward_ref to, const ward_type *type,
				       const T *body, size_t size)
{
	static_assert(ward_is_bytes_<T>(), WARD_NOT_BYTES_);
	ward_system_send(system, to, type, static_cast<const void *>(body), size);
}

/** As ward_system_try_send(); does not compile for a body that is not trivially copyable. Cost: as
 *  ward_system_try_send(). */
WARD_BYTES_ONLY_ WARD_MUST_USE ward_err ward_system_try_send(ward_system *system, ward_ref to,
							     const ward_type *type, const T *body,
							     size_t size)
{
	static_assert(ward_is_bytes_<T>(), WARD_NOT_BYTES_);
	return ward_system_try_send(system, to, type, static_cast<const void *>(body), size);
}

#endif
#endif
