%% SPDX-License-Identifier: MIT
%%
%% bench.erl - runs one benchmark on Erlang/OTP, once, and prints its figures.
%%
%%	erlang-peer NAME WORKERS [N]	prints a line for each figure: name, value, unit
%%	erlang-peer --list		prints name, default N
%%	erlang-peer --version
%%
%% Tabs between. What N counts is what it counts in ward-bench.
-module(bench).

-export([main/1, elapsed/1, wait/2, report/3, percentiles/2]).

benches() ->
    [{pingpong, fun messages:pingpong/1, 2000000},
     {pingpong4, fun messages:pingpong4/1, 500000},
     {counting, fun messages:counting/1, 10000000},
     {counting_off_heap, fun messages:counting_off_heap/1, 10000000},
     {threadring, fun messages:threadring/1, 5000000},
     {fjthroughput, fun messages:fjthroughput/1, 100000},
     {mpsc, fun messages:mpsc/1, 10000000},
     {mpsc_off_heap, fun messages:mpsc_off_heap/1, 10000000},
     {big, fun crowds:big/1, 20000},
     {chameneos, fun crowds:chameneos/1, 1000000},
     {fjcreate, fun lives:fjcreate/1, 1000000},
     {children, fun lives:children/1, 1000000},
     {mem, fun lives:mem/1, 1000000},
     {mem_hibernated, fun lives:mem_hibernated/1, 1000000},
     {restart_otp, fun supervision:restart_otp/1, 40000},
     {restart_hand, fun supervision:restart_hand/1, 300000},
     {deathwatch, fun supervision:deathwatch/1, 500000},
     {timers, fun asking:timers/1, 1000000},
     {ask, fun asking:ask/1, 300000},
     {ask_bare, fun asking:ask_bare/1, 300000},
     {ask_across, fun asking:ask_across/1, 20000},
     {ask_across_bare, fun asking:ask_across_bare/1, 20000},
     {ask_across_busy, fun asking:ask_across_busy/1, 20000},
     {ask_across_spin, fun asking:ask_across_spin/1, 20000},
     {storm, fun supervision:storm/1, 30},
     {storm_5000, fun supervision:storm_5000/1, 6},
     {body_256, fun(N) -> messages:body("body_256", 256, N) end, 200000},
     {body_1k, fun(N) -> messages:body("body_1k", 1024, N) end, 200000},
     {body_4k, fun(N) -> messages:body("body_4k", 4096, N) end, 100000},
     {body_64k, fun(N) -> messages:body("body_64k", 65536, N) end, 10000},
     {timers_fire, fun clocks:timers_fire/1, 50000},
     {timers_fire_many, fun clocks:timers_fire_many/1, 50000},
     {ticks, fun clocks:ticks/1, 2000},
     {late, fun clocks:late/1, 500},
     {mem_timer, fun clocks:mem_timer/1, 1000000},
     {start, fun clocks:start/1, 1}] ++
        [echo_bench(How, Connections, Active)
         || How <- [echo, echo_busy], Connections <- [1, 100, 1000], Active <- [true, once]] ++
        [echo_bench(lines, Connections, Active)
         || Connections <- [1, 100, 1000, 9000], Active <- [true, once]] ++
        [{mem_lines, fun(N) -> sockets:mem_lines("mem_lines", awake, N) end, 9000},
         {mem_lines_hibernated,
          fun(N) -> sockets:mem_lines("mem_lines_hibernated", hibernated, N) end, 9000}].

%% echo_100, echo_busy_100_once, lines_100, ...; N is the time in milliseconds.
echo_bench(How, Connections, Active) ->
    Suffix = case Active of
                 true -> "";
                 once -> "_once"
             end,
    Span = case Connections of
               9000 -> 2000;
               1000 -> 1500;
               _ -> 500
           end,
    Name = lists:concat([How, "_", Connections, Suffix]),
    {list_to_atom(Name), fun(Ms) -> sockets:How(Name, Connections, Active, Ms) end, Span}.

main(["list"]) ->
    [io:format("~s\t~b~n", [Name, N]) || {Name, _, N} <- benches()],
    halt(0);
main(["version"]) ->
    io:format("Erlang/OTP ~s, erts ~s~n",
              [erlang:system_info(otp_release), erlang:system_info(version)]),
    halt(0);
main([Name | Given]) ->
    try
        {_, Run, Default} = lists:keyfind(list_to_atom(Name), 1, benches()),
        Run(case Given of [] -> Default; [N] -> list_to_integer(N) end),
        halt(0)
    catch
        Class:Reason:Stack ->
            io:format(standard_error, "~s: ~p: ~p~n~p~n", [Name, Class, Reason, Stack]),
            halt(1)
    end.

%% The nanoseconds that Fun takes. In a process of its own, with a heap that nobody has used. With
%% BENCH_ALONE in the environment they are less what the thread that ran most has waited meanwhile,
%% ready to run, for a processor that another program had; as in bench/clock.h, for one worker.
elapsed(Fun) ->
    Before = threads(),
    Self = self(),
    spawn_link(fun() ->
        Begin = erlang:monotonic_time(nanosecond),
        Fun(),
        Self ! {elapsed, erlang:monotonic_time(nanosecond) - Begin}
    end),
    receive
        {elapsed, Ns} -> Ns - waited(Before, threads())
    end.

%% What each thread has run and has waited so far.
threads() ->
    case os:getenv("BENCH_ALONE") of
        false ->
            #{};
        _ ->
            {ok, Ids} = file:list_dir("/proc/self/task"),
            maps:from_list([{Id, times(file:read_file("/proc/self/task/" ++ Id ++ "/schedstat"))}
                            || Id <- Ids])
    end.

times({ok, Text}) ->
    [Ran, Waited | _] = [list_to_integer(Word)
                         || Word <- string:lexemes(binary_to_list(Text), " \n")],
    {Ran, Waited};
times(_) ->
    {0, 0}.

waited(Before, After) ->
    Times = [begin
                 {Ran, Waited} = maps:get(Id, Before, {0, 0}),
                 {RanNow - Ran, WaitedNow - Waited}
             end || {Id, {RanNow, WaitedNow}} <- maps:to_list(After)],
    {_, Most} = lists:max([{0, 0} | Times]),
    Most.

%% Until that message has come so many times.
wait(_Message, 0) ->
    ok;
wait(Message, Times) ->
    receive
        Message -> wait(Message, Times - 1)
    end.

report(Name, Value, Unit) ->
    io:format("~s\t~.3f\t~s~n", [Name, Value * 1.0, Unit]).

%% Of Count times, which are in an array of atomics so that measuring makes no garbage.
percentiles(Name, Times) ->
    #{size := Count} = atomics:info(Times),
    Sorted = list_to_tuple(lists:sort([atomics:get(Times, I) || I <- lists:seq(1, Count)])),
    [report(Name ++ Suffix, element(min(Count, trunc(Count * Share) + 1), Sorted), "ns")
     || {Suffix, Share} <- [{"_p50", 0.5}, {"_p99", 0.99}, {"_p99.9", 0.999}]],
    ok.
