-- Estimates the memory usage of a queue: the containers, and the mean size of sampled tasks times their number. A sample of
-- the groups represents all groups.
--
-- TRANSITION none
-- KEYS       pending active scheduled retry archived completed groups guard
-- ARGV       prefix sample group_sample
-- DERIVES    t:<id>, g:<group>
-- RETURNS    bytes
local groups = KEYS[7]
local prefix, sample, group_sample = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local bytes = 0

local function add_container(key, ids, size)
  bytes = bytes + (redis.call('MEMORY', 'USAGE', key) or 0)
  local sampled, known = 0, 0
  for i = 1, #ids do
    local usage = redis.call('MEMORY', 'USAGE', prefix .. 't:' .. ids[i])
    if usage then
      sampled = sampled + usage
      known = known + 1
    end
  end
  if known > 0 then
    bytes = bytes + sampled / known * size
  end
end

for i = 1, 6 do
  if redis.call('TYPE', KEYS[i]).ok == 'list' then
    add_container(KEYS[i], redis.call('LRANGE', KEYS[i], 0, sample - 1), redis.call('LLEN', KEYS[i]))
  else
    add_container(KEYS[i], redis.call('ZRANGE', KEYS[i], 0, sample - 1), redis.call('ZCARD', KEYS[i]))
  end
end
local names = redis.call('SRANDMEMBER', groups, group_sample)
local without_groups = bytes
for i = 1, #names do
  local key = prefix .. 'g:' .. names[i]
  add_container(key, redis.call('ZRANGE', key, 0, sample - 1), redis.call('ZCARD', key))
end
if #names > 0 then
  bytes = without_groups + (bytes - without_groups) / #names * redis.call('SCARD', groups)
end
return math.floor(bytes)
