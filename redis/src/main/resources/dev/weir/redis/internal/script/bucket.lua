-- Twin of dev.weir.internal.algorithm.Bucket: n hits in d ticks, and a level in 1/d of a hit.
--   level(now) = max(0, level(last) - n * (now - last))
--   hits fit iff level + d * hits <= d * burst
-- State: moment of the last update, part of a hit, tag of the d it counts in, whole hits. The tag 255 marks a debt: whole hits, more than
-- the burst.
local function load_bucket(value)
  if value and #value == 24 and value:byte() == 1 then
    local _, forgotten, last, part, tag, whole = struct.unpack('>BI6I7I5BI4', value)
    return {last < 4503599627370495 and last or 4503599627370495, part, tag, whole, false, forgotten, 1}
  end
  return {0, 0, 0, 0, false, 0, value and #value > 0 and value:byte() > 5 and 0 or 1}
end

local function bucket(c, m, now, hits, times)
  local d, burst, full, part, whole = m.d, m.burst, m.full, c[2], c[4]
  if part ~= 0 and (c[3] ~= m.tag or part >= d) then
    part, whole = 0, whole + 1
  end
  local level = whole >= burst and full or whole * d + part
  if c[3] == 255 then
    level = (whole < m.most and whole or m.most) * d
  end
  local clamped = false
  if level ~= 0 then
    local last, drains, most = c[1], m.drains, full
    if level > full then
      drains, most = (level + m.n - 1 - (level + m.n - 1) % m.n) / m.n, level
    end
    local elapsed = m.time - (last - last % m.tick) / m.tick
    if elapsed >= drains then
      level = 0
    elseif elapsed > -drains then
      level = level - elapsed * m.n
      if level > most then
        clamped, level = true, most
      elseif level < 0 then
        level = 0
      end
    else
      clamped, level = true, most
    end
  end
  part = level % d
  whole = (level - part) / d

  local granted = times
  if hits >= 0 and not m.owes then
    local free = burst - whole
    if part ~= 0 then
      free = free - 1
    end
    if free < 0 then
      granted = 0
    elseif free < hits * times then
      granted = (free - free % hits) / hits
    end
  end
  if granted * hits == 0 and not clamped then
    local lasting = level ~= 0 and (level / m.n + 2) * m.tick or 0
    if lasting > (c[5] or 0) and c[6] * 1000 < now + lasting + 1000 then
      c[5] = lasting
    end
    return granted
  end
  if m.owes then
    whole = math.min(m.most, whole + hits)
  elseif hits >= -whole then
    whole = whole + granted * hits
  else
    whole, part = 0, 0
  end
  level = whole * d + part
  if level == 0 then
    c[1], c[2], c[3], c[4], c[5] = 0, 0, 0, 0, 0
  elseif level > full then
    whole = part == 0 and whole or math.min(m.most, whole + 1)
    c[1], c[2], c[3], c[4], c[5] = now, 0, 255, whole, ((level + d) / m.n + 2) * m.tick
  else
    c[1], c[2], c[3], c[4], c[5] = now, part, m.tag, whole, (level / m.n + 2) * m.tick
  end
  return granted
end
