-- Twin of dev.weir.internal.algorithm.PermitSet: the permits in flight, each with the moment at which it expires.
--   used = permits that expire after now
--   hits fit iff used + hits <= requests
-- State: a sorted set. A member is the id of a permit, 8 bytes; its score is the microsecond at which it expires. Changes of the batch are
-- kept as a list, and only their number is undone: what stands behind it in the list no longer counts.
--   c[1] number of changes, c[2] permits that live, c[3] how many of the oldest were looked at to release them
local load_permits, permits, write_permits
if program[4] % 4 >= 2 then
  local PAGE, RETRY = 64, 1000000
  local floor, min, format, pack = math.floor, math.min, string.format, struct.pack
  local live_from = format('(%.0f', now)

  load_permits = function(_, k)
    local count = redis.pcall('ZCOUNT', KEYS[k], live_from, '+inf')
    local set = {key = KEYS[k], members = {}, expiries = {}, touched = {}, oldest = {}}
    set.other = type(count) ~= 'number' -- a key of another type counts as unused, and is replaced
    return {0, set.other and 0 or count, 0, 0, false, 0, 6, set}
  end

  -- The id of the i-th permit that a meter names, from 0.
  local function id(m, i)
    local low = m.low + i
    return low < 4294967296 and pack('>I4I4', m.high, low) or pack('>I4I4', m.high + 1, low - 4294967296)
  end

  -- The expiry of a member after the first n changes: 0 if released, nil if no change touches it.
  local function changed(set, n, member)
    if set.touched[member] then
      for i = n, 1, -1 do
        if set.members[i] == member then
          return set.expiries[i]
        end
      end
    end
  end

  local function lives(set, n, member)
    local expiry = changed(set, n, member)
    if not expiry and not set.other then
      expiry = tonumber(call('ZSCORE', set.key, member) or 0)
    end
    return (expiry or 0) > now
  end

  local function change(set, n, member, expiry)
    set.members[n], set.expiries[n], set.touched[member] = member, expiry, true
  end

  -- The i-th of the permits that were there before the batch, by expiry, and its expiry.
  local function before(set, i)
    local oldest = set.oldest
    if not oldest[2 * i] and not set.other then
      local some = call('ZRANGEBYSCORE', set.key, live_from, '+inf', 'WITHSCORES', 'LIMIT', #oldest / 2, PAGE)
      for j = 1, #some do
        oldest[#oldest + 1] = some[j]
      end
    end
    return oldest[2 * i - 1], tonumber(oldest[2 * i])
  end

  -- The permit that expires first, and how many of those from before the batch were looked at.
  local function first_to_expire(set, n, at)
    local member, expiry = before(set, at + 1)
    while member and changed(set, n, member) do
      at = at + 1
      member, expiry = before(set, at + 1)
    end
    local found = member
    for i = 1, n do
      local its, until_then = set.members[i], set.expiries[i]
      if until_then > now and (not expiry or until_then < expiry or (until_then == expiry and its < found))
        and changed(set, n, its) == until_then then
        found, expiry = its, until_then
      end
    end
    return found, found and found == member and at + 1 or at
  end

  permits = function(c, m, now, hits, times, pending)
    local set, n, live, at = c[8], c[1], c[2], c[3]
    local granted, retry = times, 0
    if hits > 0 and m.renews then
      for i = 0, m.permits - 1 do
        if not lives(set, n, id(m, i)) then
          granted, retry = 0, -1
        end
      end
    elseif hits > 0 then
      if live + hits > m.requests then
        granted = 0
        retry = hits + pending > m.requests and -1 or min(RETRY, m.ttl)
      else
        live = live + hits
      end
    elseif hits == 0 then
      if live > m.requests then
        granted, retry = 0, min(RETRY, m.ttl)
      end
    elseif m.permits > 0 then
      for i = 0, m.permits - 1 do
        local member = id(m, i)
        if lives(set, n, member) then
          n, live = n + 1, live - 1
          change(set, n, member, 0)
        end
      end
      if n == c[1] then
        granted, retry = 0, -1
      end
    else
      for _ = 1, min(-hits, live) do
        local member
        member, at = first_to_expire(set, n, at)
        if not member then
          break
        end
        n, live = n + 1, live - 1
        change(set, n, member, 0)
      end
    end
    if hits > 0 and granted > 0 then
      for i = 0, m.permits - 1 do
        n = n + 1
        change(set, n, id(m, i), now + m.ttl)
      end
    end
    if n > c[1] then
      c[5] = m.ttl
    end
    c[1], c[2], c[3] = n, live, at
    return granted, live, retry, live > 0 and m.ttl or 0
  end

  -- Calls a command with many arguments.
  local function call_with(command, key, arguments)
    for from = 1, #arguments, 4000 do
      call(command, key, unpack(arguments, from, min(from + 3999, #arguments)))
    end
  end

  -- Writes the last change of each member.
  write_permits = function(c)
    local set, seen, added, removed = c[8], {}, {}, {}
    for i = c[1], 1, -1 do
      local member, expiry = set.members[i], set.expiries[i]
      if not seen[member] then
        seen[member] = true
        if expiry > 0 then
          added[#added + 1], added[#added + 2] = format('%.0f', expiry), member
        else
          removed[#removed + 1] = member
        end
      end
    end
    if type(redis.pcall('ZREMRANGEBYSCORE', set.key, '-inf', format('%.0f', now))) ~= 'number' then
      call('DEL', set.key)
    end
    call_with('ZREM', set.key, removed)
    call_with('ZADD', set.key, added)
    if #added > 0 then -- a permit of a limit that was changed since may last longer
      local last = call('ZRANGE', set.key, -1, -1, 'WITHSCORES')
      call('PEXPIRE', set.key, floor((last[2] - now) / 1000) + 1 + grace)
    end
  end
end

