-- Twin of dev.weir.internal.algorithm.SlidingWindowLog: the moment of every hit, kept for one window.
--   used = hits in (now - window, now]
--   hits fit iff used + hits <= requests
-- State: a ring. Format, expiry, capacity, index of its oldest hit, number of hits; then 7 bytes per hit. It may be long, so it is read
-- and written in place.
-- While the batch runs: how many hits of the ring have expired, how many of the rest still count, how many were added, and their time.
local load_sliding_window_log, sliding_window_log, write_log
if program[4] == 1 then
  local HEAD, HIT, AHEAD, LEAST_ROOM = 16, 7, 64, 7
  local floor, min, max = math.floor, math.min, math.max
  local pack, unpack_state = struct.pack, struct.unpack

  load_sliding_window_log = function(_, k)
    local log = {room = 0, first = 0, count = 0, key = KEYS[k]}
    local forgotten, how = 0, 5
    local value = redis.pcall('GETRANGE', log.key, 0, HEAD + HIT * AHEAD - 1)
    if type(value) == 'string' and #value >= HEAD and value:byte() == 5 then
      local lasts, room, first, count = unpack_state('>I6I3I3I3', value, 2)
      if first < room and count <= room then
        log.room, log.first, log.count, log.prefix = room, first, count, value
        forgotten = lasts
      end
    elseif type(value) == 'string' and #value > 0 and value:byte() > 5 then
      how = 0
    end
    return {0, log.count, 0, 0, false, forgotten, how, log}
  end

  -- The hit at index i, counted from the oldest of the ring.
  local function hit(log, i)
    if log.hits then
      return log.hits[i + 1]
    end
    local at = HEAD + HIT * ((log.first + i) % log.room)
    if at + HIT <= #log.prefix then
      return (unpack_state('>I7', log.prefix, at + 1))
    end
    local bytes = call('GETRANGE', log.key, at, at + HIT - 1)
    return #bytes == HIT and (unpack_state('>I7', bytes)) or 0
  end

  -- All hits of the ring as bytes, from the oldest to the newest.
  local function unrolled(log)
    local head = min(log.count, log.room - log.first)
    local bytes = call('GETRANGE', log.key, HEAD + HIT * log.first, HEAD + HIT * (log.first + head) - 1)
    if head < log.count then
      bytes = bytes .. call('GETRANGE', log.key, HEAD, HEAD + HIT * (log.count - head) - 1)
    end
    return bytes .. ('\0'):rep(HIT * log.count - #bytes)
  end

  -- How many of the hits from..from + count - 1 are no later than `moment`; usually few, so it starts at the oldest.
  local function until_moment(log, from, count, moment)
    if count == 0 or hit(log, from) > moment then
      return 0
    end
    if hit(log, from + count - 1) <= moment then
      return count
    end
    local low, step = 1, 1
    while low + step < count and hit(log, from + low + step - 1) <= moment do
      low, step = low + step, step * 2
    end
    local high = min(low + step, count) - 1
    while low < high do
      local middle = floor((low + high) / 2)
      if hit(log, from + middle) <= moment then
        low = middle + 1
      else
        high = middle
      end
    end
    return low
  end

  -- If the clock stepped back by more than a window, hits in its future are moved to now.
  local function repair(c, log)
    local bytes = log.hits and '' or unrolled(log)
    local hits = log.hits or {}
    for i = 1, log.count do
      hits[i] = min(now, log.hits and hits[i] or (unpack_state('>I7', bytes, HIT * (i - 1) + 1)))
    end
    log.hits = hits
    c[4] = min(now, c[4])
  end

  sliding_window_log = function(c, m, now, hits, times, pending)
    local requests, window, log = m.requests, m.window, c[8]
    local gone, old, fresh, stamp = c[1], c[2], c[3], c[4]
    local newest = fresh > 0 and stamp or old > 0 and hit(log, gone + old - 1) or 0
    if newest > now + window then
      repair(c, log)
      newest, stamp = now, c[4]
    end
    local expired = until_moment(log, gone, old, now - window)
    gone, old = gone + expired, old - expired
    local used = old + fresh

    local granted = times
    if hits >= 0 then
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
        retry = (need <= old and hit(log, gone + need - 1) or stamp) + window - now
      end
    end
    local reset = 0
    if fresh > 0 then
      reset = stamp + window - now
    elseif old > 0 then
      reset = hit(log, gone + old - 1) + window - now
    end
    if changed_hits ~= 0 then
      c[1], c[2], c[3], c[4], c[5] = gone, old, fresh, stamp, reset
      log.wanted = requests
    elseif reset > (c[5] or 0) and (log.hits or c[6] * 1000 < now + reset + 1000) then
      c[5] = reset
    end
    return granted, used, retry, reset
  end

  write_log = function(c, lasting)
    local log, gone, old, fresh, forgotten = c[8], c[1], c[2], c[3], c[6]
    local hits = old + fresh
    local stamps = fresh > 0 and pack('>I7', c[4]):rep(fresh) or ''
    if hits <= log.room and not log.hits then
      local first = (log.first + gone) % log.room
      local at = (first + old) % log.room
      local straight = min(fresh, log.room - at)
      if straight > 0 then
        call('SETRANGE', log.key, HEAD + HIT * at, stamps:sub(1, HIT * straight))
      end
      if straight < fresh then
        call('SETRANGE', log.key, HEAD, stamps:sub(HIT * straight + 1))
      end
      call('SETRANGE', log.key, 0, pack('>BI6I3I3I3', 5, forgotten, log.room, first, hits))
      if lasting then
        call('PEXPIRE', log.key, lasting)
      end
      return
    end
    local bytes
    if log.hits then
      local packed = {}
      for i = 1, old do
        packed[i] = pack('>I7', log.hits[gone + i])
      end
      bytes = table.concat(packed)
    else
      bytes = log.count == 0 and '' or unrolled(log):sub(HIT * gone + 1, HIT * (gone + old))
    end
    local room = max(hits, LEAST_ROOM, min(log.wanted or 0, 2 * (log.room + 1)))
    bytes = pack('>BI6I3I3I3', 5, forgotten, room, 0, hits) .. bytes .. stamps
    if lasting then
      call('SET', log.key, bytes, 'PX', lasting)
    else
      call('SET', log.key, bytes, 'KEEPTTL')
    end
  end
end
