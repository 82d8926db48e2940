%% SPDX-License-Identifier: MIT
%%
%% clocks.erl - timers that fire, and what they cost; and how soon the runtime is there.
-module(clocks).

-export([timers_fire/1, timers_fire_many/1, ticks/1, late/1, mem_timer/1, start/1]).

%% Processor time of the whole process; it is counted in milliseconds.
processor_ms() ->
    {Ms, _} = erlang:statistics(runtime),
    Ms.

%% ---- all within 0.2 s, of one process or of a thousand -----------------------------------------

timers_fire(N) ->
    fire("timers_fire", 1, N).

timers_fire_many(N) ->
    fire("timers_fire_many", min(1000, N), N).

fire(Name, Processes, N) ->
    Each = N div Processes,
    Self = self(),
    Before = processor_ms(),
    [spawn_link(fun() -> ringer(Self, Each) end) || _ <- lists:seq(1, Processes)],
    bench:wait(done, Processes),
    bench:report(Name, max(processor_ms() - Before, 1) * 1.0e6 / (Each * Processes), "ns").

ringer(Parent, Timers) ->
    [erlang:send_after(1 + I * 7919 rem 200, self(), ring) || I <- lists:seq(1, Timers)],
    bench:wait(ring, Timers),
    Parent ! done.

%% ---- 10,000 ticks a second, of a thousand processes, phases spread -------------------------------

ticks(Ms) ->
    Ticks = counters:new(1, [write_concurrency]),
    Begin = erlang:monotonic_time(millisecond) + 100,
    [spawn_link(fun() -> ticker(Ticks, Begin + I rem 100) end) || I <- lists:seq(1, 1000)],
    timer:sleep(300),
    Before = processor_ms(),
    TicksBefore = counters:get(Ticks, 1),
    Ns = bench:elapsed(fun() -> timer:sleep(Ms) end),
    bench:report("ticks", 100 * max(processor_ms() - Before, 1) * 1.0e6 / Ns, "%"),
    bench:report("ticks_rate", (counters:get(Ticks, 1) - TicksBefore) * 1.0e9 / Ns, "ticks/s").

ticker(Ticks, At) ->
    erlang:send_after(At, self(), tick, [{abs, true}]),
    receive
        tick -> counters:add(Ticks, 1, 1)
    end,
    ticker(Ticks, At + 100).

%% ---- lateness, memory ----------------------------------------------------------------------------

%% 1, 2 and 3 ms in turn.
late(N) ->
    Late = lists:sort([late_by(1 + I rem 3) || I <- lists:seq(1, N)]),
    [bench:report("late" ++ Suffix, lists:nth(trunc((N - 1) * Share) + 1, Late) / 1000, "us")
     || {Suffix, Share} <- [{"_p50", 0.5}, {"_p99", 0.99}]].

late_by(Ms) ->
    Begin = erlang:monotonic_time(nanosecond),
    erlang:send_after(Ms, self(), ring),
    receive
        ring -> max(erlang:monotonic_time(nanosecond) - Begin - Ms * 1000000, 0)
    end.

mem_timer(N) ->
    Before = erlang:memory(total),
    [erlang:send_after(3600000 + I rem 1000000, self(), ring) || I <- lists:seq(1, N)],
    erlang:garbage_collect(),
    bench:report("mem_timer", (erlang:memory(total) - Before) / N, "bytes").

%% From the start of the emulator to here, where the program begins.
start(_) ->
    Native = erlang:monotonic_time() - erlang:system_info(start_time),
    bench:report("start", erlang:convert_time_unit(Native, native, nanosecond) / 1000, "us").
