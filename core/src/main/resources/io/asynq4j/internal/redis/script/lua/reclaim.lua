-- Returns the tasks of an aggregation set to their group, with their arrival times: of the named set, or of one whose
-- aggregator timed out. A large set returns in parts; after the first part, its aggregator can no longer finish it.
--
-- TRANSITION aggregating -> aggregating
-- KEYS       aggregation_sets groups guard
-- ARGV       now prefix set_key limit
-- DERIVES    g:<group>, the set
-- RETURNS    number of returned tasks, and 1 = there may be more to do
local aggregation_sets, groups = KEYS[1], KEYS[2]
local now, prefix, set_key, limit = clock(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])

if set_key == '' then
  set_key = redis.call('ZRANGEBYSCORE', aggregation_sets, '-inf', to_seconds(now), 'LIMIT', 0, 1)[1]
end
if not set_key or not redis.call('ZSCORE', aggregation_sets, set_key) then
  return { 0, 0 }
end
local group_key = string.match(set_key, '^(.*):[^:]*$')
local moved = 0
-- Before the first write, in case one is of another type.
redis.call('ZCARD', set_key)
redis.call('ZCARD', group_key)
if redis.call('EXISTS', set_key) == 1 then
  redis.call('SADD', groups, string.sub(group_key, #prefix + 3))
  if redis.call('EXISTS', group_key) == 0 then
    moved = redis.call('ZCARD', set_key)
    redis.call('RENAME', set_key, group_key)
  else
    local part, members = redis.call('ZRANGE', set_key, 0, limit - 1, 'WITHSCORES'), {}
    for i = 1, #part, 2 do
      add(members, part[i + 1], part[i])
    end
    redis.call('ZADD', group_key, unpack(members))
    redis.call('ZREMRANGEBYRANK', set_key, 0, limit - 1)
    redis.call('ZADD', aggregation_sets, 0, set_key)
    moved = #part / 2
  end
end
if redis.call('EXISTS', set_key) == 0 then
  redis.call('ZREM', aggregation_sets, set_key)
end
return { moved, 1 }
