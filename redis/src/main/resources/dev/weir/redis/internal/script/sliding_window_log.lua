-- Twin of dev.weir.internal.algorithm.SlidingWindowLog: the moment of every hit, kept for one window.
--   used = hits in (now - window, now]
--   hits fit iff used + hits <= requests
-- State: a ring of entries, one for all hits of a moment: the moment, and the running total of hits modulo 65536. So the hits between any
-- two entries are a difference, and no step depends on how many hits a request has. Format, expiry, capacity, index of the oldest entry,
-- number of entries, total before the oldest; then 9 bytes per entry. It may be long, so it is read and written in place.
-- While the batch runs: how many entries have expired, how many hits of the others still count, how many were added, and their time.
local load_sliding_window_log, sliding_window_log, write_log
if program[4] % 2 == 1 then
  local HEAD, ENTRY, BLOCK, LEAST_ROOM, TOTALS = 18, 9, 64, 7, 65536
  local floor, min, max = math.floor, math.min, math.max
  local pack, unpack_state = struct.pack, struct.unpack

  -- The moment and the total of the entry at index i, counted from the oldest of the ring. Entries are read BLOCK at a time, and each block
  -- once: a search reads as many blocks as there are halvings of the ring until one block is left, and later searches find many of them.
  local function entry(log, i)
    if log.moments then
      return log.moments[i + 1], log.totals[i + 1]
    end
    local place = (log.first + i) % log.room
    local at = place % BLOCK
    local block = (place - at) / BLOCK
    local bytes = log.blocks[block]
    if not bytes then
      local from = HEAD + ENTRY * BLOCK * block
      bytes = call('GETRANGE', log.key, from, from + ENTRY * BLOCK - 1)
      log.blocks[block] = bytes
    end
    if #bytes < ENTRY * (at + 1) then
      return 0, log.base
    end
    return unpack_state('>I7I2', bytes, ENTRY * at + 1)
  end

  -- The total before the entry at index i.
  local function total_before(log, i)
    if i == 0 then
      return log.base
    end
    local _, total = entry(log, i - 1)
    return total
  end

  load_sliding_window_log = function(_, k)
    local log = {room = 0, first = 0, count = 0, base = 0, key = KEYS[k]}
    local forgotten, how, hits = 0, 5, 0
    local value = redis.pcall('GETRANGE', log.key, 0, HEAD + ENTRY * BLOCK - 1)
    if type(value) == 'string' and #value >= HEAD and value:byte() == 5 then
      local lasts, room, first, count, base = unpack_state('>I6I3I3I3I2', value, 2)
      if first < room and count <= room then
        log.room, log.first, log.count, log.base = room, first, count, base
        log.blocks = {[0] = value:sub(HEAD + 1)}
        forgotten = lasts
        hits = (total_before(log, count) - base) % TOTALS
      end
    elseif type(value) == 'string' and #value > 0 and value:byte() > 5 then
      how = 0
    end
    return {0, hits, 0, 0, false, forgotten, how, log}
  end

  -- The index of the entry that has the n-th hit after the first `gone` entries.
  local function holder(log, gone, n)
    local before, low, high = total_before(log, gone), gone, log.count - 1
    if low < high and (total_before(log, high) - before) % TOTALS < n then
      return high -- usually the newest
    end
    while low < high do
      local middle = floor((low + high) / 2)
      local _, total = entry(log, middle)
      if (total - before) % TOTALS < n then
        low = middle + 1
      else
        high = middle
      end
    end
    return low
  end

  local function moment(log, gone, n)
    return (entry(log, holder(log, gone, n)))
  end

  -- All entries of the ring as bytes, from the oldest to the newest.
  local function unrolled(log)
    local head = min(log.count, log.room - log.first)
    local bytes = call('GETRANGE', log.key, HEAD + ENTRY * log.first, HEAD + ENTRY * (log.first + head) - 1)
    if head < log.count then
      bytes = bytes .. call('GETRANGE', log.key, HEAD, HEAD + ENTRY * (log.count - head) - 1)
    end
    return bytes .. ('\0'):rep(ENTRY * log.count - #bytes)
  end

  -- How many entries from `from` on are no later than `latest`; usually few, so it starts at the oldest.
  local function until_moment(log, from, latest)
    local count = log.count - from
    if count == 0 or entry(log, from) > latest then
      return 0
    end
    if entry(log, from + count - 1) <= latest then
      return count
    end
    local low, step = 1, 1
    while low + step < count and entry(log, from + low + step - 1) <= latest do
      low, step = low + step, step * 2
    end
    local high = min(low + step, count) - 1
    while low < high do
      local middle = floor((low + high) / 2)
      if entry(log, from + middle) <= latest then
        low = middle + 1
      else
        high = middle
      end
    end
    return low
  end

  -- If the clock stepped back by more than a window, hits in its future are moved to now.
  local function repair(c, log)
    if not log.moments then
      local bytes, moments, totals = unrolled(log), {}, {}
      for i = 1, log.count do
        moments[i], totals[i] = unpack_state('>I7I2', bytes, ENTRY * (i - 1) + 1)
      end
      log.moments, log.totals = moments, totals
    end
    for i = 1, log.count do
      log.moments[i] = min(now, log.moments[i])
    end
    c[4] = min(now, c[4])
    log.searched = nil
  end

  sliding_window_log = function(c, m, now, hits, times, pending)
    local requests, window, log = m.requests, m.window, c[8]
    local gone, old, fresh, stamp = c[1], c[2], c[3], c[4]
    local newest = fresh > 0 and stamp or old > 0 and moment(log, gone, old) or 0
    if newest > now + window then
      repair(c, log)
      newest, stamp = now, c[4]
    end
    local expired = 0
    if old > 0 then
      if log.searched ~= gone or log.window ~= window then -- a denied group asks twice
        log.searched, log.window, log.expired = gone, window, until_moment(log, gone, now - window)
      end
      expired = log.expired
    end
    if expired > 0 then
      old = max(0, old - (total_before(log, gone + expired) - total_before(log, gone)) % TOTALS)
      gone = gone + expired
    end
    local used = old + fresh

    local granted = times
    if m.owes then
      hits = min(hits, max(0, requests - fresh))
      local excess = min(old, used + hits - requests)
      if excess > 0 then -- the oldest hits make room, which changes no later answer
        local first = holder(log, gone, excess)
        old = old - (total_before(log, first) - total_before(log, gone)) % TOTALS
        gone = first
      end
    elseif hits >= 0 then
      if used > requests then
        granted = 0
      elseif hits > 0 then
        granted = min(times, floor((requests - used) / hits))
      end
    end
    local changed_hits = granted * hits
    if changed_hits > 0 then
      fresh, stamp = fresh + changed_hits, max(now, newest)
    elseif changed_hits < 0 then
      local back = min(-changed_hits, used)
      fresh, old = max(0, fresh - back), old - max(0, back - fresh)
    end
    used = old + fresh

    local retry = 0
    if granted < times then
      local need = used + hits - requests
      if hits + pending > requests then
        retry = -1
      else
        retry = (need <= old and moment(log, gone, need) or stamp) + window - now
      end
    end
    local reset = 0
    if fresh > 0 then
      reset = stamp + window - now
    elseif old > 0 then
      reset = moment(log, gone, old) + window - now
    end
    if changed_hits ~= 0 then
      c[1], c[2], c[3], c[4], c[5] = gone, old, fresh, stamp, reset
      log.wanted = requests
    elseif reset > (c[5] or 0) and (log.moments or c[6] * 1000 < now + reset + 1000) then
      c[5] = reset
    end
    return granted, used, retry, reset
  end

  -- Writes entries into the ring, from index `at` on.
  local function put(log, room, at, bytes)
    local straight = ENTRY * (room - at)
    if #bytes <= straight then
      call('SETRANGE', log.key, HEAD + ENTRY * at, bytes)
    else
      call('SETRANGE', log.key, HEAD + ENTRY * at, bytes:sub(1, straight))
      call('SETRANGE', log.key, HEAD, bytes:sub(straight + 1))
    end
  end

  -- Makes the ring `room` entries long, in place. If its entries wrap around, the shorter of their two parts moves; else nothing does.
  -- Returns the index of the oldest entry.
  local function grow(log, first, count, room)
    local tail = log.room - first
    if room == log.room or count <= tail then
      return first
    end
    local head = count - tail
    if head <= tail then
      put(log, room, log.room, call('GETRANGE', log.key, HEAD, HEAD + ENTRY * head - 1))
      return first
    end
    put(log, room, room - tail, call('GETRANGE', log.key, HEAD + ENTRY * first, HEAD + ENTRY * log.room - 1))
    return room - tail
  end

  write_log = function(c, lasting)
    local log, gone, old, fresh, forgotten = c[8], c[1], c[2], c[3], c[6]
    local base, total, kept, bytes = 0, 0, 0, ''
    if old > 0 then
      base = total_before(log, gone)
      total = (base + old) % TOTALS
      local last = holder(log, gone, old)
      local newest = entry(log, last)
      kept = last - gone + 1
      if fresh > 0 and newest == c[4] then -- the same moment: the same entry
        total, fresh = (total + fresh) % TOTALS, 0
      end
      bytes = pack('>I7I2', newest, total)
    end
    local count = kept
    if fresh > 0 then
      count = kept + 1
      bytes = bytes .. pack('>I7I2', c[4], (total + fresh) % TOTALS)
    end
    local room = log.room
    if count > room then
      room = max(count, LEAST_ROOM, min(log.wanted or 0, 2 * (room + 1)))
    end
    if kept > 0 and not log.moments then
      local first = grow(log, (log.first + gone) % log.room, kept, room)
      put(log, room, (first + kept - 1) % room, bytes)
      call('SETRANGE', log.key, 0, pack('>BI6I3I3I3I2', 5, forgotten, room, first, count, base))
      if lasting then
        call('PEXPIRE', log.key, lasting)
      end
      return
    end
    local packed = {pack('>BI6I3I3I3I2', 5, forgotten, room, 0, count, base)}
    for i = 1, kept - 1 do
      packed[i + 1] = pack('>I7I2', log.moments[gone + i], log.totals[gone + i])
    end
    packed[#packed + 1] = bytes
    if lasting then
      call('SET', log.key, table.concat(packed), 'PX', lasting)
    else
      call('SET', log.key, table.concat(packed), 'KEEPTTL')
    end
  end
end
