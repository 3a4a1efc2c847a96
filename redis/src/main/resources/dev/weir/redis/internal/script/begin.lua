-- Weir's one script: it decides a batch of requests. Each request is charged on all of its counters or on none.
--
-- ARGV[1] is a program in MessagePack, one flat array of whole numbers:
--   expiry, keys to read, meters, 1 if any keeps a block + 2 if any counts permits + 4 if any counts levels of permits, 1 if there are groups,
--   1 if any has an idempotency key,
--   {counting, 1 if denied hits count or 2 if hits are charged even if they do not fit, numbers...}..., entries...
--   an entry is a run   key, meter, hits, how many times
--         or a group    -checks, flags, {key, meter, hits, role}...
--         or a lease    0, key, meter, hits: as many single hits as fit, if the request before it passed
--         or a kept lease   0, key, -meter, hits, key of the record, number of the grant; 0 hits ask for that grant again
--         or a group with an idempotency key   -checks, flags, key of the hash, ARGV of its own key (and fingerprint), keep, most, {...}...
--         which without checks is              0, -flags, key of the hash, ... : nothing but the key
--   hits < 0 are given back. If they were taken from the fixed window that began at w, a run has 1 + w in the place of how many times,
--   and a group has 2 + w in the place of a role: if the counter is in another window by now, nothing is given back.
--   flags are 1 if a quota passed elsewhere, 2 to ask only, and 4 for an idempotency key
-- The reply is one flat array, because a nested table would cost as much as a call of Redis. It has the states as they were (the Java
-- side replays the same arithmetic from there), the time and how many passed. Then it has what the states do not tell: for each entry
-- on a block (logs, sub-windows, permits, levels) granted, used after, retry-after and reset, what is known of each idempotency key, and the hits of
-- each grant that was asked for again.
-- After its expiry (in this clock) a batch charges nothing.
--
-- Exactness. Everything is a whole number below 2^53, where doubles are exact. a / b rounded down is exact too: a quotient that is not
-- whole is at least 1/b below the next whole number, and the rounding error is smaller. So a % b is exact, and (a - a % b) / b is the
-- quotient.
--
-- Cost. Each call of Redis costs most, then each function that is created (the whole script runs for every call), then each function
-- call. So a counter is a table that is passed around, and its functions use nothing outside of it:
--   c[1] to c[4]   its state as numbers; their meaning depends on the kind of meter
--   c[5]           false if it need not be written, else the microseconds until its state is empty (0: it is empty)
--   c[6]           the millisecond at which Redis expires it, kept in the state so that it rarely has to be set again. If a limit was
--                  changed live and hits of the old one count for longer, a denial has to set it too.
--   c[7]           the kind of meter, which is also the first byte of its state; 0 if that is a format of a later version; 6 for permits,
--                  which are a sorted set; 7 for levels of permits, which are a hash
--
-- Later versions. A state whose first byte is above 5 was written by a later version. The script neither reads nor writes it: its check
-- takes nothing and denies nothing, a block is answered with -1, and on_fail decides. Any other value that is no state of its counter (too
-- short, too long, another type) counts as unused.
local program = cmsgpack.unpack(ARGV[1])
if now > program[1] then
  return {now, -1}
end
local call, KEYS = redis.call, KEYS

-- MGET returns nil for a missing key and for a key that is not a string: both count as unused.
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
