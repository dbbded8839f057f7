-- What several scripts need, put in front of each of them. Only functions: nothing here runs, or touches a key, by itself.

-- A counter of a day is kept for 90 days after its first increment.
local DAY_COUNTER_TTL = 7776000

-- The time in microseconds, as digits: Redis's own, unless a test gives one.
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

-- The UTC date of a Unix time, by the usual arithmetic on eras of 400 years; there is no os.date in here.
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

local function add_to_day(key, by, second)
  if by > 0 and redis.call('INCRBY', key, by) == by then
    redis.call('EXPIREAT', key, second + DAY_COUNTER_TTL)
  end
end

-- Counts finished attempts. When the total runs over, both totals begin again, so that failed never exceeds processed.
local function count(prefix, second, processed, failed)
  if processed == 0 then
    return
  end
  local day = utc_day(second)
  add_to_day(prefix .. 'processed:' .. day, processed, second)
  add_to_day(prefix .. 'failed:' .. day, failed, second)
  local total = redis.pcall('INCRBY', prefix .. 'processed', processed)
  if type(total) == 'table' and total.err then
    redis.call('SET', prefix .. 'processed', processed)
    redis.call('SET', prefix .. 'failed', failed)
  elseif failed > 0 then
    redis.call('INCRBY', prefix .. 'failed', failed)
  end
end

-- A lane is one writer with one call under way. Its last number and answer are kept, so that a call whose answer got
-- lost can be sent again and is answered, not done, a second time; and one that arrives late does nothing.
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

local function release(lock, id)
  if lock and lock ~= '' and redis.call('GET', lock) == id then
    redis.call('DEL', lock)
  end
end

-- Whether a new task may come in: 1, or 0 when its id is taken, or the id of the task that holds its lock.
local function admit(task, id, lock, ttl)
  local holder = lock ~= '' and redis.call('GET', lock)
  if holder then
    return holder
  end
  if redis.call('EXISTS', task) == 1 then
    return 0
  end
  if lock ~= '' then
    redis.call('SET', lock, id, 'EX', ttl)
    redis.call('HSET', task, 'unique_key', lock)
  end
  return 1
end

local function enter_pending(prefix, task, id, now)
  redis.call('HSET', task, 'state', 'pending', 'pending_since', now .. '000')
  redis.call('LPUSH', prefix .. 'pending', id)
end

-- Whole seconds, rounded up, so that nothing runs early; or, where milliseconds were asked for, rounded down with the
-- exact time beside it.
local function enter_at(prefix, state, task, id, due_ms, precise)
  if precise == '1' then
    redis.call('HSET', task, 'state', state, 'due_ms', string.format('%.0f', due_ms))
    redis.call('ZADD', prefix .. state, math.floor(due_ms / 1000), id)
  else
    redis.call('HSET', task, 'state', state)
    redis.call('ZADD', prefix .. state, math.ceil(due_ms / 1000), id)
  end
end

local function enter_group(prefix, task, id, group, second)
  redis.call('HSET', task, 'state', 'aggregating', 'group', group)
  redis.call('ZADD', prefix .. 'g:' .. group, second, id)
  redis.call('SADD', prefix .. 'groups', group)
end

-- Back to the head of an ordered queue, where it holds the line until its time has come.
local function enter_head(prefix, task, id, now, hold_until)
  redis.call('HSET', task, 'state', 'pending', 'pending_since', now .. '000', 'hold_until',
    string.format('%.0f', hold_until))
  redis.call('RPUSH', prefix .. 'pending', id)
end

-- What an operator has set in Redis wins over what the caller was configured with.
local function is_ordered(settings, configured)
  return (redis.call('HGET', settings, 'ordered') or configured) == '1'
end

-- The score of a lease: whole seconds of expiry, and the six digits of the claim's token behind the point.
local function lease_score(expiry, token)
  return string.format('%.0f.%s', expiry, string.sub(token, 1, 6))
end

-- Whether the lease on a task is the one this token stands for: six digits in the score, all of it in the record. A Go
-- worker's lease is a whole number, so it never is.
local function holds(lease, task, id, token)
  local score = redis.call('ZSCORE', lease, id)
  return score
    and math.floor(tonumber(score) % 1 * 1000000 + 0.5) == tonumber(string.sub(token, 1, 6))
    and redis.call('HGET', task, 'claim') == token
end

-- Beyond so many active tasks, each has its place in the list, counted from the tail, noted beside it: walking over them
-- would take too long. Up to here it is quicker.
local FEW_ACTIVE = 500
local PLACES_TTL = 86400

-- Puts ids at the head of the active list.
local function enter_active(prefix, active, ids)
  local size = redis.call('LPUSH', active, unpack(ids))
  if size > FEW_ACTIVE then
    local places = {}
    for i = 1, #ids do
      places[#places + 1] = ids[i]
      places[#places + 1] = size - #ids + i
    end
    redis.call('HSET', prefix .. 'places', unpack(places))
    redis.call('EXPIRE', prefix .. 'places', PLACES_TTL)
  end
end

-- Where ids stand in the active list; what is not in it is left out. A place that is not noted, or is wrong because a Go
-- worker has taken something out below it, is looked for.
local function places_of(prefix, active, size, ids)
  local noted = redis.call('HMGET', prefix .. 'places', unpack(ids))
  local lowest, highest = size, 1
  for i = 1, #ids do
    noted[i] = tonumber(noted[i]) or 0
    lowest, highest = math.min(lowest, noted[i]), math.max(highest, noted[i])
  end
  -- What was claimed together is often settled together: then one look at that part of the list is enough.
  local part = lowest > 0 and highest - lowest < 4 * #ids and redis.call('LRANGE', active, -highest, -lowest)
  local places = {}
  for i = 1, #ids do
    local place = noted[i]
    local there = part and part[highest - place + 1] or place > 0 and redis.call('LINDEX', active, -place)
    if there ~= ids[i] then
      local index = redis.call('LPOS', active, ids[i], 'RANK', -1)
      place = index and size - index
    end
    places[#places + 1] = place or nil
  end
  return places
end

-- Takes ids out of the active list. When there are few, by looking from the tail, where the oldest are: what has been
-- running longest is most likely to be finished next. When there are many, the newest move to the places that get free,
-- so that all others keep theirs; the list is then no longer in the order of the claims.
local function leave_active(prefix, active, ids)
  local size = redis.call('LLEN', active)
  if size <= FEW_ACTIVE then
    for i = 1, #ids do
      redis.call('LREM', active, -1, ids[i])
    end
    return
  end
  local places, free = places_of(prefix, active, size, ids), {}
  for i = 1, #places do
    free[places[i]] = true
  end
  local left = size - #places
  local newest = #places > 0 and redis.call('LPOP', active, #places) or {}
  local moved, next_newest = {}, 1
  for i = 1, #places do
    if places[i] <= left then
      while free[size - next_newest + 1] do
        next_newest = next_newest + 1
      end
      redis.call('LSET', active, -places[i], newest[next_newest])
      moved[#moved + 1] = newest[next_newest]
      moved[#moved + 1] = places[i]
      next_newest = next_newest + 1
    end
  end
  if left <= FEW_ACTIVE then
    redis.call('DEL', prefix .. 'places')
    return
  end
  redis.call('HDEL', prefix .. 'places', unpack(ids))
  if #moved > 0 then
    redis.call('HSET', prefix .. 'places', unpack(moved))
  end
end

local function discard(task, id)
  release(redis.call('HGET', task, 'unique_key'), id)
  redis.call('DEL', task)
end

-- Removes archived tasks that are too old, then the oldest beyond the limit, at most so many. Returns how many went.
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
  for i = 1, #gone do
    redis.call('ZREM', archived, gone[i])
    discard(prefix .. 't:' .. gone[i], gone[i])
  end
  return #gone
end

-- Whether an aggregator may still use a set. One that goes back to its group in parts is marked by a deadline of 0.
local function is_reserved(aggregation_sets, set_key)
  return tonumber(redis.call('ZSCORE', aggregation_sets, set_key) or 0) > 0
end

-- Whether an aggregation has taken a task: it is in a set under way, or in one that is used up and waits to be swept.
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

-- Takes a waiting task out of its container. False while a worker or an aggregation has it; a record that is in no
-- container (the original leaves such behind) counts as taken out, so that it can be put right.
local function take_out(prefix, task, id, state)
  if state == 'active' then
    return not redis.call('ZSCORE', prefix .. 'lease', id) and not redis.call('LPOS', prefix .. 'active', id)
  elseif state == 'pending' then
    redis.call('LREM', prefix .. 'pending', -1, id)
  elseif state == 'aggregating' then
    local group = redis.call('HGET', task, 'group') or ''
    if redis.call('ZREM', prefix .. 'g:' .. group, id) == 0 and is_in_set(prefix, id) then
      return false
    end
    if redis.call('EXISTS', prefix .. 'g:' .. group) == 0 then
      redis.call('SREM', prefix .. 'groups', group)
    end
  else
    redis.call('ZREM', prefix .. state, id)
  end
  return true
end

-- Takes a task out of its container for an operator: 1, or 0 when there is none, -1 when it has no message, or the state
-- that forbids it.
local function take_for_operator(prefix, task, id, forbidden)
  local record = redis.call('HMGET', task, 'state', 'msg')
  local state, msg = record[1], record[2]
  if not state or not msg then
    return redis.call('EXISTS', task) == 1 and -1 or 0
  elseif state == forbidden or not take_out(prefix, task, id, state) then
    return state
  end
  return 1
end
