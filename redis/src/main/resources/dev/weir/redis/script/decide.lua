-- Meters: their numbers, and what of their arithmetic is the same for every key.
local meters = {}
local at = 5
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
  elseif counting == 3 then
    m.apply = sliding_window
    m.requests, m.window, m.tick, m.tag = program[at + 2], program[at + 3], program[at + 4], program[at + 5]
    m.most = min(4294967295, floor((BOUND - 1) / m.window) - 1)
    m.time = floor(now / m.tick)
    m.start = floor(m.time / m.window) * m.window
    at = at + 6
  elseif counting == 4 then
    m.apply, m.block = sub_windows, true
    m.requests, m.window, m.parts = program[at + 2], program[at + 3], program[at + 4]
    m.part = m.window / m.parts
    at = at + 5
  else
    m.apply, m.block = sliding_window_log, true
    m.requests, m.window = program[at + 2], program[at + 3]
    at = at + 4
  end
  meters[i] = m
end

-- For each entry on a block: granted, used after, retry-after, reset.
local answers = {}

local function answer(granted, used, retry, reset)
  local n = #answers
  answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = granted, used, retry, reset
  return granted
end

-- Several checks, all or nothing. They are applied one after the other, as if the request passed; if it does not, what they
-- changed is undone, and only what counts when denied is applied again (the others with 0 hits, which sets clocks right).
-- Roles: 0 denies, 1 watches, 2 is a quota, and quotas deny only together.
local function group(from, checks, flags)
  local last = from + 4 * checks - 1
  local denied, quota_over, quota_ok = flags >= 2, false, flags == 1
  local u1, u2, u3, u4, lasted, clean, fits, pending = {}, {}, {}, {}, {}, {}, {}, {}
  local told = #answers
  for i = from, last, 4 do
    local k, m, hits, role = program[i], meters[program[i + 1]], program[i + 2], program[i + 3]
    u1[i], u2[i], u3[i], u4[i], lasted[i], clean[i] = s1[k], s2[k], s3[k], s4[k], lasts[k], not dirty[k]
    local granted
    if m.block then
      local before = pending[k] or 0
      granted = answer(m.apply(k, m, hits, 1, before))
      pending[k] = before + max(0, granted * hits)
    else
      granted = m.apply(k, m, hits, 1)
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
    return 1
  end

  for i = last - 3, from, -4 do
    local k = program[i]
    s1[k], s2[k], s3[k], s4[k], lasts[k] = u1[i], u2[i], u3[i], u4[i], lasted[i]
    if clean[i] then
      dirty[k] = nil
    end
  end
  for i = from, last, 4 do
    local m = meters[program[i + 1]]
    local counts = flags < 2 and m.counts_denied and (fits[i] or not m.block)
    local _, used, _, reset = m.apply(program[i], m, counts and program[i + 2] or 0, 1, 0)
    if m.block then
      answers[told + 2], answers[told + 4] = used, reset
      told = told + 4
    end
  end
  return 0
end

local passed = 0
local size = #program
while at <= size do
  local k = program[at]
  if k > 0 then
    local m = meters[program[at + 1]]
    if m.block then
      passed = passed + answer(m.apply(k, m, program[at + 2], program[at + 3], 0))
    else
      passed = passed + m.apply(k, m, program[at + 2], program[at + 3])
    end
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
    local how, lasting, state = packed_as[k], lasts[k]
    if lasting == 0 then
      if how > 3 or values[k] then
        call('DEL', KEYS[k])
      end
    else
      lasting = floor(lasting / 1000) + 1 + grace
      if how == 1 then
        state = pack('>BI7I5BI4', 1, s1[k], s2[k], s3[k], s4[k])
      elseif how == 2 then
        state = pack('>BI7I7', 2, s1[k], s2[k])
      elseif how == 3 then
        state = pack('>BI7I2I4I4', 3, s1[k], s2[k], s3[k], s4[k])
      elseif how == 4 then
        local numbers = s1[k]
        local size = #numbers
        while size > 3 and numbers[size] == 0 do
          size = size - 1
        end
        state = pack('>B' .. ('I7'):rep(size), 4, unpack(numbers, 1, size))
      end
      if state then
        call('SET', KEYS[k], state, 'PX', lasting)
      else
        write_log(k, lasting)
      end
    end
  end
end
for i = 1, #untold do
  values[untold[i]] = false
end
return {now, passed, values, answers}
