-- Twin of dev.weir.internal.algorithm.FixedWindow.
--   start = now - now mod window
--   hits fit iff count(start) + hits <= requests
-- State: start of the window, count.
local function load_fixed_window(value)
  if value and #value == 21 and value:byte() == 2 then
    local _, forgotten, start, count = struct.unpack('>BI6I7I7', value)
    return {math.min(start, 9007199254740991), math.min(count, 9007199254740991), 0, 0, false, forgotten, 2}
  end
  return {0, 0, 0, 0, false, 0, value and #value > 0 and value:byte() > 5 and 0 or 2}
end

local function fixed_window(c, m, now, hits, times)
  local requests, window, start = m.requests, m.window, m.start
  local stored, count = c[1], c[2]
  if stored < start then
    count = 0
  end
  local clamped = false
  if count ~= 0 and stored >= start + window then
    if stored > now + window then
      clamped = true
    else
      start = stored
    end
  end

  local granted, counted = times, times
  if hits >= 0 then
    local free = requests - count
    if free < 0 then
      granted = 0
    elseif free < hits * times then
      granted = (free - free % hits) / hits
    end
    if not m.counts_denied then
      counted = granted
    end
  end
  if counted * hits == 0 and not clamped then
    local lasting = count ~= 0 and start + window - now or 0
    if lasting > (c[5] or 0) and c[6] * 1000 < now + lasting + 1000 then
      c[5] = lasting
    end
    return granted
  end
  count = count + counted * hits
  if count <= 0 then
    c[1], c[2], c[5] = 0, 0, 0
  else
    c[1], c[2], c[5] = start, count < 9007199254740991 and count or 9007199254740991, start + window - now
  end
  return granted
end
