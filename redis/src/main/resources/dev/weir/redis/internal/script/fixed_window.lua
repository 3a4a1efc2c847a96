-- Twin of dev.weir.internal.algorithm.FixedWindow.
--   start = now - now mod window, or the start of the calendar's window
--   hits fit iff count(start) + hits <= requests
-- State: start of the window, count.
local function load_fixed_window(value)
  if value and #value == 21 and value:byte() == 2 then
    local _, forgotten, start, count = struct.unpack('>BI6I7I7', value)
    return {math.min(start, 9007199254740991), math.min(count, 9007199254740991), 0, 0, false, forgotten, 2}
  end
  return {0, 0, 0, 0, false, 0, value and #value > 0 and value:byte() > 5 and 0 or 2}
end

-- Twin of dev.weir.CalendarWindow: months from January of the year 0, and the first day of a month.
local function month_of(days)
  local shifted = days + 719468
  local era = math.floor(shifted / 146097)
  local doe = shifted - era * 146097
  local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
  return (era * 400 + yoe) * 12 + math.floor((5 * doy + 2) / 153) + 2
end

local function first_day(month)
  local from_march = month - 2
  local year = math.floor(from_march / 12)
  local era = math.floor(year / 400)
  local yoe = year - era * 400
  local doy = math.floor((153 * (from_march % 12) + 2) / 5)
  return era * 146097 + yoe * 365 + math.floor(yoe / 4) - math.floor(yoe / 100) + doy - 719468
end

-- The start and the end of the window of the calendar that contains a moment: 1 day, 2 week, 3 month, 4 year.
local function calendar_window(calendar, moment)
  local day = 86400000000
  local first = math.floor(moment / day)
  local last = first + 1
  if calendar == 2 then
    first = first - (first + 3) % 7
    last = first + 7
  elseif calendar > 2 then
    local month, months = month_of(first), 1
    if calendar == 4 then
      month, months = month - month % 12, 12
    end
    first, last = first_day(month), first_day(month + months)
  end
  return math.max(0, first * day), last * day
end

local function fixed_window(c, m, now, hits, times)
  local requests, window, start, ends = m.requests, m.window, m.start, m.ends
  local stored, count = c[1], c[2]
  if stored < start then
    count = 0
  end
  local clamped = false
  if count ~= 0 and stored >= ends then
    if stored > now + window then
      clamped = true
    else
      start, ends = stored, stored + window
      if m.calendar ~= 0 then
        local _
        _, ends = calendar_window(m.calendar, stored)
      end
    end
  end

  local granted, counted = times, times
  if hits >= 0 and not m.owes then
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
    local lasting = count ~= 0 and ends - now or 0
    if lasting > (c[5] or 0) and c[6] * 1000 < now + lasting + 1000 then
      c[5] = lasting
    end
    return granted
  end
  count = count + counted * hits
  if count <= 0 then
    c[1], c[2], c[5] = 0, 0, 0
  else
    c[1], c[2], c[5] = start, count < 9007199254740991 and count or 9007199254740991, ends - now
  end
  return granted
end
