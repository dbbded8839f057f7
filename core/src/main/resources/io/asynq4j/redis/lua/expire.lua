-- Deletes completed tasks that have been kept for their time.
--
-- TRANSITION completed -> absent
-- KEYS       completed guard
-- ARGV       now prefix limit
-- DERIVES    t:<id>
-- RETURNS    how many ids were taken from the set
local completed = KEYS[1]
local now, prefix, limit = clock(ARGV[1]), ARGV[2], ARGV[3]

local due = redis.call('ZRANGEBYSCORE', completed, '-inf', to_seconds(now), 'LIMIT', 0, limit)
for i = 1, #due do
  local task = prefix .. 't:' .. due[i]
  redis.call('ZREM', completed, due[i])
  if redis.call('HGET', task, 'state') == 'completed' then
    discard(task, due[i])
  end
end
return #due
