-- Weir's one script: a batch of requests, each of which takes from all of its counters or from none.
--
-- ARGV[1] is a program in MessagePack, one flat array of whole numbers:
--   expiry, keys to read, meters, 1 if any keeps a block, {counting, counts denied, numbers...}..., entries...
--   an entry is a run   key, meter, hits, how many times
--         or a group    -checks, flags (1: a quota passed elsewhere, 2: ask only), {key, meter, hits, role}...
-- The reply is the time, how many passed, and the states as they were: who asked replays the same arithmetic from there. What keeps a
-- block (logs, sub-windows) is answered by numbers instead: granted, used after, retry-after, reset.
-- After its expiry (in this clock) a batch charges nothing.
--
-- Everything is a whole number below 2^53, where doubles are exact; math.floor(a / b) is then exact too, for a quotient that
-- is not whole lies at least 1/b below the next whole number, and is rounded by less than that.
local program = cmsgpack.unpack(ARGV[1])
if now > program[1] then
  return {now, -1}
end
local floor, min, max = math.floor, math.min, math.max
local pack, unpack_state = struct.pack, struct.unpack
local call = redis.call
local KEYS = KEYS
local LAST_MOMENT, BOUND = 4503599627370495, 9007199254740992

-- MGET answers nil for what is missing and for what is no string: both start anew.
local reads = program[2]
local values
if reads <= 4000 then
  values = reads == 0 and {} or call('MGET', unpack(KEYS, 1, reads))
else
  values = {}
  for from = 1, reads, 4000 do
    local some = call('MGET', unpack(KEYS, from, min(from + 3999, reads)))
    for i = 1, #some do
      values[from + i - 1] = some[i]
    end
  end
end

-- The state of key k as numbers, from when it is first met; what they mean depends on how it counts.
local s1, s2, s3, s4 = {}, {}, {}, {}
-- Keys whose state is told by answers.
local untold = {}
-- Keys whose state changed, in order; how each is to be packed; the microseconds until its state says nothing any more.
local changed, dirty, packed_as, lasts = {}, {}, {}, {}

local function keep(k, how, lasting, a, b, c, d)
  s1[k], s2[k], s3[k], s4[k] = a, b, c, d
  packed_as[k] = how
  lasts[k] = lasting
  if not dirty[k] then
    dirty[k] = true
    changed[#changed + 1] = k
  end
end
