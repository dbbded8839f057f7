-- Deletes completed tasks after their retention.
--
-- TRANSITION completed -> absent
-- KEYS       completed guard
-- ARGV       now prefix limit
-- DERIVES    t:<id>
-- RETURNS    number of ids removed from the set
local completed = KEYS[1]
local now, prefix, limit = clock(ARGV[1]), ARGV[2], ARGV[3]

local due = redis.call('ZRANGEBYSCORE', completed, '-inf', to_seconds(now), 'LIMIT', 0, limit)
local gone = {}
for i = 1, #due do
  if fields_of(prefix .. 't:' .. due[i], 'state')[1] == 'completed' then
    add(gone, due[i])
  end
end
call_once('ZREM', completed, due)
discard(prefix, gone)
return #due
