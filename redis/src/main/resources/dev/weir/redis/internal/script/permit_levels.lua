-- Twin of dev.weir.internal.algorithm.PermitLevels: the permits in flight as levels, one for each node.
--   used = sum of the levels that have not expired
--   level = max(min(requests - levels of others, wanted), min(level before, kept), in flight)
-- State: a hash. A field for each node has its level, its expiry and the number of its last ask; the field m and the node has its mailbox,
-- 7 bytes an entry. Field t has the sum of all levels; e has a moment before which none expires. Changes of the batch are kept as a list,
-- and only their number is undone.
--   c[1] number of changes, c[2] sum of the levels
-- Modes: 0 looks, 1 tells a level, 2 puts an entry into a mailbox, 3 reads one.
local load_levels, levels, write_levels
if program[4] >= 4 then
  local RETRY, MOST_MAIL, UNIT, ENTRY = 1000000, 4096, 65536, 7
  local floor, max, min, format = math.floor, math.max, math.min, string.format
  local pack, unpack_struct = struct.pack, struct.unpack

  -- Removes expired levels; returns the sum of the others, and when the first of them expires.
  local function sweep(key)
    local all, total, first, gone = call('HGETALL', key), 0, 0, {}
    for i = 1, #all, 2 do
      local field, value = all[i], all[i + 1]
      if field:byte() < 58 then -- a node: a number
        local level, expiry = unpack_struct('>I7I7', value)
        if expiry > now then
          total = total + level
          first = (first == 0 or expiry < first) and expiry or first
        else
          gone[#gone + 1], gone[#gone + 2] = field, 'm' .. field
        end
      end
    end
    for from = 1, #gone, 4000 do
      call('HDEL', key, unpack(gone, from, min(from + 3999, #gone)))
    end
    call('HSET', key, 't', format('%.0f', total), 'e', format('%.0f', first))
    return total, first
  end

  load_levels = function(_, k)
    local key = KEYS[k]
    local head = redis.pcall('HMGET', key, 't', 'e')
    local set = {key = key, nodes = {}, entries = {}, known = {}}
    set.other = head.err ~= nil -- a key of another type counts as unused, and is replaced
    local total, first = 0, 0
    if not set.other then
      total, first = tonumber(head[1] or 0), tonumber(head[2] or 0)
      if first > 0 and first <= now then
        total, first = sweep(key)
      end
    end
    set.before, set.first = total, first
    return {0, total, 0, 0, false, 0, 7, set}
  end

  -- The entry of a node after the first n changes: level, number, mailbox. One that has expired is as one that was never there.
  local function find(set, n, node)
    for i = n, 1, -1 do
      if set.nodes[i] == node then
        return set.entries[i]
      end
    end
    local entry = set.known[node]
    if not entry then
      entry = {0, 0, '', false}
      if not set.other then
        local field = format('%.0f', node)
        local found = call('HMGET', set.key, field, 'm' .. field)
        if found[1] then
          local level, expiry, number = unpack_struct('>I7I7I7', found[1])
          if expiry > now then
            entry = {level, number, found[2] or '', true, expiry}
          end
        end
      end
      set.known[node] = entry
    end
    return entry
  end

  local function change(c, set, node, entry)
    c[1] = c[1] + 1
    set.nodes[c[1]], set.entries[c[1]] = node, entry
  end

  local function holds(mail, entry)
    local at = mail:find(entry, 1, true)
    while at and at % ENTRY ~= 1 do
      at = mail:find(entry, at + 1, true)
    end
    return at ~= nil
  end

  levels = function(c, m, now, hits, times)
    local set, used = c[8], c[2]
    local own = find(set, c[1], m.node)
    local level, mail = own[1], #own[3] / ENTRY
    local granted, retry, told = times, 0, level + UNIT * mail
    if hits > 0 and m.mode == 1 then
      local after, new = level, not own[4] or m.number > own[2]
      if new then
        after = max(min(max(0, m.requests - (used - level)), m.wanted), min(level, m.kept), m.in_flight)
      end
      if after < m.needed then
        granted, retry = 0, hits > m.requests and -1 or RETRY
      elseif new then
        used = used + after - level
        local left = after > 0 and own[3]:sub(m.read * ENTRY + 1) or ''
        told = after + UNIT * (#left / ENTRY)
        change(c, set, m.node, {after, m.number, left, after > 0, now + m.lasts})
        c[2], c[5] = used, m.lasts
      end
    elseif hits > 0 and m.mode == 2 then
      told = 0
      if not own[4] or mail >= MOST_MAIL then
        granted, retry = 0, own[4] and RETRY or -1
      else
        local entry = pack('>I7', m.number)
        if not holds(own[3], entry) then
          change(c, set, m.node, {level, own[2], own[3] .. entry, true, own[5]})
          c[5] = c[5] or m.lasts
        end
      end
    elseif hits > 0 and m.mode == 3 then
      told = 0
      if own[4] and m.number < mail then
        told = unpack_struct('>I7', own[3], m.number * ENTRY + 1)
      else
        granted, retry = 0, -1
      end
    elseif hits >= 0 and used + hits > m.requests then
      granted, retry = 0, hits > m.requests and -1 or RETRY
    end
    return granted, used, retry, told
  end

  -- Writes the last change of each node.
  write_levels = function(c)
    local set, seen = c[8], {}
    local key, first = set.key, set.first
    if set.other then
      call('DEL', key)
    end
    for i = c[1], 1, -1 do
      local node, entry = set.nodes[i], set.entries[i]
      if not seen[node] then
        seen[node] = true
        local field = format('%.0f', node)
        if entry[4] then
          call('HSET', key, field, pack('>I7I7I7', entry[1], entry[5], entry[2]))
          first = (first == 0 or entry[5] < first) and entry[5] or first
          if entry[3] ~= '' then
            call('HSET', key, 'm' .. field, entry[3])
          else
            call('HDEL', key, 'm' .. field)
          end
        else
          call('HDEL', key, field, 'm' .. field)
        end
      end
    end
    call('HINCRBY', key, 't', format('%.0f', c[2] - set.before))
    call('HSET', key, 'e', format('%.0f', first))
    if c[2] == 0 and call('HLEN', key) <= 2 then
      call('DEL', key)
    else
      local lasts = floor(c[5] / 1000) + 1 + grace
      if call('PTTL', key) < lasts then
        call('PEXPIRE', key, lasts)
      end
    end
  end
end

