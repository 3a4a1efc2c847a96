-- Twin of dev.weir.internal.algorithm.SlidingWindow, in ticks.
--   estimate = current + previous * (window - elapsed) / window
--   hits fit iff estimate + hits <= requests
-- State: start of the current window in microseconds, tag of the window's length, current count, previous count.
local function load_sliding_window(value)
  if value and #value == 24 and value:byte() == 3 then
    local _, forgotten, start, tag, current, previous = struct.unpack('>BI6I7I2I4I4', value)
    return {start < 4503599627370495 and start or 4503599627370495, tag, current, previous, false, forgotten, 3}
  end
  return {0, 0, 0, 0, false, 0, value and #value > 0 and value:byte() > 5 and 0 or 3}
end

local function sliding_window(c, m, now, hits, times)
  local window, tick, start = m.window, m.tick, m.start
  local current, previous = c[3], c[4]
  local clamped = false
  if current ~= 0 or previous ~= 0 then
    local stored = (c[1] - c[1] % tick) / tick
    local same = c[2] == m.tag
    local ahead = stored >= start + window
    clamped = ahead and (not same or stored > m.time + window)
    if clamped or not same then
      current, previous = current + previous, 0
    end
    if ahead then
      start = clamped and start or stored
    elseif stored < start then
      current, previous = 0, stored >= start - window and current or 0
    end
    local most = m.most
    current, previous = current < most and current or most, previous < most and previous or most
  end
  local rest = window - (m.time - start)
  local faded = previous * (rest < window and rest or window) + window - 1
  local free = m.requests - current - (faded - faded % window) / window

  local granted = times
  if hits >= 0 and not m.owes then
    if free < hits then
      granted = 0
    elseif free < hits * times then
      granted = (free - free % hits) / hits
    end
  end
  if granted * hits == 0 and not clamped then
    local lasting = 0
    if current ~= 0 or previous ~= 0 then
      lasting = (start + (current ~= 0 and 2 or 1) * window) * tick - now
    end
    if lasting > (c[5] or 0) and c[6] * 1000 < now + lasting + 1000 then
      c[5] = lasting
    end
    return granted
  end
  if m.owes then
    current = math.min(m.most, current + hits)
  elseif hits >= -current then
    current = current + granted * hits
  else
    current, previous = 0, math.max(0, previous + current + hits)
  end
  if current ~= 0 then
    c[1], c[2], c[3], c[4], c[5] = start * tick, m.tag, current, previous, (start + 2 * window) * tick - now
  elseif previous ~= 0 then
    c[1], c[2], c[3], c[4], c[5] = start * tick, m.tag, current, previous, (start + window) * tick - now
  else
    c[1], c[2], c[3], c[4], c[5] = 0, 0, 0, 0, 0
  end
  return granted
end
