-- Registers a server, its workers or a scheduler for a time, and removes those that expired long ago.
--
-- TRANSITION none
-- KEYS       registry
-- ARGV       now ttl_ms member
-- RETURNS    OK
local registry = KEYS[1]
local now, ttl_ms, member = clock(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

-- First, since Redis allows it even when it is out of memory.
forget_gone(registry, to_seconds(now))
redis.call('ZADD', registry, math.floor((to_millis(now) + ttl_ms) / 1000), member)
return redis.status_reply('OK')
