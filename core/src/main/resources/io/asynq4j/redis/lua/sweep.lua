-- Deletes tasks that were aggregated into another one.
--
-- TRANSITION aggregating -> absent
-- KEYS       spent guard
-- ARGV       prefix limit
-- DERIVES    t:<id>, spent:<set>
-- RETURNS    how many were deleted
local spent = KEYS[1]
local prefix, limit = ARGV[1], tonumber(ARGV[2])

local set = redis.call('SRANDMEMBER', spent)
if not set then
  return 0
end
local members = prefix .. 'spent:' .. set
local ids = redis.call('ZRANGE', members, 0, limit - 1)
for i = 1, #ids do
  discard(prefix .. 't:' .. ids[i], ids[i])
end
redis.call('ZREMRANGEBYRANK', members, 0, limit - 1)
if redis.call('EXISTS', members) == 0 then
  redis.call('SREM', spent, set)
end
return #ids
