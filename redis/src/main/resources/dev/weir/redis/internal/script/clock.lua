-- The only clock of shared state is Redis's own, in microseconds. States may expire `grace` milliseconds late, never early.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local grace = 1
