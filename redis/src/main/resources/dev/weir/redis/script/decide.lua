-- Meters: their numbers, and what of their arithmetic is the same for every key.
local meters = {}
local at = 4
for i = 1, program[3] do
  local counting = program[at]
  local m = {counts_denied = program[at + 1] == 1}
  if counting == 1 then
    m.apply = bucket
    m.tick, m.n, m.d, m.burst = program[at + 2], program[at + 3], program[at + 4], program[at + 5]
    m.full = m.burst * m.d
    m.drains = floor((m.full + m.n - 1) / m.n)
    m.tag = m.d % 251
    m.time = floor(now / m.tick)
    at = at + 6
  elseif counting == 2 then
    m.apply = fixed_window
    m.requests, m.window = program[at + 2], program[at + 3]
    m.start = floor(now / m.window) * m.window
    at = at + 4
  else
    m.apply = sliding_window
    m.requests, m.window, m.tick, m.tag = program[at + 2], program[at + 3], program[at + 4], program[at + 5]
    m.most = min(4294967295, floor((BOUND - 1) / m.window) - 1)
    m.time = floor(now / m.tick)
    m.start = floor(m.time / m.window) * m.window
    at = at + 6
  end
  meters[i] = m
end

-- Several checks, all or nothing. They are applied one after the other, as if the request passed; if it does not, what they
-- changed is undone, and only what counts when denied is applied again (the others with 0 hits, which sets clocks right).
-- Roles: 0 denies, 1 watches, 2 is a quota, and quotas deny only together.
local function group(from, checks, flags)
  local last = from + 4 * checks - 1
  local denied = flags >= 2
  if not denied then
    local quota_over, quota_ok = false, flags == 1
    local u1, u2, u3, u4, lasted, clean = {}, {}, {}, {}, {}, {}
    for i = from, last, 4 do
      local k, m, role = program[i], meters[program[i + 1]], program[i + 3]
      u1[i], u2[i], u3[i], u4[i], lasted[i], clean[i] = s1[k], s2[k], s3[k], s4[k], lasts[k], not dirty[k]
      if m.apply(k, m, program[i + 2], 1) > 0 then
        quota_ok = quota_ok or role == 2
      elseif role == 2 then
        quota_over = true
      elseif role == 0 then
        denied = true
      end
    end
    denied = denied or (quota_over and not quota_ok)
    if not denied then
      return 1
    end
    for i = last - 3, from, -4 do
      local k = program[i]
      s1[k], s2[k], s3[k], s4[k], lasts[k] = u1[i], u2[i], u3[i], u4[i], lasted[i]
      if clean[i] then
        dirty[k] = nil
      end
    end
  end
  for i = from, last, 4 do
    local m = meters[program[i + 1]]
    m.apply(program[i], m, flags < 2 and m.counts_denied and program[i + 2] or 0, 1)
  end
  return 0
end

local passed = 0
local size = #program
while at <= size do
  local k = program[at]
  if k > 0 then
    local m = meters[program[at + 1]]
    passed = passed + m.apply(k, m, program[at + 2], program[at + 3])
    at = at + 4
  else
    passed = passed + group(at + 2, -k, program[at + 1])
    at = at + 2 - 4 * k
  end
end

-- What changed is written once, to be forgotten when it says nothing any more.
for i = 1, #changed do
  local k = changed[i]
  if dirty[k] then
    dirty[k] = nil
    local lasting = lasts[k]
    if lasting == 0 then
      if values[k] then
        call('DEL', KEYS[k])
      end
    else
      local how, state = packed_as[k]
      if how == 1 then
        state = pack('>BI7I5BI4', 1, s1[k], s2[k], s3[k], s4[k])
      elseif how == 2 then
        state = pack('>BI7I7', 2, s1[k], s2[k])
      else
        state = pack('>BI7I2I4I4', 3, s1[k], s2[k], s3[k], s4[k])
      end
      call('SET', KEYS[k], state, 'PX', floor(lasting / 1000) + 1 + grace)
    end
  end
end
return {now, passed, values}
