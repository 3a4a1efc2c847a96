-- Weir's one script: a batch of requests, each of which takes from all of its counters or from none.
--
-- ARGV[1] is a program in MessagePack, one flat array of whole numbers:
--   expiry, keys to read, meters, 1 if any keeps a block, 1 if there are groups, 1 if any has an idempotency key,
--   {counting, counts denied, numbers...}..., entries...
--   an entry is a run   key, meter, hits, how many times
--         or a group    -checks, flags, {key, meter, hits, role}...
--         or a lease    0, key, meter, hits: as many single hits as fit, if the request before it passed
--         or one that is charged once   -checks, flags, key of the hash, ARGV of its own key (and fingerprint), keep, most, {...}...
--         which without checks is      0, -flags, key of the hash, ... : nothing but the key
--   flags are 1 if a quota passed elsewhere, 2 to ask only, and 4 to charge once
-- The reply is one flat array, for a table in it would cost as much as a call of Redis: the states as they were (who asked replays the
-- same arithmetic from there), the time, how many passed, and what the states do not tell: for each entry on a block (logs, sub-windows)
-- granted, used after, retry-after and reset, then what is known of each that is charged once.
-- After its expiry (in this clock) a batch charges nothing.
--
-- Exact. Everything is a whole number below 2^53, where doubles are exact. So is a / b rounded down, for a quotient that is not whole
-- lies at least 1/b below the next whole number and is rounded by less than that: a % b is exact, and (a - a % b) / b the quotient.
--
-- Cheap. What costs is each call of Redis, then each function that is made (the whole script runs anew for every call), then each
-- function called. So a counter is a table that is handed around, and the functions for it lean on nothing outside:
--   c[1] to c[4]   its state as numbers; what they mean depends on how it counts
--   c[5]           false if it need not be written, else the microseconds until its state says nothing any more (0: it says nothing)
--   c[6]           the millisecond at which Redis forgets it, kept in the state: mostly it need not be set anew. But where a limit that
--                  was changed live counts for longer what was used under the old one, also a denial has to set it.
--   c[7]           how it counts, which is also the first byte of its state; 0 if that is a format of a later version
--
-- Later versions. A state whose first byte is above 5 was written by a version that is newer than this one. It is neither read nor
-- written: its check takes nothing and stops nobody, is answered -1 where it is a block, and on_fail decides it. What else is no state of
-- its counter (too short, too long, another type) was written by nobody, and starts anew.
local program = cmsgpack.unpack(ARGV[1])
if now > program[1] then
  return {now, -1}
end
local call, KEYS = redis.call, KEYS

-- MGET answers nil for what is missing and for what is no string: both start anew.
local reads = program[2]
local values
if reads <= 4000 then
  values = reads == 0 and {} or call('MGET', unpack(KEYS, 1, reads))
else
  values = {}
  for from = 1, reads, 4000 do
    local some = call('MGET', unpack(KEYS, from, math.min(from + 3999, reads)))
    for i = 1, #some do
      values[from + i - 1] = some[i]
    end
  end
end
