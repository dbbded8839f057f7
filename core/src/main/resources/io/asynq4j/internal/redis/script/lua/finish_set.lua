-- Replaces the tasks of an aggregation set by the aggregated task in one step, so that a crash leaves either all of them
-- or the one. The replaced tasks are marked as spent, for sweep.lua, since there may be very many. Without a new task they
-- are only deleted.
--
-- TRANSITION absent -> pending, absent -> scheduled, absent -> aggregating
-- KEYS       aggregation_sets groups spent pending scheduled lane guard
-- ARGV       now prefix sequence keep set_key set id msg lock ttl at delay precise group
-- DERIVES    t:<id>, g:<group>, spent:<set>, the set, the lock
-- RETURNS    1 = done, 0 = the id of the new task is taken, -1 = the set is no longer reserved, or the id of the task
--            that holds the lock
local aggregation_sets, spent, lane = KEYS[1], KEYS[3], KEYS[6]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local set_key, set, id, msg, lock, ttl = ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local at, delay, precise, group = ARGV[11], ARGV[12], ARGV[13], ARGV[14]

-- Long enough for any server to return and sweep; an unserved queue must not keep them forever.
local SPENT_TTL = 7776000

local earlier = recall(lane, sequence)
if earlier then
  return earlier
end

if not is_reserved(aggregation_sets, set_key) then
  return -1
end
-- All before the first write, in case one is of another type.
redis.call('SCARD', spent)
if id ~= '' then
  if not can_take_in(prefix, at, delay, group) then
    report_unusable()
  end
  local answer = take_in(prefix, now, id, msg, lock, ttl, at, delay, precise, group)
  if answer ~= 1 then
    return answer
  end
end
redis.call('ZREM', aggregation_sets, set_key)
if redis.call('EXISTS', set_key) == 1 then
  redis.call('RENAME', set_key, prefix .. 'spent:' .. set)
  redis.call('EXPIRE', prefix .. 'spent:' .. set, SPENT_TTL)
  redis.call('SADD', spent, set)
  redis.call('EXPIRE', spent, SPENT_TTL)
end
return remember(lane, sequence, keep, 1)
