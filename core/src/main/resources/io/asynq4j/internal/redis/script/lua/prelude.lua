-- Shared functions. Only definitions: nothing here runs, or touches a key, by itself. A script is prefixed with the parts
-- that it uses; a part ends at a blank line, and uses only what is above it.

-- A counter of a day is kept for 90 days after its first increment.
local DAY_COUNTER_TTL = 7776000

-- The time in microseconds, as digits: that of Redis, unless a test passes one.
local function clock(given)
  if given ~= '' then
    return given
  end
  local time = redis.call('TIME')
  return time[1] .. string.format('%06d', time[2])
end

local function to_seconds(micros)
  return tonumber(string.sub(micros, 1, -7))
end

local function to_millis(micros)
  return tonumber(string.sub(micros, 1, -4))
end

-- Seconds that a server, worker or scheduler stays listed after it expired: the clock of a Go host may be behind.
local PRESENCE_GRACE = 60

local function forget_gone(registry, second)
  redis.call('ZREMRANGEBYSCORE', registry, '-inf', '(' .. (second - PRESENCE_GRACE))
end

-- The UTC date of a Unix time, by the usual arithmetic on eras of 400 years; os.date is not available in scripts.
local function utc_day(second)
  local days = math.floor(second / 86400) + 719468
  local era = math.floor(days / 146097)
  local of_era = days - era * 146097
  local year = math.floor(
    (of_era - math.floor(of_era / 1460) + math.floor(of_era / 36524) - math.floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local march_month = math.floor((5 * of_year + 2) / 153)
  local day = of_year - math.floor((153 * march_month + 2) / 5) + 1
  local month = march_month < 10 and march_month + 3 or march_month - 9
  return string.format('%04d-%02d-%02d', year + era * 400 + (month <= 2 and 1 or 0), month, day)
end

-- Adds to a counter. A counter at its limit, or that is not a number, restarts; then this returns true. Never raises an
-- error: the counted tasks have been settled by now, and statistics must not undo that.
local function add_to_counter(key, by, expire_at)
  local total = redis.pcall('INCRBY', key, by)
  local is_restarted = type(total) == 'table'
  if is_restarted then
    redis.pcall('SET', key, by)
  end
  if expire_at and (is_restarted or total == by) then
    redis.pcall('EXPIREAT', key, expire_at)
  end
  return is_restarted
end

-- Counts finished attempts. When the total restarts, so does the number of failures, so that it never exceeds the total.
local function count(prefix, second, processed, failed)
  if processed == 0 then
    return
  end
  local day, expire_at = utc_day(second), second + DAY_COUNTER_TTL
  add_to_counter(prefix .. 'processed:' .. day, processed, expire_at)
  if failed > 0 then
    add_to_counter(prefix .. 'failed:' .. day, failed, expire_at)
  end
  if add_to_counter(prefix .. 'processed', processed) then
    redis.pcall('SET', prefix .. 'failed', failed)
  elseif failed > 0 then
    add_to_counter(prefix .. 'failed', failed)
  end
end

-- A lane is one writer with one call in flight. Its last number and reply are kept, so that a call whose reply was lost
-- can be sent again: it gets the stored reply and is not executed twice. A call that arrives late does nothing.
local function recall(lane, sequence)
  if sequence == '' then
    return nil
  end
  local kept = redis.call('GET', lane)
  if not kept then
    return nil
  end
  local colon = string.find(kept, ':', 1, true)
  local last = tonumber(string.sub(kept, 1, colon - 1))
  if last == tonumber(sequence) then
    return cmsgpack.unpack(string.sub(kept, colon + 1))
  elseif last > tonumber(sequence) then
    error('STALE: call ' .. sequence .. ' of this lane came after call ' .. last)
  end
  return nil
end

local function remember(lane, sequence, ttl, answer)
  if sequence ~= '' then
    redis.call('SET', lane, sequence .. ':' .. cmsgpack.pack(answer), 'EX', ttl)
  end
  return answer
end

-- One column of the items: every n-th argument, starting with the first.
local function column(first, width)
  local values, n = {}, 0
  for i = first, #ARGV, width do
    n = n + 1
    values[n] = ARGV[i]
  end
  return values
end

-- Adds one or two values to the arguments of a call that is made later, once for all tasks.
local function add(arguments, one, two)
  arguments[#arguments + 1] = one
  arguments[#arguments + 1] = two
end

-- One call with many values, which is much cheaper than many with one; no call if there are no values.
local function call_once(command, key, arguments)
  if #arguments > 0 then
    return redis.call(command, key, unpack(arguments))
  end
end

local function delete_all(keys)
  if #keys > 0 then
    redis.call('DEL', unpack(keys))
  end
end

-- Fields of a record, false for each missing one; none if the key has another type. Other errors, such as a missing
-- permission, are raised, since they do not depend on the task.
local function fields_of(task, ...)
  local found = redis.pcall('HMGET', task, ...)
  if not found.err then
    return found
  elseif string.find(found.err, 'WRONGTYPE', 1, true) then
    return {}
  end
  return redis.call('HMGET', task, ...)
end

-- The size of a sorted set, false if the key has another type. Other errors are raised.
local function size_of(set)
  local size = redis.pcall('ZCARD', set)
  if type(size) == 'number' then
    return size
  elseif string.find(size.err, 'WRONGTYPE', 1, true) then
    return false
  end
  return redis.call('ZCARD', set)
end

-- Whether a key is absent, or of the type that a command needs. If it is neither, tasks that do not need it continue, and
-- report_unusable raises the error after everything else is written.
local raise_unusable
local function is_usable(command, key)
  if type(redis.pcall(command, key)) == 'table' then
    raise_unusable = function()
      redis.call(command, key)
    end
    return false
  end
  return true
end
local function report_unusable()
  if raise_unusable then
    raise_unusable()
  end
end

-- Releases the locks that still belong to their task; a task without one has '' or false. A lock that cannot be read, such
-- as one in another slot of a cluster, is kept.
local function release(locks, ids)
  local held, holders, own = {}, {}, {}
  for i = 1, #ids do
    if locks[i] and locks[i] ~= '' then
      add(held, locks[i])
      add(holders, ids[i])
    end
  end
  local found = #held > 0 and redis.pcall('MGET', unpack(held)) or {}
  if found.err then
    for i = 1, #held do
      found[i] = redis.pcall('GET', held[i])
    end
  end
  for i = 1, #held do
    if found[i] == holders[i] then
      add(own, held[i])
    end
  end
  delete_all(own)
end

-- Deletes tasks, with the locks they hold.
local function discard(prefix, ids)
  local tasks, locks = {}, {}
  for i = 1, #ids do
    tasks[i] = prefix .. 't:' .. ids[i]
    locks[i] = fields_of(tasks[i], 'unique_key')[1]
  end
  release(locks, ids)
  delete_all(tasks)
end

-- Which new tasks are accepted: for each 1, or 0 if its id is taken, or the id of the task that holds its lock. Of two equal
-- ones in one call, the second finds the first. A task without a lock has '' or none.
local function admit(prefix, ids, locks)
  local tasks, wanted = {}, {}
  for i = 1, #ids do
    tasks[i] = prefix .. 't:' .. ids[i]
    if (locks[i] or '') ~= '' then
      add(wanted, locks[i])
    end
  end
  local holders = #wanted > 0 and redis.call('MGET', unpack(wanted)) or {}
  local all_new = redis.call('EXISTS', unpack(tasks)) == 0
  local answers, ids_here, locks_here, next_wanted = {}, {}, {}, 0
  for i = 1, #ids do
    local id, lock, holder = ids[i], locks[i] or '', nil
    if lock ~= '' then
      next_wanted = next_wanted + 1
      holder = locks_here[lock] or holders[next_wanted]
    end
    if holder then
      answers[i] = holder
    elseif ids_here[id] or not all_new and redis.call('EXISTS', tasks[i]) == 1 then
      answers[i] = 0
    else
      answers[i] = 1
      ids_here[id], locks_here[lock] = true, id
    end
  end
  return answers
end

-- Writes the record of a new task, and its lock.
local function create(task, id, lock, ttl, fields)
  if lock ~= '' then
    redis.call('SET', lock, id, 'EX', ttl)
    add(fields, 'unique_key', lock)
  end
  redis.call('HSET', task, unpack(fields))
end

-- The record fields of a pending task.
local function pending_fields(now)
  return { 'state', 'pending', 'pending_since', now .. '000' }
end

-- The same at the head of an ordered queue, where it blocks the queue until its time.
local function held_fields(now, hold_until)
  return { 'state', 'pending', 'pending_since', now .. '000', 'hold_until', string.format('%.0f', hold_until) }
end

-- The score and the record fields of a task that waits for a time: whole seconds, rounded up, so that nothing runs early;
-- or, with millisecond precision, rounded down with the exact time in the record.
local function timed(state, due_ms, precise)
  if precise == '1' then
    return math.floor(due_ms / 1000), { 'state', state, 'due_ms', string.format('%.0f', due_ms) }
  end
  return math.ceil(due_ms / 1000), { 'state', state }
end

-- Whether take_in can write to all keys that it needs.
local function can_take_in(prefix, at, delay, group)
  if group ~= '' and not is_usable('SCARD', prefix .. 'groups') then
    return false
  elseif at ~= '' or delay ~= '' then
    return is_usable('ZCARD', prefix .. 'scheduled')
  elseif group ~= '' then
    return is_usable('ZCARD', prefix .. 'g:' .. group)
  end
  return is_usable('LLEN', prefix .. 'pending')
end

-- Enqueues one new task in its first placement: until its time, into its group, or to the tail of its queue.
-- The caller has checked can_take_in.
-- Returns 1, or why it is rejected: 0 = its id is taken, or the id of the task that holds the lock.
local function take_in(prefix, now, id, msg, lock, ttl, at, delay, precise, group)
  local answer = admit(prefix, { id }, { lock })[1]
  if answer ~= 1 then
    return answer
  end
  local due_ms = tonumber(at) or delay ~= '' and to_millis(now) + tonumber(delay)
  -- The duration of the lock starts when the task is due, not now.
  local wait = due_ms and math.max(0, math.ceil(due_ms / 1000) - to_seconds(now)) or 0
  local fields
  if due_ms then
    local score
    score, fields = timed('scheduled', due_ms, precise)
    redis.call('ZADD', prefix .. 'scheduled', score, id)
  elseif group ~= '' then
    fields = { 'state', 'aggregating' }
    redis.call('ZADD', prefix .. 'g:' .. group, to_seconds(now), id)
  else
    fields = pending_fields(now)
    redis.call('LPUSH', prefix .. 'pending', id)
  end
  if group ~= '' then
    add(fields, 'group', group)
    redis.call('SADD', prefix .. 'groups', group)
  end
  add(fields, 'msg', msg)
  create(prefix .. 't:' .. id, id, lock, lock ~= '' and ttl + wait, fields)
  return 1
end

-- Adds a failure to those in a record, each prefixed with its length in two bytes; only the newest are kept. Data that
-- cannot be parsed was written by another program and is dropped.
local MOST_FAILURES = 5

local function with_failure(kept, failure)
  local all = (kept or '') .. string.char(math.floor(#failure / 256), #failure % 256) .. failure
  local places, at = {}, 1
  while at < #all do
    add(places, at)
    at = at + 2 + string.byte(all, at) * 256 + string.byte(all, at + 1)
  end
  if at ~= #all + 1 then
    return with_failure('', failure)
  end
  return string.sub(all, places[math.max(1, #places - MOST_FAILURES + 1)])
end

-- Settings by an operator in Redis take precedence over the configuration of the caller.
local function is_ordered(settings, configured)
  return (redis.call('HGET', settings, 'ordered') or configured) == '1'
end

-- The score of a lease: whole seconds of expiry, and the six digits of the claim's token behind the point.
local function lease_score(expiry, token)
  return string.format('%.0f.%s', expiry, string.sub(token, 1, 6))
end

-- Leases those that have no lease; returns how many they were. leased_before is the size of the set. Redis keeps a small sorted set as a list, and to find a place
-- in it reads one score after the other as text. A long name in it, for a moment, makes it a skip list, which takes a
-- fraction of that; it stays one for as long as it is not empty.
local function lease_new(lease, score, ids, leased_before)
  local leases = {}
  for i = 1, #ids do
    leases[2 * i - 1], leases[2 * i] = score, ids[i]
  end
  local long_name = #ids >= 8 and leased_before < 128 and string.rep('-', 65)
  if long_name then
    redis.call('ZADD', lease, 0, long_name)
  end
  local leased = #ids > 0 and redis.call('ZADD', lease, 'NX', unpack(leases)) or 0
  if long_name then
    redis.call('ZREM', lease, long_name)
  end
  return leased
end

-- Which leases belong to these tokens: six digits in the score, the whole token in the record. A Go worker's lease is a
-- whole number, so it never matches. If the granted end of a lease is known and unchanged, the record is not read: a later
-- claim of the task would have a later end. A task whose record is a key of another type
-- has no holder.
local function held(prefix, lease, ids, tokens, expiries)
  local scores, mine = redis.call('ZMSCORE', lease, unpack(ids)), {}
  local score, token, expiry, is_marked, is_as_granted
  for i = 1, #ids do
    -- Tasks that were claimed together have one score and one token.
    if scores[i] ~= score or tokens[i] ~= token or expiries and expiries[i] ~= expiry then
      score, token, expiry = scores[i], tokens[i], expiries and expiries[i]
      is_marked = score and math.floor(score % 1 * 1000000 + 0.5) == tonumber(string.sub(token, 1, 6))
      is_as_granted = score and expiry and math.floor(score) == tonumber(expiry)
    end
    mine[i] = is_marked and is_as_granted
    if is_marked and not is_as_granted then
      local claim = redis.pcall('HGET', prefix .. 't:' .. ids[i], 'claim')
      if type(claim) == 'table' then
        claim = fields_of(prefix .. 't:' .. ids[i], 'claim')[1]
      end
      mine[i] = claim == token
    end
  end
  return mine
end

-- Above this number of active tasks, each record has the position of its id in the active list: a scan would take too
-- long. Below it, a scan is faster. Positions count from the tail, from the first id ever, so that they do not change when
-- the oldest leave; the number of those that left is stored beside the list.
local FEW_ACTIVE = 2000
local DEPARTED_TTL = 604800

-- How many have left at the tail. Anything but a count was written by another program: positions are then searched.
local function departed_from(prefix)
  local departed = redis.pcall('GET', prefix .. 'departed')
  if type(departed) == 'table' and not string.find(departed.err, 'WRONGTYPE', 1, true) then
    redis.call('GET', prefix .. 'departed')
  end
  departed = type(departed) == 'string' and tonumber(departed) or 0
  return departed >= 0 and departed < 1e15 and departed % 1 == 0 and departed or 0
end

-- The position before the next id, or nil if positions are not stored.
local function last_place(prefix, active, entering)
  local size = redis.call('LLEN', active)
  return size + entering > FEW_ACTIVE and size + departed_from(prefix) or nil
end

-- Where ids stand in the active list, counted from the tail; what is not in it is left out. A place that is not noted, or
-- is wrong because a Go worker has taken something out below it, is looked for. Such a place may be beyond the list, where
-- LRANGE would give what stands elsewhere. The places are in no particular order.
local function places_of(prefix, active, size, departed, ids)
  local noted, lowest, highest = {}, size, 1
  for i = 1, #ids do
    local place = (tonumber(fields_of(prefix .. 't:' .. ids[i], 'place')[1]) or departed) - departed
    noted[i] = place >= 1 and place <= size and place % 1 == 0 and place or 0
    lowest, highest = math.min(lowest, noted[i]), math.max(highest, noted[i])
  end
  -- Tasks claimed together are often settled together: then one read of that part of the list is enough.
  local part = lowest > 0 and highest - lowest < 4 * #ids and redis.call('LRANGE', active, -highest, -lowest)
  local places, elsewhere, missing = {}, 0, {}
  for i = 1, #ids do
    local place = noted[i]
    local there = part and part[highest - place + 1] or place > 0 and redis.call('LINDEX', active, -place)
    if there == ids[i] then
      places[#places + 1] = place
    else
      elsewhere, missing[ids[i]] = elsewhere + 1, true
    end
  end
  if elsewhere <= 4 then
    for id in pairs(missing) do
      local index = redis.call('LPOS', active, id, 'RANK', -1)
      places[#places + 1] = index and size - index or nil
    end
    return places
  end
  -- Many are searched in one scan from the tail: a scan for each could take seconds.
  local from = 1
  while from <= size and elsewhere > 0 do
    local chunk = redis.call('LRANGE', active, -math.min(from + 999, size), -from)
    for i = #chunk, 1, -1 do
      if missing[chunk[i]] then
        elsewhere, missing[chunk[i]] = elsewhere - 1, nil
        places[#places + 1] = from + #chunk - i
      end
    end
    from = from + #chunk
  end
  return places
end

-- Takes those ids out of the active list that stand at one end of it, if they are most of what stands there: one call for
-- all is much cheaper than one for each. Returns those that are left, and whether none stood there.
local function leave_end(active, ids, from_tail)
  local n, leaving, staying = #ids, {}, {}
  local there = redis.call('LRANGE', active, from_tail and -n or 0, from_tail and -1 or n - 1)
  for i = 1, n do
    leaving[ids[i]] = true
  end
  for i = 1, #there do
    local id = there[i]
    if leaving[id] then
      leaving[id] = nil
    else
      -- LPUSH turns the order round, RPUSH does not.
      table.insert(staying, from_tail and #staying + 1 or 1, id)
    end
  end
  if 2 * #staying > #there then
    return ids, #staying == #there
  end
  redis.call('LTRIM', active, from_tail and 0 or #there, from_tail and -#there - 1 or -1)
  call_once(from_tail and 'RPUSH' or 'LPUSH', active, staying)
  local rest = {}
  if #there - #staying < n then
    for i = 1, n do
      if leaving[ids[i]] then
        add(rest, ids[i])
      end
    end
  end
  return rest
end

-- Takes ids out of the active list. When there are few, those at its ends first: what has been running longest is most likely
-- to be finished next, and beside tasks that run for long, what has just begun. When there are many, as many are taken from
-- one end, and those of them that stay move to the places that got free, so that all others keep theirs; the list is then
-- no longer in the order of the claims.
local function leave_active(prefix, active, ids)
  local size = redis.call('LLEN', active)
  if size <= FEW_ACTIVE then
    if #ids > 4 then
      local elsewhere
      ids, elsewhere = leave_end(active, ids, true)
      if elsewhere then
        ids = leave_end(active, ids, false)
      end
    end
    for i = 1, #ids do
      redis.call('LREM', active, -1, ids[i])
    end
    return
  end
  local departed = departed_from(prefix)
  local places = places_of(prefix, active, size, departed, ids)
  local going, free, at_tail, at_head = #places, {}, 0, 0
  for i = 1, going do
    free[places[i]] = true
    at_tail = at_tail + (places[i] <= going and 1 or 0)
    at_head = at_head + (places[i] > size - going and 1 or 0)
  end
  if going == 0 then
    return
  end
  local from_tail = at_tail > at_head
  local taken, staying = redis.call(from_tail and 'RPOP' or 'LPOP', active, going), {}
  for i = 1, going do
    if not free[from_tail and i or size - i + 1] then
      add(staying, taken[i])
    end
  end
  local shift, moved = from_tail and going or 0, 0
  for i = 1, going do
    local place = places[i]
    if place > shift and place <= size - going + shift then
      moved = moved + 1
      local task = prefix .. 't:' .. staying[moved]
      redis.call('LSET', active, shift - place, staying[moved])
      -- An id in the list may have no record, or one that a Go worker has settled.
      if fields_of(task, 'state')[1] == 'active' then
        redis.call('HSET', task, 'place', departed + place)
      end
    end
  end
  if size - going <= FEW_ACTIVE then
    redis.call('DEL', prefix .. 'departed')
  elseif from_tail then
    redis.call('SET', prefix .. 'departed', departed + going, 'EX', DEPARTED_TTL)
  end
end

-- Settles attempts whose leases the caller holds. Returns for each 1 or 0, and the ids of the settled ones. This is the
-- first write of a settlement, and nothing after it may raise an error: the tasks would be in no container. So a script
-- checks the types of the keys that it writes to before it.
local function end_attempts(prefix, active, lease, ids, mine)
  local answers, ended, seen, n = {}, {}, {}, 0
  for i = 1, #ids do
    local id = ids[i]
    if mine[i] and not seen[id] then
      n = n + 1
      answers[i], seen[id], ended[n] = 1, true, id
    else
      answers[i] = 0
    end
  end
  if n > 0 then
    leave_active(prefix, active, ended)
    redis.call('ZREM', lease, unpack(ended))
  end
  return answers, ended
end

-- Removes archived tasks that are too old, then the oldest beyond the limit, up to a number. Returns the number removed.
local function trim_archive(prefix, second, max_size, max_age, limit)
  local archived = prefix .. 'archived'
  local gone = redis.call('ZRANGEBYSCORE', archived, '-inf', second - max_age, 'LIMIT', 0, limit)
  local surplus = redis.call('ZCARD', archived) - #gone - max_size
  if surplus > 0 and #gone < limit then
    local oldest = redis.call('ZRANGE', archived, #gone, #gone + math.min(surplus, limit - #gone) - 1)
    for i = 1, #oldest do
      gone[#gone + 1] = oldest[i]
    end
  end
  call_once('ZREM', archived, gone)
  discard(prefix, gone)
  return #gone
end

-- Whether an aggregator may still use a set. A deadline of 0 marks a set that returns to its group in parts.
local function is_reserved(aggregation_sets, set_key)
  return tonumber(redis.call('ZSCORE', aggregation_sets, set_key) or 0) > 0
end

-- Whether an aggregation has taken a task: it is in a set in progress, or in a spent one that waits to be swept.
-- Both are few.
local function is_in_set(prefix, id)
  local sets = redis.call('ZRANGE', prefix .. 'aggregation_sets', 0, -1)
  for _, set in ipairs(redis.call('SMEMBERS', prefix .. 'spent')) do
    sets[#sets + 1] = prefix .. 'spent:' .. set
  end
  for i = 1, #sets do
    if redis.call('ZSCORE', sets[i], id) then
      return true
    end
  end
  return false
end

-- Whether leave_containers may remove a task from its container: false while a worker or an aggregation has it; true for a
-- record in no container (the Go implementation leaves such records), so that it can be repaired.
local function may_leave(prefix, id, state, group, leaving)
  if state == 'active' then
    return not redis.call('ZSCORE', prefix .. 'lease', id) and not redis.call('LPOS', prefix .. 'active', id)
  end
  local container = prefix .. state
  if state == 'aggregating' then
    container = prefix .. 'g:' .. (group or '')
    if not redis.call('ZSCORE', container, id) and is_in_set(prefix, id) then
      return false
    end
  end
  if not leaving[container] then
    -- Raises an error if leave_containers would, while nothing is written yet.
    redis.call(state == 'pending' and 'LLEN' or 'ZCARD', container)
    if state == 'aggregating' then
      redis.call('SCARD', prefix .. 'groups')
    end
    leaving[container] = {}
  end
  add(leaving[container], id)
  return true
end

local function leave_containers(prefix, groups, leaving)
  for container, ids in pairs(leaving) do
    if container == prefix .. 'pending' then
      for i = 1, #ids do
        redis.call('LREM', container, -1, ids[i])
      end
    else
      redis.call('ZREM', container, unpack(ids))
      if string.sub(container, 1, #prefix + 2) == prefix .. 'g:' and redis.call('EXISTS', container) == 0 then
        redis.call('SREM', groups, string.sub(container, #prefix + 3))
      end
    end
  end
end

-- Whether an operator may remove a task from its container: 1, or 0 if it does not exist, -1 if it has no message, or the
-- state that forbids it.
local function take_for_operator(prefix, task, id, forbidden, leaving)
  local record = fields_of(task, 'state', 'msg', 'group')
  local state, msg = record[1], record[2]
  if not state or not msg then
    return redis.call('EXISTS', task) == 1 and -1 or 0
  elseif state == forbidden or not may_leave(prefix, id, state, record[3], leaving) then
    return state
  end
  return 1
end
