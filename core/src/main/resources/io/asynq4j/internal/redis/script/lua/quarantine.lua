-- Archives a task of an aggregation set whose message cannot be decoded, so that it is not aggregated; an id without a task
-- is removed.
--
-- TRANSITION aggregating -> archived
-- KEYS       archived aggregation_sets guard
-- ARGV       now prefix set_key id reason
-- DERIVES    t:<id>, the set, processed, processed:<day>, failed, failed:<day>
-- RETURNS    1 = done, 0 = it is not in the set any more
local archived, aggregation_sets = KEYS[1], KEYS[2]
local now, prefix, set_key, id, reason = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local task = prefix .. 't:' .. id
local msg = fields_of(task, 'msg')[1]
redis.call('ZCARD', archived)
if not is_reserved(aggregation_sets, set_key) or redis.call('ZREM', set_key, id) == 0 then
  return 0
end
if not msg then
  redis.call('DEL', task)
  return 1
end
redis.call('ZADD', archived, to_seconds(now), id)
redis.call('HSET', task, 'state', 'archived', 'quarantine', reason)
redis.call('HDEL', task, 'group')
count(prefix, to_seconds(now), 1, 1)
return 1
