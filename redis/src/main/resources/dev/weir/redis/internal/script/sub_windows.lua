-- Twin of dev.weir.internal.algorithm.SubWindows: a sliding window in n parts, each with its own count.
--   part = window / n      i = now / part
--   used = count[i - n] + ... + count[i]
--   hits fit iff used + hits <= requests
-- State: format, moment of the last change, length of a part, then the counts from the newest part to the oldest that is not 0.
-- A change creates a new table, so that a group can be undone. `pending` are hits of the same group on the same
-- counter: they are charged together with these or not at all.
-- There may be a thousand parts, so no function is called for each of them unless the limit was changed.
local load_sub_windows, sub_windows
if program[4] % 2 == 1 then
  local NOTHING = {0, 0}
  local LAST_MOMENT, BOUND = 4503599627370495, 9007199254740992
  local floor, min, max = math.floor, math.min, math.max

  load_sub_windows = function(value)
    local counts = value and (#value - 15) / 7
    if not value or counts < 0 or counts > 1001 or counts ~= floor(counts) or value:byte() ~= 4 then
      return {NOTHING, 0, 0, 0, false, 0, value and #value > 0 and value:byte() > 5 and 0 or 4}
    end
    local state = {struct.unpack('>' .. ('I7'):rep(counts + 2), value, 2)}
    state[counts + 3] = nil -- unpack tells last where it stopped
    for i = 1, counts + 2 do
      if state[i] >= BOUND then
        state[i] = BOUND - 1
      end
    end
    state[1] = min(state[1], LAST_MOMENT)
    return {state[2] == 0 and NOTHING or state, 0, 0, 0, false, 0, 4}
  end

  -- The moment from which state[i] does not count any more.
  local function expiry(m, state, i)
    local latest, length, part = state[1], state[2], m.part
    local start = latest - latest % length
    if length == part then
      return start + (m.parts + 4 - i) * part
    end
    local last = i == 3 and latest or start - (i - 4) * length - 1
    return (floor(last / part) + m.parts + 1) * part
  end

  -- The parts of this limit, the current one first.
  local function advanced(m, state)
    local part, parts = m.part, m.parts
    local latest = max(now, state[1])
    local newest = floor(latest / part)
    local passed = newest - floor(state[1] / part)
    local next = {latest, part, 0}
    if state[2] ~= part then
      for i = 4, #state > 2 and parts + 3 or 0 do
        next[i] = 0
      end
      for i = 3, #state do
        local ends = expiry(m, state, i)
        if ends <= now then
          break
        end
        local j = min(parts, newest + parts + 1 - ends / part) + 3
        next[j] = min(next[j] + state[i], BOUND - 1)
      end
    elseif passed <= parts then
      next = {unpack(state, 1 - passed, min(#state, parts + 3 - passed))} -- moved by as many as have passed
      next[1], next[2], next[3] = latest, part, next[3] or 0
      for i = 3, passed + 2 do
        next[i] = 0
      end
    end
    return next
  end

  sub_windows = function(c, m, now, hits, times, pending)
    local requests = m.requests
    local state = c[1]
    local repaired = state[1] > now + m.window
    if repaired then
      state = {unpack(state)}
      state[1] = now
    end
    local used, live = 0, 2
    if state[2] == m.part then
      live = max(2, min(#state, m.parts + 3 - floor((now - state[1] + state[1] % m.part) / m.part)))
    else
      while live < #state and expiry(m, state, live + 1) > now do
        live = live + 1
      end
    end
    for i = 3, live do
      used = used + state[i]
    end
    used = min(used, BOUND - 1)

    local granted = times
    if m.owes then
      hits = min(hits, 4294967295)
    elseif hits >= 0 then
      if used > requests then
        granted = 0
      elseif hits > 0 then
        granted = min(times, floor((requests - used) / hits))
      end
    end
    local retry = 0
    if granted < times then
      local need = used + granted * hits + hits - requests
      if hits + pending > requests then
        retry = -1
      elseif need > used then -- as much as the run took has to go again
        retry = max(now, state[1])
        retry = retry - retry % m.part + m.window + m.part - now
      else
        local oldest = live + 1
        while need > 0 and oldest > 3 do
          oldest = oldest - 1
          need = need - state[oldest]
        end
        retry = expiry(m, state, oldest) - now
      end
    end

    local changed_hits = granted * hits
    if changed_hits > 0 then
      state = advanced(m, state)
      state[3] = min(state[3] + changed_hits, BOUND - 1)
      used = min(used + changed_hits, BOUND - 1)
    elseif changed_hits < 0 and state ~= NOTHING then
      state = {unpack(state)}
      local back = -changed_hits
      for i = 3, live do
        local taken = min(back, state[i])
        state[i], back = state[i] - taken, back - taken
      end
      used = max(0, used + changed_hits)
      if used == 0 then
        state = NOTHING
      end
    end

    local reset = 0
    if changed_hits > 0 then
      reset = expiry(m, state, 3) - now
    else
      for i = 3, used == 0 and 0 or live do
        if state[i] > 0 then
          reset = expiry(m, state, i) - now
          break
        end
      end
    end
    if changed_hits ~= 0 or repaired then
      c[1], c[5] = state, state == NOTHING and 0 or max(reset, 1)
    elseif reset > (c[5] or 0) and state[2] ~= m.part then -- another limit has set when it is forgotten
      c[5] = reset
    end
    return granted, used, retry, reset
  end
end
