-- A request that is sent again is charged once. Each caller has a hash of the admitted keys: key -> record, and a ring that evicts the
-- oldest key when there are too many: '#' -> how many there were, '#i' -> the key at i and when it was admitted. A key that was used again
-- after it expired has a later position too, and is evicted with that.
--   record   the microsecond at which it was admitted, its fingerprint, and for each check four numbers: the state before it or, if that
--            is a block, the answer. The same outcomes are computed from these again.
-- For each such request `known` has 0 if it was decided now, 1 if its key was used for something else, or the record.
-- A denial is not kept: a retry passes when there is room. Nor is a request that on_fail decided in part. With `most` 0 the key is only looked up.
local known, once
if program[6] == 1 then
  known = {}
  once = function(from, checks, flags, hash, key, fingerprint, keep, most)
    local record = redis.pcall('HGET', hash, key)
    if type(record) == 'table' then
      call('DEL', hash) -- of another type
      record = false
    end
    if record and #record > 7 and struct.unpack('>I7', record) + keep > now then
      known[#known + 1] = record:sub(8, 7 + #fingerprint) == fingerprint and record or 1
      for i = from, from + 4 * checks - 1, 4 do
        if meters[program[i + 1]].block then -- every block is answered, so that answers keep their places
          local n = #answers
          answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = 0, 0, 0, 0
        end
      end
      return 0
    end
    known[#known + 1] = 0
    local told = answers and #answers
    local granted, before, unread = group(from, checks, flags)
    if granted == 0 or most == 0 or unread then
      return granted
    end
    local parts = {struct.pack('>I7', now), fingerprint}
    for i = from, from + 4 * checks - 1, 4 do
      local a, b, c, d
      if meters[program[i + 1]].block then
        a, b, c, d = unpack(answers, told + 1, told + 4)
        told = told + 4
      else
        a, b, c, d = unpack(before[i], 1, 4)
      end
      parts[#parts + 1] = struct.pack('>i7i7i7i7', a, b, c, d)
    end
    local place = '#' .. (call('HINCRBY', hash, '#', 1) % most)
    local oldest = call('HGET', hash, place)
    if oldest then
      local its = oldest:sub(1, #key)
      local held = call('HGET', hash, its)
      if held and held:sub(1, 7) == oldest:sub(#key + 1) then
        call('HDEL', hash, its)
      end
    end
    call('HSET', hash, place, key .. parts[1], key, table.concat(parts))
    call('PEXPIRE', hash, math.ceil(keep / 1000) + grace)
    return 1
  end
end

