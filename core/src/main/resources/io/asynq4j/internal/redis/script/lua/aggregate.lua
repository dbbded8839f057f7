-- Reserves the tasks of a group for aggregation when there are enough, or the oldest waited long enough, or none arrived.
--
-- TRANSITION aggregating -> aggregating
-- KEYS       groups aggregation_sets guard
-- ARGV       now prefix group set max_size max_delay grace timeout
-- DERIVES    g:<group>, g:<group>:<set>
-- RETURNS    number of reserved tasks, 0 = not yet
local groups, aggregation_sets = KEYS[1], KEYS[2]
local now, prefix, group, set = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local max_size, max_delay = tonumber(ARGV[5]), tonumber(ARGV[6])
local grace, timeout = tonumber(ARGV[7]), tonumber(ARGV[8])

-- Limit of one variadic call: Lua can put about 8,000 values on its stack.
local CHUNK = 1000

local second = to_seconds(now)
local group_key = prefix .. 'g:' .. group
local set_key = group_key .. ':' .. set
if redis.call('ZSCORE', aggregation_sets, set_key) then
  -- A repetition of this call: its reply was lost.
  return redis.call('ZCARD', set_key)
end
local size = redis.call('ZCARD', group_key)
if size == 0 then
  return 0
end
local oldest = tonumber(redis.call('ZRANGE', group_key, 0, 0, 'WITHSCORES')[2])
local newest = tonumber(redis.call('ZRANGE', group_key, -1, -1, 'WITHSCORES')[2])
local enough = max_size > 0 and size >= max_size
local overdue = max_delay > 0 and oldest <= second - max_delay
local quiet = newest <= second - grace
if not (enough or overdue or quiet) then
  return 0
end

-- Before the first write, in case it is of another type.
redis.call('SCARD', groups)
if max_size == 0 or size <= max_size then
  redis.call('RENAME', group_key, set_key)
  redis.call('SREM', groups, group)
else
  size = max_size
  local left = size
  while left > 0 do
    local part = redis.call('ZRANGE', group_key, 0, math.min(left, CHUNK) - 1, 'WITHSCORES')
    local pairs_of = {}
    for i = 1, #part, 2 do
      pairs_of[#pairs_of + 1] = part[i + 1]
      pairs_of[#pairs_of + 1] = part[i]
    end
    redis.call('ZADD', set_key, unpack(pairs_of))
    redis.call('ZREMRANGEBYRANK', group_key, 0, #part / 2 - 1)
    left = left - #part / 2
  end
end
redis.call('ZADD', aggregation_sets, second + timeout, set_key)
return size
