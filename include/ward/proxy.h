/* SPDX-License-Identifier: MIT
 *
 * ward/proxy.h - typed proxies of active objects: a call looks like a call of a C function.
 * Of the library ward-akka-zero.
 *
 *	#define ACCOUNT(TELL, ASK)					in a header
 *		TELL(account, deposit, (int64_t, cents))
 *		TELL(account, close)
 *		ASK(account, withdraw, bool, (int64_t, cents))
 *		ASK(account, balance, int64_t)
 *	WARD_OBJECT(account, ACCOUNT);
 *
 *	account_deposit(acc, 5);					in callers
 *	err = account_balance(acc, &cents);
 *
 *	struct account { int64_t cents; };				in one .c file
 *	static ward_result account_do_deposit(ward_self *self, struct account *me, int64_t cents);
 *	static ward_result account_do_balance(ward_self *self, struct account *me,
 *					      int64_t *ret_answer);
 *	...
 *	WARD_OBJECT_CLASS(account, ACCOUNT, .create = account_create);
 *
 * A row names the class, the method, for ASK the type of the answer, and up to 8 parameters, each a
 * type and a name in parentheses. A type may be a number, an enum or a struct, but not an array.
 * The compiler refuses a pointer, but does not look inside a struct. A name may not end in "_".
 * TELL declares a method without an answer, ASK one with an answer; you may choose other names for
 * TELL, ASK and the list.
 *
 * WARD_OBJECT declares `account_ref`, which is a ward_object that only these functions take, and
 *
 *	ward_err account_instance(objects, id, &acc)	as ward_objects_get(); id may be NULL
 *
 *	void     account_deposit(acc, 5)		of TELL: ward_object_tell()
 *	ward_err account_deposit_try(acc, 5)		ward_object_try_tell()
 *	void     account_deposit_from(self, acc, 5)	ward_object_tell_from(), for actors
 *
 *	ward_err account_balance(acc, &cents)		of ASK: ward_object_call()
 *	void     account_balance_ask(self, acc, TAG)	ward_object_ask(), for actors
 *	ward_err account_balance_ask_try(self, acc, TAG)	ward_try_object_ask()
 *	ward_err account_balance_inbox(inbox, acc)	ward_object_ask_inbox()
 *	ward_err account_balance_answered(msg, &cents)	ward_object_answered(), after these two
 *
 * They are the calls of object.h with types added: see there for errors, threads, order and cost.
 * `account_deposit_method` is the number of a method, `account_class` the class. All of this works
 * in C++, too, except WARD_OBJECT_CLASS.
 */
#ifndef WARD_PROXY_H
#define WARD_PROXY_H

#include <ward/object.h>

/** Declares the proxies of a class: at file level, in a header, or before WARD_OBJECT_CLASS. */
#define WARD_OBJECT(C, METHODS)                                                                    \
	METHODS(WARD_TELL_ARGS_, WARD_ASK_ARGS_)                                                   \
	enum C##_methods_{METHODS(WARD_TELL_NUMBER_, WARD_ASK_NUMBER_) C##_methods_count_};        \
	typedef struct C##_ref {                                                                   \
		ward_object object;                                                                \
	} C##_ref;                                                                                 \
	WARD_BEGIN                                                                                 \
	extern const ward_object_class C##_class;                                                  \
	WARD_END                                                                                   \
	METHODS(WARD_TELL_PROXIES_, WARD_ASK_PROXIES_)                                             \
	WARD_UNUSED WARD_MUST_USE static inline ward_err C##_instance(                             \
		const ward_objects *objects, const char *id, C##_ref *ret_ref)                     \
	{                                                                                          \
		return ward_objects_get(objects, &C##_class, id, &ret_ref->object);                \
	}                                                                                          \
	struct C##_ref

#ifndef __cplusplus
/** Defines the class, `account_class`, from `struct account`, which must be complete, and from the
 *  static functions account_do_deposit() and so on, in the same file. The arguments after the list
 *  are further fields of a ward_object_class. */
#define WARD_OBJECT_CLASS(C, ...) WARD_CLASS_(C, WARD_FIRST_(__VA_ARGS__, 0), __VA_ARGS__)
#endif

/* ---- a row: TELL(C, m, parameters...), ASK(C, m, answer, parameters...) -------------------- */

/* Both become (C, m, a skipped argument, parameters...). A compiler that refuses a call names its
 * function; the texts of refusals here begin with the method. */
#define WARD_TELL_ARGS_(C, ...) WARD_ARGS_(C, WARD_FIRST_(__VA_ARGS__, 0), __VA_ARGS__)
#define WARD_TELL_NUMBER_(C, ...) WARD_NUMBER_(C, WARD_FIRST_(__VA_ARGS__, 0))
#define WARD_TELL_PROXIES_(C, ...) WARD_TELLS_(C, WARD_FIRST_(__VA_ARGS__, 0), __VA_ARGS__)
#define WARD_TELL_THUNK_(C, ...) WARD_TOLD_(C, WARD_FIRST_(__VA_ARGS__, 0), __VA_ARGS__)
#define WARD_TELL_ROW_(C, ...) WARD_ROW_(C, WARD_FIRST_(__VA_ARGS__, 0), 0)
#define WARD_ASK_ARGS_(C, m, ...)                                                                  \
	WARD_ARGS_(C, m, __VA_ARGS__)                                                              \
	WARD_ANSWER_CHECK_(C, m, WARD_FIRST_(__VA_ARGS__, 0))
#define WARD_ASK_NUMBER_(C, m, ...) WARD_NUMBER_(C, m)
#define WARD_ASK_PROXIES_(C, m, ...) WARD_ASKS_(C, m, WARD_FIRST_(__VA_ARGS__, 0), __VA_ARGS__)
#define WARD_ASK_THUNK_(C, m, ...) WARD_ASKED_(C, m, WARD_FIRST_(__VA_ARGS__, 0), __VA_ARGS__)
#define WARD_ASK_ROW_(C, m, ...) WARD_ROW_(C, m, sizeof(WARD_FIRST_(__VA_ARGS__, 0)))

/* ---- its arguments and its number ---------------------------------------------------------- */

/* Without parameters there is still a struct, of which nothing is sent. */
#define WARD_ARGS_(C, m, ...) WARD_ARGS_2_(C, m, __VA_ARGS__)
#define WARD_ARGS_2_(C, m, ...)                                                                    \
	WARD_EACH_(WARD_PARAM_CHECK_, C, m, __VA_ARGS__)                                           \
	struct C##_##m##_args_ {                                                                   \
		WARD_IF_NONE_(unsigned char none_;, __VA_ARGS__)                                   \
		WARD_EACH_(WARD_PARAM_FIELD_, C, m, __VA_ARGS__)                                   \
	};                                                                                         \
	enum { C##_##m##_size_ = WARD_IF_NONE_(0 *, __VA_ARGS__) sizeof(struct C##_##m##_args_) }; \
	WARD_STATIC_ASSERT(sizeof(struct C##_##m##_args_) <= 4096 &&                               \
				   WARD_ALIGNOF(struct C##_##m##_args_) <= 16,                     \
			   #C "." #m ": its arguments are too large: 4096 bytes, aligned to 16");
#define WARD_ANSWER_CHECK_(C, m, R) WARD_ANSWER_CHECK_2_(C, m, R)
#define WARD_ANSWER_CHECK_2_(C, m, R)                                                              \
	WARD_NO_POINTER_(R, #C "." #m ": its answer is a pointer: answer with a struct by value"); \
	WARD_STATIC_ASSERT(sizeof(R) <= 4096 && WARD_ALIGNOF(R) <= 16,                             \
			   #C "." #m ": its answer is too large: 4096 bytes, aligned to 16");
#define WARD_NUMBER_(C, m) WARD_NUMBER_2_(C, m)
#define WARD_NUMBER_2_(C, m) C##_##m##_method,

/* For each parameter. */
#define WARD_PARAM_CHECK_(C, m, T, n)                                                              \
	WARD_NO_POINTER_(T,                                                                        \
			 #C "." #m ": its parameter " #n " is a pointer: pass a struct by value");
#define WARD_PARAM_FIELD_(C, m, T, n) T n;
#define WARD_PARAM_DECLARE_(C, m, T, n) , T n
#define WARD_PARAM_VALUE_(C, m, T, n) n,
#define WARD_PARAM_PASS_(C, m, T, n) , (args_->n)
/* 5 is the class of a pointer, with both compilers in both languages. */
#define WARD_NO_POINTER_(T, text) WARD_STATIC_ASSERT(__builtin_classify_type(*(T *)0) != 5, text)

/* ---- its proxies --------------------------------------------------------------------------- */

#define WARD_PARAMS_(C, m, ...) WARD_EACH_(WARD_PARAM_DECLARE_, C, m, __VA_ARGS__)
#define WARD_PACK_(C, m, ...)                                                                      \
	const struct C##_##m##_args_ args_ = {                                                     \
		WARD_IF_NONE_(0, __VA_ARGS__) WARD_EACH_(WARD_PARAM_VALUE_, C, m, __VA_ARGS__)}
#define WARD_PROXY_ WARD_UNUSED static inline
#define WARD_CALL_(C, m) &object_.object, WARD_METHOD_(C, m)
#define WARD_METHOD_(C, m) C##_##m##_method, &args_, C##_##m##_size_

#define WARD_TELLS_(C, m, ...) WARD_TELLS_2_(C, m, __VA_ARGS__)
#define WARD_TELLS_2_(C, m, ...)                                                                   \
	WARD_PROXY_ void C##_##m(C##_ref object_ WARD_PARAMS_(C, m, __VA_ARGS__))                  \
	{                                                                                          \
		WARD_PACK_(C, m, __VA_ARGS__);                                                     \
		ward_object_tell(WARD_CALL_(C, m));                                                \
	}                                                                                          \
	WARD_PROXY_ WARD_MUST_USE ward_err C##_##m##_try(                                          \
		C##_ref object_ WARD_PARAMS_(C, m, __VA_ARGS__))                                   \
	{                                                                                          \
		WARD_PACK_(C, m, __VA_ARGS__);                                                     \
		return ward_object_try_tell(WARD_CALL_(C, m));                                     \
	}                                                                                          \
	WARD_PROXY_ void C##_##m##_from(ward_self *self_,                                          \
					C##_ref object_ WARD_PARAMS_(C, m, __VA_ARGS__))           \
	{                                                                                          \
		WARD_PACK_(C, m, __VA_ARGS__);                                                     \
		ward_object_tell_from(self_, WARD_CALL_(C, m));                                    \
	}

#define WARD_ASKS_(C, m, R, ...) WARD_ASKS_2_(C, m, R, __VA_ARGS__)
#define WARD_ASKS_2_(C, m, R, ...)                                                                 \
	WARD_PROXY_ WARD_MUST_USE ward_err C##_##m(                                                \
		C##_ref object_ WARD_PARAMS_(C, m, __VA_ARGS__), R *ret_answer_)                   \
	{                                                                                          \
		WARD_PACK_(C, m, __VA_ARGS__);                                                     \
		return ward_object_call(WARD_CALL_(C, m), ret_answer_, sizeof *ret_answer_);       \
	}                                                                                          \
	WARD_PROXY_ void C##_##m##_ask(ward_self *self_, C##_ref object_,                          \
				       uint64_t tag_ WARD_PARAMS_(C, m, __VA_ARGS__))              \
	{                                                                                          \
		WARD_PACK_(C, m, __VA_ARGS__);                                                     \
		ward_object_ask(self_, &object_.object, tag_, WARD_METHOD_(C, m));                 \
	}                                                                                          \
	WARD_PROXY_ WARD_MUST_USE ward_err C##_##m##_ask_try(                                      \
		ward_self *self_, C##_ref object_, uint64_t tag_ WARD_PARAMS_(C, m, __VA_ARGS__))  \
	{                                                                                          \
		WARD_PACK_(C, m, __VA_ARGS__);                                                     \
		return ward_try_object_ask(self_, &object_.object, tag_, WARD_METHOD_(C, m));      \
	}                                                                                          \
	WARD_PROXY_ WARD_MUST_USE ward_err C##_##m##_inbox(                                        \
		ward_inbox *inbox_, C##_ref object_ WARD_PARAMS_(C, m, __VA_ARGS__))               \
	{                                                                                          \
		WARD_PACK_(C, m, __VA_ARGS__);                                                     \
		return ward_object_ask_inbox(inbox_, WARD_CALL_(C, m));                            \
	}                                                                                          \
	WARD_PROXY_ WARD_MUST_USE ward_err C##_##m##_answered(const ward_msg *msg_,                \
							      R *ret_answer_)                      \
	{                                                                                          \
		return ward_object_answered(msg_, &C##_class, C##_##m##_method, ret_answer_,       \
					    sizeof *ret_answer_);                                  \
	}

/* ---- its place in the class ---------------------------------------------------------------- */

#define WARD_CLASS_(C, METHODS, ...)                                                               \
	METHODS(WARD_TELL_THUNK_, WARD_ASK_THUNK_)                                                 \
	static const ward_method C##_table_[] = {METHODS(WARD_TELL_ROW_, WARD_ASK_ROW_)};          \
	const ward_object_class C##_class = {                                                      \
		.name = #C,                                                                        \
		.methods = C##_table_,                                                             \
		.methods_count = C##_methods_count_,                                               \
		.state_size = sizeof(struct C),                                                    \
		WARD_JOIN_(WARD_FIELDS_, WARD_NONE_OR_SOME_(__VA_ARGS__))(__VA_ARGS__)}
#define WARD_FIELDS_NONE_(METHODS)
#define WARD_FIELDS_SOME_(METHODS, ...) __VA_ARGS__

/* From the bytes of a call to the function of the program, whose type is checked here. */
#define WARD_TOLD_(C, m, ...) WARD_TOLD_2_(C, m, __VA_ARGS__)
#define WARD_TOLD_2_(C, m, ...)                                                                    \
	static ward_result C##_do_##m(ward_self *self,                                             \
				      struct C *me WARD_PARAMS_(C, m, __VA_ARGS__));               \
	static ward_result C##_call_##m##_(ward_self *self, void *object, const void *body_,       \
					   void *answer_)                                          \
	{                                                                                          \
		const struct C##_##m##_args_ *args_ = (const struct C##_##m##_args_ *)body_;       \
		(void)args_, (void)answer_;                                                        \
		return C##_do_##m(                                                                 \
			self, (struct C *)object WARD_EACH_(WARD_PARAM_PASS_, C, m, __VA_ARGS__)); \
	}
#define WARD_ASKED_(C, m, R, ...) WARD_ASKED_2_(C, m, R, __VA_ARGS__)
#define WARD_ASKED_2_(C, m, R, ...)                                                                \
	static ward_result C##_do_##m(                                                             \
		ward_self *self, struct C *me WARD_PARAMS_(C, m, __VA_ARGS__), R *ret_answer);     \
	static ward_result C##_call_##m##_(ward_self *self, void *object, const void *body_,       \
					   void *answer_)                                          \
	{                                                                                          \
		const struct C##_##m##_args_ *args_ = (const struct C##_##m##_args_ *)body_;       \
		(void)args_;                                                                       \
		return C##_do_##m(                                                                 \
			self, (struct C *)object WARD_EACH_(WARD_PARAM_PASS_, C, m, __VA_ARGS__),  \
			(R *)answer_);                                                             \
	}
#define WARD_ROW_(C, m, answer_size) WARD_ROW_2_(C, m, answer_size)
#define WARD_ROW_2_(C, m, answer_size) {#m, C##_##m##_size_, answer_size, C##_call_##m##_},

/* ---- lists of macros ----------------------------------------------------------------------- */

#define WARD_FIRST_(first, ...) first
#define WARD_JOIN_(a, b) WARD_JOIN_2_(a, b)
#define WARD_JOIN_2_(a, b) a##b
/* NONE_: only the skipped argument is there. */
#define WARD_NONE_OR_SOME_(...)                                                                    \
	WARD_10TH_(__VA_ARGS__, SOME_, SOME_, SOME_, SOME_, SOME_, SOME_, SOME_, SOME_, NONE_, 0)
#define WARD_COUNT_(...) WARD_10TH_(__VA_ARGS__, 8_, 7_, 6_, 5_, 4_, 3_, 2_, 1_, 0_, 0)
#define WARD_10TH_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, ...) a10
/* `text` if there are no parameters. */
#define WARD_IF_NONE_(text, ...) WARD_JOIN_(WARD_IF_NONE_, WARD_NONE_OR_SOME_(__VA_ARGS__))(text)
#define WARD_IF_NONE_NONE_(text) text
#define WARD_IF_NONE_SOME_(text)
/* F(C, m, T, n) for each parameter. */
#define WARD_EACH_(F, C, m, ...)                                                                   \
	WARD_JOIN_(WARD_EACH_, WARD_COUNT_(__VA_ARGS__))(F, C, m, __VA_ARGS__)
#define WARD_ONE_(F, C, m, pair) WARD_APPLY_(F, C, m, WARD_UNPAIR_ pair)
#define WARD_APPLY_(F, ...) F(__VA_ARGS__)
#define WARD_UNPAIR_(T, n) T, n
#define WARD_EACH_0_(F, C, m, skip)
#define WARD_EACH_1_(F, C, m, skip, p1) WARD_ONE_(F, C, m, p1)
#define WARD_EACH_2_(F, C, m, skip, p1, p2) WARD_EACH_1_(F, C, m, skip, p1) WARD_ONE_(F, C, m, p2)
#define WARD_EACH_3_(F, C, m, skip, p1, p2, p3)                                                    \
	WARD_EACH_2_(F, C, m, skip, p1, p2) WARD_ONE_(F, C, m, p3)
#define WARD_EACH_4_(F, C, m, skip, p1, p2, p3, p4)                                                \
	WARD_EACH_3_(F, C, m, skip, p1, p2, p3) WARD_ONE_(F, C, m, p4)
#define WARD_EACH_5_(F, C, m, skip, p1, p2, p3, p4, p5)                                            \
	WARD_EACH_4_(F, C, m, skip, p1, p2, p3, p4) WARD_ONE_(F, C, m, p5)
#define WARD_EACH_6_(F, C, m, skip, p1, p2, p3, p4, p5, p6)                                        \
	WARD_EACH_5_(F, C, m, skip, p1, p2, p3, p4, p5) WARD_ONE_(F, C, m, p6)
#define WARD_EACH_7_(F, C, m, skip, p1, p2, p3, p4, p5, p6, p7)                                    \
	WARD_EACH_6_(F, C, m, skip, p1, p2, p3, p4, p5, p6) WARD_ONE_(F, C, m, p7)
#define WARD_EACH_8_(F, C, m, skip, p1, p2, p3, p4, p5, p6, p7, p8)                                \
	WARD_EACH_7_(F, C, m, skip, p1, p2, p3, p4, p5, p6, p7) WARD_ONE_(F, C, m, p8)

#endif
