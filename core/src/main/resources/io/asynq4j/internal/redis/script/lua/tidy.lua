-- Examines the locks, groups and aggregation sets of a queue. Repairs inconsistencies if repair is set.
--
-- TRANSITION none
-- KEYS       groups aggregation_sets spent scheduled retry guard
-- ARGV       now prefix repair overdue
-- ITEMS      kind name
-- DERIVES    t:<id>, g:<group>, the set, spent:<set>, the lock
-- RETURNS    for each the finding, '' = none. An overdue set is not repaired here, but returned to its group.
local groups, aggregation_sets, spent, scheduled, retry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, prefix, repair, overdue = clock(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])

-- A lock belongs to a task that names it, in its record or in its message. (Go does not write it into the records of
-- grouped tasks, and leaves locks whose task is gone, or was never enqueued since its id was taken.)
local function is_stale_lock(lock)
  local holder = redis.call('GET', lock)
  if not holder then
    return false
  end
  local task = prefix .. 't:' .. holder
  if redis.call('HGET', task, 'unique_key') == lock then
    return false
  end
  return not string.find(redis.call('HGET', task, 'msg') or '', lock, 1, true)
end

-- An unknown set looks like a group, but its tasks name another group.
local function is_unlisted_group(key, name)
  if redis.call('TYPE', key).ok ~= 'zset' or redis.call('ZSCORE', aggregation_sets, key)
    or redis.call('SISMEMBER', groups, name) == 1 then
    return false
  end
  local first = redis.call('ZRANGE', key, 0, 0)[1]
  local group = redis.call('HGET', prefix .. 't:' .. first, 'group')
  return not group or group == '' or group == name
end

-- The name of an empty group may be listed for a task that joins it later.
local function is_stale_name(name)
  return redis.call('EXISTS', prefix .. 'g:' .. name, scheduled, retry) == 0
    and redis.call('SISMEMBER', groups, name) == 1
end

local function is_stale_set(key)
  local deadline = redis.call('ZSCORE', aggregation_sets, key)
  return deadline and (tonumber(deadline) <= to_seconds(now) - overdue or redis.call('EXISTS', key) == 0)
end

local answers = {}
for i = 5, #ARGV, 2 do
  local kind, name = ARGV[i], ARGV[i + 1]
  local answer = ''
  if kind == 'lock' then
    local lock = prefix .. 'unique:' .. name
    if is_stale_lock(lock) then
      answer = 'stale_lock'
      if repair == '1' then
        redis.call('DEL', lock)
      end
    end
  elseif kind == 'group' then
    if is_unlisted_group(prefix .. 'g:' .. name, name) then
      answer = 'unlisted_group'
      if repair == '1' then
        redis.call('SADD', groups, name)
      end
    end
  elseif kind == 'group_name' then
    if is_stale_name(name) then
      answer = 'stale_group'
      if repair == '1' then
        redis.call('SREM', groups, name)
      end
    end
  elseif kind == 'aggregation_set' then
    if is_stale_set(name) then
      answer = 'stale_aggregation_set'
      if repair == '1' and redis.call('EXISTS', name) == 0 then
        redis.call('ZREM', aggregation_sets, name)
      end
    end
  elseif redis.call('EXISTS', prefix .. 'spent:' .. name) == 1 and redis.call('SISMEMBER', spent, name) == 0 then
    answer = 'unlisted_spent_set'
    if repair == '1' then
      redis.call('SADD', spent, name)
    end
  end
  answers[#answers + 1] = answer
end
return answers
