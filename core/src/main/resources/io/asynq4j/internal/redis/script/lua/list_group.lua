-- Lists a group that has tasks but is missing in the list of groups: a Go forwarder or recoverer leaves it so, and no
-- aggregator would find it.
--
-- TRANSITION none
-- KEYS       groups aggregation_sets guard
-- ARGV       prefix group
-- DERIVES    g:<group>
-- RETURNS    1 = listed now, 0 = it was, or it is an aggregation set
local groups, aggregation_sets = KEYS[1], KEYS[2]
local prefix, group = ARGV[1], ARGV[2]

local key = prefix .. 'g:' .. group
if redis.call('TYPE', key).ok ~= 'zset' or redis.call('ZSCORE', aggregation_sets, key) then
  return 0
end
return redis.call('SADD', groups, group)
