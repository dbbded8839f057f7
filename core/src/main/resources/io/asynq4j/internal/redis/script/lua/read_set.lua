-- Reads a part of an aggregation set, in the order of arrival.
--
-- TRANSITION none
-- KEYS       aggregation_sets guard
-- ARGV       prefix set_key offset limit
-- DERIVES    t:<id>, the set
-- RETURNS    the second until which the set is reserved, '' = it is no longer; then id and msg of each task that has one
local aggregation_sets = KEYS[1]
local prefix, set_key, offset, limit = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

local answer = { is_reserved(aggregation_sets, set_key) and redis.call('ZSCORE', aggregation_sets, set_key) or '' }
local ids = redis.call('ZRANGE', set_key, offset, offset + limit - 1)
for i = 1, #ids do
  answer[#answer + 1] = ids[i]
  answer[#answer + 1] = fields_of(prefix .. 't:' .. ids[i], 'msg')[1] or ''
end
return answer
