-- Deletes tasks that were aggregated into another one.
--
-- TRANSITION aggregating -> absent
-- KEYS       spent guard
-- ARGV       prefix limit
-- DERIVES    t:<id>, spent:<set>
-- RETURNS    number of deleted tasks
local spent = KEYS[1]
local prefix, limit = ARGV[1], tonumber(ARGV[2])

local swept = 0
local set = redis.call('SRANDMEMBER', spent)
while set and swept < limit do
  local members = prefix .. 'spent:' .. set
  if not is_usable('ZCARD', members) then
    -- A key of another type has no tasks to delete. It expires by itself.
    redis.call('SREM', spent, set)
    return swept
  end
  local ids = redis.call('ZRANGE', members, 0, limit - swept - 1)
  call_once('ZREM', members, ids)
  discard(prefix, ids)
  swept = swept + #ids
  if redis.call('EXISTS', members) == 0 then
    redis.call('SREM', spent, set)
  end
  set = redis.call('SRANDMEMBER', spent)
end
return swept
