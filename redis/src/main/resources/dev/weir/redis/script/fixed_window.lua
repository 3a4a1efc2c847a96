-- Twin of dev.weir.algorithm.FixedWindow.
--   start = now - now mod window
--   hits fit iff count(start) + hits <= requests
-- State: start of the window, count.
local function fixed_window(k, m, hits, times)
  local requests, window, start = m.requests, m.window, m.start
  local stored, count = s1[k], s2[k]
  if not stored then
    local value, _ = values[k]
    if value and #value == 15 and value:byte() == 2 then
      _, stored, count = unpack_state('>BI7I7', value)
      stored, count = min(stored, BOUND - 1), min(count, BOUND - 1)
    else
      stored, count = 0, 0
    end
    s1[k], s2[k] = stored, count
  end

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
    if count > requests then
      granted = 0
    elseif hits > 0 then
      granted = min(times, floor((requests - count) / hits))
    end
    counted = m.counts_denied and times or granted
  end
  if counted * hits == 0 and not clamped then
    return granted
  end
  count = max(0, min(count + counted * hits, BOUND - 1))
  if count == 0 then
    keep(k, 2, 0, 0, 0)
  else
    keep(k, 2, start + window - now, start, count)
  end
  return granted
end
