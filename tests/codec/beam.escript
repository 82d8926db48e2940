#!/usr/bin/env escript
%% SPDX-License-Identifier: MIT
%%! -noinput +S 1
%%
%% beam.escript - reads terms that ward has written, on standard input, and writes for each what it is, and
%% the term again as term_to_binary() writes it, on standard output.
%%
%% Frames have four bytes of length. One frame has many terms, each with four bytes of length and a byte
%% that says what becomes of the term before it is written: see changed/2. The answer has for each the
%% text of spell.h and the term, each with four bytes of length. An exception is a text that begins with
%% an exclamation mark, and an empty term.
-mode(compile).

main(_) ->
    Port = open_port({fd, 0, 1}, [binary, {packet, 4}, eof]),
    loop(Port).

loop(Port) ->
    receive
        {Port, {data, Frame}} ->
            Port ! {self(), {command, answers(Frame, [])}},
            loop(Port);
        {Port, eof} ->
            ok
    end.

answers(<<Size:32, How, Term:Size/binary, Rest/binary>>, Done) ->
    answers(Rest, [answer(How, Term) | Done]);
answers(<<>>, Done) ->
    lists:reverse(Done).

answer(How, Bytes) ->
    try
        {Term, Used} = binary_to_term(Bytes, [used]),
        Used = byte_size(Bytes),
        [sized(iolist_to_binary(spelled(Term))), sized(written(How, changed(How, Term)))]
    catch
        Class:Reason ->
            [sized(iolist_to_binary(io_lib:format("!~p ~p", [Class, Reason]))), sized(<<>>)]
    end.

sized(Binary) -> [<<(byte_size(Binary)):32>>, Binary].

%% ---- what a term is ------------------------------------------------------------------------

spelled(Signal) when is_atom(Signal) -> atom_to_binary(Signal);
spelled({Name, Map}) when is_map(Map) -> [atom_to_binary(Name), part(Map)];
spelled(Record) ->
    [Name | Values] = tuple_to_list(Record),
    [atom_to_binary(Name), $(, [[part(V), $;] || V <- Values], $)].

part(V) when is_integer(V) -> integer_to_binary(V);
part(V) when is_float(V) -> <<Bits:64>> = <<V/float>>, [$f, integer_to_binary(Bits)];
part(V) when is_binary(V) -> [$b, binary:encode_hex(V)];
part(V) when is_atom(V) -> [$a, atom_to_binary(V)];
part(V) when is_pid(V) -> [$r, pid(term_to_binary(V, [{minor_version, 2}]))];
part(V) when is_list(V) ->
    Sorted = case lists:all(fun erlang:is_atom/1, V) of
        true -> lists:sort(V);
        false -> V
    end,
    [$[, [[part(E), $,] || E <- Sorted], $]];
part(V) when is_map(V) ->
    [${, [[atom_to_binary(K), $\s, part(maps:get(K, V)), $;] || K <- lists:sort(maps:keys(V))], $}].

pid(<<131, 88, 119, Size, _:Size/binary, Id:32, Serial:32, Creation:32>>) ->
    [integer_to_binary(Id), $., integer_to_binary(Serial), $., integer_to_binary(Creation)].

%% ---- what becomes of it --------------------------------------------------------------------

%% 0: nothing. 1: keys that ward does not know, of all kinds, are added to each map. 2: floats without a
%% fraction are integers. 3: atoms are written in UTF-8, as from OTP 26 on. 4: all of it.
changed(1, Term) -> more(Term);
changed(2, Term) -> whole(Term);
changed(4, Term) -> more(whole(Term));
changed(_, Term) -> Term.

written(How, Term) when How =:= 3; How =:= 4 -> term_to_binary(Term, [{minor_version, 2}]);
written(_, Term) -> term_to_binary(Term).

more({Name, Map}) when is_map(Map) -> {Name, more(Map)};
more(Map) when is_map(Map) ->
    maps:merge(
        #{
            'unknown' => [{1, -2.5, #{<<"a">> => [], "key" => {}}}, self(), make_ref()],
            'unknown-string' => "as a string",
            'unknown-large' => [1 bsl 70, -(1 bsl 3000), 255, 256, -1, 1 bsl 31],
            'unknown-pair' => [a | b],
            'unknown-bits' => <<5:3>>,
            'unknown-fun' => fun erlang:node/0,
            <<"binary">> => <<>>,
            17 => list_to_tuple(lists:seq(1, 300))
        },
        maps:map(fun(_, V) -> more(V) end, Map)
    );
more(List) when is_list(List) -> [more(V) || V <- List];
more(Term) -> Term.

whole(V) when is_float(V), trunc(V) == V, abs(V) < 1.0e15, V /= 0 -> trunc(V);
whole(V) when is_map(V) -> maps:map(fun(_, E) -> whole(E) end, V);
whole(V) when is_list(V) -> [whole(E) || E <- V];
whole(V) when is_tuple(V) -> list_to_tuple([whole(E) || E <- tuple_to_list(V)]);
whole(V) -> V.
