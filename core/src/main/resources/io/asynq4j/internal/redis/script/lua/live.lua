-- Lists the live servers, workers or schedulers, and removes those that expired long ago.
--
-- TRANSITION none
-- KEYS       registry
-- ARGV       now
-- RETURNS    the key of each
local registry = KEYS[1]
local now = clock(ARGV[1])

local second = to_seconds(now)
local alive = redis.call('ZRANGEBYSCORE', registry, second, '+inf')
forget_gone(registry, second)
return alive
