%% SPDX-License-Identifier: MIT
%%
%% asking.erl - a question and its answer, one at a time; and timers, of which most never fire.
-module(asking).

-export([ask/1, ask_bare/1, timers/1]).
-export([ask_across/1, ask_across_bare/1, ask_across_busy/1, ask_across_spin/1]).
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2]).

%% As programs do it: the call notices when the server dies, and has a timeout.
ask(N) ->
    asks("ask", fun server/1, fun call/1, [], [], N).

%% The least that it takes: a reference, so that no other message is taken for the answer.
ask_bare(N) ->
    asks("ask_bare", fun bare_server/1, fun bare_call/1, [], [], N).

%% The same with a scheduler for each of the two.
ask_across(N) ->
    asks("ask_across", fun server/1, fun call/1, [{scheduler, 1}], [{scheduler, 2}],
         N).

ask_across_bare(N) ->
    two_cores("ask_across_bare", N).

%% Both schedulers have other work, in turns that are as short as can be, and so never sleep.
ask_across_busy(N) ->
    Busy = [spawn_opt(fun busy/0, [link, {scheduler, I}]) || I <- [1, 2]],
    two_cores("ask_across_busy", N),
    [begin unlink(Pid), exit(Pid, kill) end || Pid <- Busy],
    ok.

busy() ->
    self() ! spin,
    receive
        spin -> erlang:yield()
    end,
    busy().

%% For this one erlang-peer lets no scheduler sleep.
ask_across_spin(N) ->
    two_cores("ask_across_spin", N).

two_cores(Name, N) ->
    asks(Name, fun bare_server/1, fun bare_call/1, [{scheduler, 1}], [{scheduler, 2}], N).

asks(Name, Start, Ask, Mine, Its, Count) ->
    Times = atomics:new(Count, []),
    Self = self(),
    spawn_opt(fun() ->
        repeat(Ask, Start(Its), Times, Count),
        Self ! done
    end, [link | Mine]),
    bench:wait(done, 1),
    bench:percentiles(Name, Times).

repeat(_Ask, _Server, _Times, 0) ->
    ok;
repeat(Ask, Server, Times, Left) ->
    Begin = erlang:monotonic_time(nanosecond),
    Ask(Server),
    atomics:put(Times, Left, erlang:monotonic_time(nanosecond) - Begin),
    repeat(Ask, Server, Times, Left - 1).

server(Options) ->
    {ok, Server} = gen_server:start_link(?MODULE, [], [{spawn_opt, Options}]),
    Server.

call(Server) ->
    gen_server:call(Server, question).

init([]) ->
    {ok, none}.

handle_call(question, _From, State) ->
    {reply, answer, State}.

handle_cast(_, State) ->
    {noreply, State}.

bare_server(Options) ->
    spawn_opt(fun answer/0, [link | Options]).

answer() ->
    receive
        {question, From, Ref} ->
            From ! {Ref, answer},
            answer()
    end.

bare_call(Server) ->
    Ref = make_ref(),
    Server ! {question, self(), Ref},
    receive
        {Ref, answer} -> answer
    end.

%% ---- timers ------------------------------------------------------------------------------------

%% All are armed, for a time between one and two minutes; then all are cancelled.
timers(N) ->
    Ns = bench:elapsed(fun() ->
        Timers = [erlang:send_after(60000 + I rem 60000, self(), late)
                  || I <- lists:seq(1, N)],
        [erlang:cancel_timer(Timer, [{async, true}, {info, false}]) || Timer <- Timers],
        ok
    end),
    bench:report("timers", Ns / N, "ns").
