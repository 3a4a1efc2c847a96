-- Twin of dev.weir.algorithm.SlidingWindow, in ticks.
--   estimate = current + previous * (window - elapsed) / window
--   hits fit iff estimate + hits <= requests
-- State: start of the current window in microseconds, tag of the window's length, current count, previous count.
local function sliding_window(k, m, hits, times)
  local window, tick, start = m.window, m.tick, m.start
  local stored, tag, current, previous = s1[k], s2[k], s3[k], s4[k]
  if not stored then
    local value, _ = values[k]
    if value and #value == 18 and value:byte() == 3 then
      _, stored, tag, current, previous = unpack_state('>BI7I2I4I4', value)
      stored = min(stored, LAST_MOMENT)
    else
      stored, tag, current, previous = 0, 0, 0, 0
    end
    s1[k], s2[k], s3[k], s4[k] = stored, tag, current, previous
  end

  local clamped = false
  if current ~= 0 or previous ~= 0 then
    stored = floor(stored / tick)
    local same = tag == m.tag
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
    current, previous = min(current, m.most), min(previous, m.most)
  end
  local rest = min(window, window - (m.time - start))
  local free = m.requests - current - floor((previous * rest + window - 1) / window)

  local granted = times
  if hits >= 0 then
    if free < hits then
      granted = 0
    elseif hits > 0 then
      granted = min(times, floor(free / hits))
    end
  end
  if granted * hits == 0 and not clamped then
    return granted
  end
  if hits >= -current then
    current = current + granted * hits
  else
    current, previous = 0, max(0, previous + current + hits)
  end
  if current ~= 0 then
    keep(k, 3, (start + 2 * window) * tick - now, start * tick, m.tag, current, previous)
  elseif previous ~= 0 then
    keep(k, 3, (start + window) * tick - now, start * tick, m.tag, current, previous)
  else
    keep(k, 3, 0, 0, 0, 0, 0)
  end
  return granted
end
