%% SPDX-License-Identifier: MIT
%%
%% sockets.erl - an echo server: a process for each connection, its client in a program of its own.
-module(sockets).

-export([echo/4, echo_busy/4]).

%% Active: what a process does to get data, true or once.
echo(Name, Connections, Active, Ms) ->
    serve(Name, Connections, Active, Ms).

%% Beside four pairs that play without rest.
echo_busy(Name, Connections, Active, Ms) ->
    [spawn_link(fun() -> ping(spawn_link(fun pong/0)) end) || _ <- lists:seq(1, 4)],
    serve(Name, Connections, Active, Ms).

ping(Pong) ->
    Pong ! {ping, self()},
    receive
        pong -> ping(Pong)
    end.

pong() ->
    receive
        {ping, From} ->
            From ! pong,
            pong()
    end.

serve(Name, Connections, Active, Ms) ->
    {ok, Listening} = gen_tcp:listen(0, [binary, {packet, raw}, {ip, {127, 0, 0, 1}},
                                         {backlog, 1024}, {nodelay, true}, {active, false}]),
    {ok, Port} = inet:port(Listening),
    spawn_link(fun() -> accept(Listening, Active) end),
    client([Name, integer_to_list(Port), integer_to_list(Connections), integer_to_list(Ms),
            os:getpid(), integer_to_list(erlang:system_info(schedulers))]).

accept(Listening, Active) ->
    {ok, Socket} = gen_tcp:accept(Listening),
    Pid = spawn(fun() -> connection(Socket, Active) end),
    ok = gen_tcp:controlling_process(Socket, Pid),
    Pid ! go,
    accept(Listening, Active).

connection(Socket, Active) ->
    receive
        go -> ok
    end,
    ok = inet:setopts(Socket, [{active, Active}]),
    answer(Socket, Active).

answer(Socket, Active) ->
    receive
        {tcp, Socket, Data} ->
            ok = gen_tcp:send(Socket, Data),
            Active =:= once andalso inet:setopts(Socket, [{active, once}]),
            answer(Socket, Active);
        {tcp_closed, Socket} ->
            ok
    end.

%% Runs it to its end, and prints its figures.
client(Args) ->
    Path = filename:join([filename:dirname(code:which(?MODULE)), "..", "echo", "echo-client"]),
    Port = open_port({spawn_executable, Path}, [{args, Args}, {line, 256}, exit_status]),
    client_says(Port).

client_says(Port) ->
    receive
        {Port, {data, {eol, "begin"}}} ->
            client_says(Port);
        {Port, {data, {eol, Line}}} ->
            io:format("~s~n", [Line]),
            client_says(Port);
        {Port, {exit_status, 0}} ->
            ok
    end.
