-- Meters: their numbers, and what of their arithmetic is the same for every key.
local meters = {}
local floor = math.floor
local at = 6
for i = 1, program[3] do
  local counting, counts_denied = program[at], program[at + 1] == 1
  local a, b, c, d = program[at + 2], program[at + 3], program[at + 4], program[at + 5]
  if counting == 1 then
    meters[i] = {
      load = load_bucket, apply = bucket, counts_denied = counts_denied,
      tick = a, n = b, d = c, burst = d,
      full = d * c, drains = floor((d * c + b - 1) / b), tag = c % 251, time = floor(now / a),
    }
    at = at + 6
  elseif counting == 2 then
    meters[i] = {
      load = load_fixed_window, apply = fixed_window, counts_denied = counts_denied,
      requests = a, window = b,
      start = now - now % b,
    }
    at = at + 4
  elseif counting == 3 then
    local time = floor(now / c)
    meters[i] = {
      load = load_sliding_window, apply = sliding_window, counts_denied = counts_denied,
      requests = a, window = b, tick = c, tag = d,
      most = math.min(4294967295, floor(9007199254740991 / b) - 1), time = time, start = time - time % b,
    }
    at = at + 6
  elseif counting == 4 then
    meters[i] = {
      load = load_sub_windows, apply = sub_windows, counts_denied = counts_denied, block = true,
      requests = a, window = b, parts = c,
      part = b / c,
    }
    at = at + 5
  else
    meters[i] = {
      load = load_sliding_window_log, apply = sliding_window_log, counts_denied = counts_denied, block = true,
      requests = a, window = b,
    }
    at = at + 4
  end
end

-- For each entry on a block: granted, used after, retry-after, reset.
local answers = {}

-- Counters by key, and the keys in the order in which they were met.
local counters, met, count = {}, {}, 0

-- Several checks, all or nothing. They are applied one after the other, as if the request passed; if it does not, what they
-- changed is undone, and only what counts when denied is applied again (the others with 0 hits, which sets clocks right).
-- Roles: 0 denies, 1 watches, 2 is a quota, and quotas deny only together.
local group
if program[5] == 1 then
  group = function(from, checks, flags)
    local last = from + 4 * checks - 1
    local denied, quota_over, quota_ok = flags >= 2, false, flags == 1
    local undo, fits, pending, told = {}, {}, {}, #answers
    for i = from, last, 4 do
      local k, m, hits, role = program[i], meters[program[i + 1]], program[i + 2], program[i + 3]
      local c = counters[k]
      if not c then
        c = m.load(values[k], k)
        count = count + 1
        counters[k], met[count] = c, k
      end
      undo[i] = {c[1], c[2], c[3], c[4], c[5]}
      local before = pending[k] or 0
      local granted, used, retry, reset = m.apply(c, m, now, hits, 1, before)
      if m.block then
        local n = #answers
        answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = granted, used, retry, reset
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
      return 1
    end

    for i = last - 3, from, -4 do
      local c, was = counters[program[i]], undo[i]
      c[1], c[2], c[3], c[4], c[5] = was[1], was[2], was[3], was[4], was[5]
    end
    for i = from, last, 4 do
      local m = meters[program[i + 1]]
      local counts = flags < 2 and m.counts_denied and (fits[i] or not m.block)
      local _, used, _, reset = m.apply(counters[program[i]], m, now, counts and program[i + 2] or 0, 1, 0)
      if m.block then
        answers[told + 2], answers[told + 4] = used, reset
        told = told + 4
      end
    end
    return 0
  end
end

local passed = 0
local size = #program
while at <= size do
  local k = program[at]
  if k > 0 then
    local m = meters[program[at + 1]]
    local c = counters[k]
    if not c then
      c = m.load(values[k], k)
      count = count + 1
      counters[k], met[count] = c, k
    end
    local granted, used, retry, reset = m.apply(c, m, now, program[at + 2], program[at + 3], 0)
    if used then
      local n = #answers
      answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = granted, used, retry, reset
    end
    passed = passed + granted
    at = at + 4
  else
    passed = passed + group(at + 2, -k, program[at + 1])
    at = at + 2 - 4 * k
  end
end

-- What changed is written once. It is forgotten when it says nothing any more; later where that moves with every hit, so that most
-- writes need not set it.
local millis = floor(now / 1000)
local pack = struct.pack
for i = 1, count do
  local k = met[i]
  local c = counters[k]
  local lasting = c[5]
  if lasting == 0 then
    if values[k] or c[7] > 3 then
      call('DEL', KEYS[k])
    end
  elseif lasting then
    local how, needed = c[7], floor((now + lasting) / 1000) + 1 + grace
    if c[6] >= needed then
      lasting = nil
    else
      if how == 1 or how == 5 then
        needed = needed + floor(lasting / 2000) + 1000
      end
      c[6] = needed
      lasting = needed - millis
    end
    local state
    if how == 1 then
      state = pack('>BI6I7I5BI4', 1, c[6], c[1], c[2], c[3], c[4])
    elseif how == 2 then
      state = pack('>BI6I7I7', 2, c[6], c[1], c[2])
    elseif how == 3 then
      state = pack('>BI6I7I2I4I4', 3, c[6], c[1], c[2], c[3], c[4])
    elseif how == 4 then
      local numbers = c[1]
      local length = #numbers
      while length > 3 and numbers[length] == 0 do
        length = length - 1
      end
      state = pack('>B' .. ('I7'):rep(length), 4, unpack(numbers, 1, length))
    end
    if not state then
      write_log(c, lasting)
    elseif lasting then
      call('SET', KEYS[k], state, 'PX', lasting)
    else
      call('SET', KEYS[k], state, 'KEEPTTL')
    end
  end
  if c[7] == 4 then
    values[k] = false -- answered
  end
end
return {now, passed, values, answers}
