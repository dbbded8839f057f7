-- Replaces the tasks of an aggregation set by the one made of them, in one step, so that a crash leaves either all of
-- them or the one. The replaced tasks are set aside as spent, for sweep.lua: there may be very many. Without a new task
-- they are just deleted.
--
-- TRANSITION absent -> pending, absent -> scheduled, absent -> aggregating
-- KEYS       aggregation_sets groups spent pending scheduled lane guard
-- ARGV       now prefix sequence keep set_key set id msg lock ttl at delay precise group
-- DERIVES    t:<id>, g:<group>, spent:<set>, the set, the lock
-- RETURNS    1 = done, 0 = the id of the new task is taken, -1 = the set is no longer reserved, or the id of the task
--            that holds the lock
local aggregation_sets, groups, spent, pending, scheduled, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local set_key, set, id, msg, lock, ttl = ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local at, delay, precise, group = ARGV[11], ARGV[12], ARGV[13], ARGV[14]

-- Long enough for any server to come back and sweep; a queue that nobody serves any more must not keep them for ever.
local SPENT_TTL = 7776000

local earlier = recall(lane, sequence)
if earlier then
  return earlier
end

if not is_reserved(aggregation_sets, set_key) then
  return -1
end
if id ~= '' then
  local task = prefix .. 't:' .. id
  local due_ms = tonumber(at) or delay ~= '' and to_millis(now) + tonumber(delay)
  -- The lock lasts its time from when the task is due, not from now.
  local wait = due_ms and math.max(0, math.ceil(due_ms / 1000) - to_seconds(now)) or 0
  local answer = admit(prefix, { id }, { lock })[1]
  if answer ~= 1 then
    return answer
  end
  local fields
  if due_ms then
    local score
    score, fields = timed('scheduled', due_ms, precise)
    redis.call('ZADD', scheduled, score, id)
  elseif group ~= '' then
    fields = { 'state', 'aggregating' }
    redis.call('ZADD', prefix .. 'g:' .. group, to_seconds(now), id)
  else
    fields = pending_fields(now)
    redis.call('LPUSH', pending, id)
  end
  if group ~= '' then
    add(fields, 'group', group)
    redis.call('SADD', groups, group)
  end
  add(fields, 'msg', msg)
  create(task, id, lock, lock ~= '' and ttl + wait, fields)
end
redis.call('ZREM', aggregation_sets, set_key)
if redis.call('EXISTS', set_key) == 1 then
  redis.call('RENAME', set_key, prefix .. 'spent:' .. set)
  redis.call('EXPIRE', prefix .. 'spent:' .. set, SPENT_TTL)
  redis.call('SADD', spent, set)
  redis.call('EXPIRE', spent, SPENT_TTL)
end
return remember(lane, sequence, keep, 1)
