-- For each entry on a block, if there is any: granted, used after, retry-after, reset.
local answers = program[4] > 0 and {} or nil

-- Counters by key.
local counters = {}

-- Several checks, all or nothing. They are applied one after the other, as if the request passed. If it does not pass, their changes are
-- undone, and only hits that count when denied are applied again (the others with 0 hits, which updates the clocks).
-- Roles: 0 enforces, 1 is in shadow mode, 2 is a quota, and quotas deny only together.
local group
if program[5] == 1 then
  group = function(from, checks, flags)
    local last = from + 4 * checks - 1
    local denied, quota_over, quota_ok = flags >= 2, false, flags == 1
    local undo, fits, pending, told, unread = {}, {}, {}, answers and #answers, false
    for i = from, last, 4 do
      local k, m, hits, role = program[i], meters[program[i + 1]], program[i + 2], program[i + 3]
      local c = counters[k]
      if not c then
        c = m.load(values[k], k)
        counters[k] = c
      end
      if role > 2 then
        hits, role = c[1] == role - 2 and hits or 0, 1
      end
      undo[i] = {c[1], c[2], c[3], c[4], c[5]}
      local before = pending[k] or 0
      local granted, used, retry, reset
      if c[7] ~= 0 then
        granted, used, retry, reset = m.apply(c, m, now, hits, 1, before)
      else
        granted, used, retry, reset, unread = 1, 0, 0, 0, true
      end
      if m.block then
        local n = #answers
        answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = c[7] == 0 and -1 or granted, used, retry, reset
        pending[k] = before + math.max(0, granted * hits)
      end
      fits[i] = granted > 0
      if granted > 0 then
        quota_ok = quota_ok or role == 2
      elseif role == 2 then
        quota_over = true
      elseif role == 0 then
        denied = true
      end
    end
    if not denied and (quota_ok or not quota_over) then
      return 1, undo, unread
    end

    for i = last - 3, from, -4 do
      local c, was = counters[program[i]], undo[i]
      c[1], c[2], c[3], c[4], c[5] = was[1], was[2], was[3], was[4], was[5]
    end
    for i = from, last, 4 do
      local c, m = counters[program[i]], meters[program[i + 1]]
      local used, reset, _ = 0, 0
      if c[7] ~= 0 then
        local counts = flags < 2 and m.counts_denied and (fits[i] or not m.block)
        _, used, _, reset = m.apply(c, m, now, counts and program[i + 2] or 0, 1, 0)
      end
      if m.block then
        answers[told + 2], answers[told + 4] = used, reset
        told = told + 4
      end
    end
    return 0
  end
end

