-- What was granted to a node is kept for a while: a node that did not hear the answer asks for the same grant again, instead of another.
--   record   the number of the grant, its hits, and the start of their window (0 unless it is a fixed one)
-- Each node has one record for each counter that it leases from. A grant of a window that is over is worth nothing.
local recalled

local passed, last = 0, 0
local size = #program
while at <= size do
  local k = program[at]
  if k > 0 then
    local m = meters[program[at + 1]]
    local c = counters[k]
    if not c then
      c = m.load(values[k], k)
      counters[k] = c
    end
    local hits, times = program[at + 2], program[at + 3]
    if hits < 0 and times > 1 then
      hits, times = c[1] == times - 1 and hits or 0, 1
    end
    local granted, used, retry, reset
    if c[7] ~= 0 then
      granted, used, retry, reset = m.apply(c, m, now, hits, times, 0)
    else
      granted = 0
      if m.block then
        local n = #answers
        answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = -1, 0, 0, 0
      end
    end
    last = granted
    if used then
      local n = #answers
      answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = granted, used, retry, reset
    end
    passed = passed + granted
    at = at + 4
  elseif k == 0 and program[at + 1] > 0 then
    local c, kept, hits = counters[program[at + 1]], program[at + 2] < 0, program[at + 3]
    local m, granted = meters[math.abs(program[at + 2])], 0
    local used, retry, reset, _ = 0, 0, 0
    if hits == 0 then
      local record = redis.pcall('GET', KEYS[program[at + 4]])
      if c[7] ~= 0 then
        _, used, retry, reset = m.apply(c, m, now, 0, 1, 0)
        if type(record) == 'string' and #record == 21 then
          local number, its_hits, window = struct.unpack('>I7I7I7', record)
          if number == program[at + 5] and (window == 0 or (c[1] == window and window + m.window > now)) then
            granted = its_hits
          end
        end
      end
      recalled = recalled or {}
      recalled[#recalled + 1] = granted
    elseif last > 0 and c[7] ~= 0 then
      granted, used, retry, reset = m.apply(c, m, now, 1, hits, 0)
      if kept and granted > 0 then
        local record = struct.pack('>I7I7I7', program[at + 5], granted, c[7] == 2 and c[1] or 0)
        call('SET', KEYS[program[at + 4]], record, 'PX', 10000)
      end
    end
    if m.block then
      local n = #answers
      answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = granted, used, retry, reset
    end
    passed = passed + granted
    at = at + (kept and 6 or 4)
  elseif k < 0 and program[at + 1] < 4 then
    last = group(at + 2, -k, program[at + 1])
    passed = passed + last
    at = at + 2 - 4 * k
  else
    local flags, hash, word = math.abs(program[at + 1]) - 4, KEYS[program[at + 2]], program[at + 3]
    passed = passed
      + once(at + 6, -k, flags, hash, ARGV[word], ARGV[word + 1], program[at + 4], program[at + 5])
    at = at + 6 - 4 * k
  end
end

-- Write each changed state once. A state expires when it is empty. If that time moves with every hit, it expires after twice the time, so
-- that few writes have to set the expiry: that costs Redis as much as finding the key.
local millis = floor(now / 1000)
local pack = struct.pack
for k = 1, #KEYS do
  local c = counters[k]
  local lasting = c and c[5]
  if lasting and c[7] == 6 then
    write_permits(c)
  elseif lasting and c[7] == 7 then
    write_levels(c)
  elseif lasting == 0 then
    if values[k] or c[7] > 3 then
      call('DEL', KEYS[k])
    end
  elseif lasting then
    local how, needed = c[7], floor((now + lasting) / 1000) + 1 + grace
    if c[6] >= needed then
      lasting = nil
    else
      if how == 1 or how == 5 then
        needed = needed + floor(lasting / 1000) + 1000
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
  if c and c[7] == 4 then
    values[k] = false -- answered
  end
end

local told = reads + 2
values[told - 1], values[told] = now, passed
for i = 1, answers and #answers or 0 do
  told = told + 1
  values[told] = answers[i]
end
for i = 1, known and #known or 0 do
  told = told + 1
  values[told] = known[i]
end
for i = 1, recalled and #recalled or 0 do
  values[told + i] = recalled[i]
end
return values
