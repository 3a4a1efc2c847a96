-- Meters: their numbers, and the part of their arithmetic that is the same for every key.
local meters = {}
local floor = math.floor
local at = 7
for i = 1, program[3] do
  local counting, counts_denied, owes = program[at], program[at + 1] == 1, program[at + 1] == 2
  local a, b, c, d = program[at + 2], program[at + 3], program[at + 4], program[at + 5]
  if counting == 1 then
    meters[i] = {
      load = load_bucket, apply = bucket, counts_denied = counts_denied, owes = owes,
      tick = a, n = b, d = c, burst = d,
      full = d * c, drains = floor((d * c + b - 1) / b), tag = c % 251, time = floor(now / a),
      most = math.max(d, math.min(
        4294967295, floor((9007199254740991 - b) / c), floor(floor(1125899906842624 / a) / c) * b)),
    }
    at = at + 6
  elseif counting == 2 then
    local start, ends = now - now % b, now - now % b + b
    if c ~= 0 then
      start, ends = calendar_window(c, now)
    end
    meters[i] = {
      load = load_fixed_window, apply = fixed_window, counts_denied = counts_denied, owes = owes,
      requests = a, window = b, calendar = c,
      start = start, ends = ends,
    }
    at = at + 5
  elseif counting == 3 then
    local time = floor(now / c)
    meters[i] = {
      load = load_sliding_window, apply = sliding_window, counts_denied = counts_denied, owes = owes,
      requests = a, window = b, tick = c, tag = d,
      most = math.min(4294967295, floor(9007199254740991 / b) - 1), time = time, start = time - time % b,
    }
    at = at + 6
  elseif counting == 4 then
    meters[i] = {
      load = load_sub_windows, apply = sub_windows, counts_denied = counts_denied, owes = owes, block = true,
      requests = a, window = b, parts = c,
      part = b / c,
    }
    at = at + 5
  elseif counting == 5 then
    meters[i] = {
      load = load_sliding_window_log, apply = sliding_window_log, counts_denied = counts_denied, owes = owes, block = true,
      requests = a, window = b,
    }
    at = at + 4
  elseif counting == 7 then
    meters[i] = {
      load = load_levels, apply = levels, counts_denied = false, block = true,
      requests = a, lasts = b, mode = c, node = d, number = program[at + 6], kept = program[at + 7], in_flight = program[at + 8],
      wanted = program[at + 9], needed = program[at + 10], read = program[at + 11],
    }
    at = at + 12
  else
    meters[i] = {
      load = load_permits, apply = permits, counts_denied = false, block = true,
      requests = a, ttl = b, high = c, low = d, permits = program[at + 6], renews = program[at + 7] == 1,
    }
    at = at + 8
  end
end

