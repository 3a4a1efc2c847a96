-- Twin of dev.weir.algorithm.Bucket: n hits in d ticks, and a level in 1/d of a hit.
--   level(now) = max(0, level(last) - n * (now - last))
--   hits fit iff level + d * hits <= d * burst
-- State: moment of the last update, part of a hit, tag of the d it counts in, whole hits.
local function bucket(k, m, hits, times)
  local n, d, burst, full, drains = m.n, m.d, m.burst, m.full, m.drains
  local last, part, tag, whole = s1[k], s2[k], s3[k], s4[k]
  if not last then
    local value, _ = values[k]
    if value and #value == 18 and value:byte() == 1 then
      _, last, part, tag, whole = unpack_state('>BI7I5BI4', value)
      last = min(last, LAST_MOMENT)
    else
      last, part, tag, whole = 0, 0, 0, 0
    end
    s1[k], s2[k], s3[k], s4[k] = last, part, tag, whole
  end

  if part ~= 0 and (tag ~= m.tag or part >= d) then
    part, whole = 0, whole + 1
  end
  local level = whole >= burst and full or whole * d + part
  local clamped = false
  if level ~= 0 then
    local elapsed = m.time - floor(last / m.tick)
    if elapsed >= drains then
      level = 0
    elseif elapsed > -drains then
      level = max(0, level - elapsed * n)
      if level > full then
        clamped, level = true, full
      end
    else
      clamped, level = true, full
    end
  end
  whole = floor(level / d)
  part = level - whole * d

  local granted = times
  if hits > 0 then
    granted = min(times, floor((burst - whole - (part == 0 and 0 or 1)) / hits))
  end
  if granted * hits == 0 and not clamped then
    return granted
  end
  if hits >= -whole then
    whole = whole + granted * hits
  else
    whole, part = 0, 0
  end
  level = whole * d + part
  if level == 0 then
    keep(k, 1, 0, 0, 0, 0, 0)
  else
    keep(k, 1, (level / n + 2) * m.tick, now, part, m.tag, whole)
  end
  return granted
end
