-- Records that an entry of a scheduler enqueued a task. The newest events are kept, and a history without new events
-- expires.
--
-- TRANSITION none
-- KEYS       history
-- ARGV       at event most ttl
-- RETURNS    OK
local history = KEYS[1]
local at, event, most, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

redis.call('ZADD', history, at, event)
redis.call('ZREMRANGEBYRANK', history, 0, -most - 1)
redis.call('EXPIRE', history, ttl)
return redis.status_reply('OK')
