-- Says that a server lives, and what its workers do. The info and the workers share one slot of their own.
--
-- TRANSITION none
-- KEYS       server workers
-- ARGV       ttl info
-- ITEMS      id worker
-- RETURNS    OK
local server, workers = KEYS[1], KEYS[2]
local ttl, info = ARGV[1], ARGV[2]

redis.call('SET', server, info, 'EX', ttl)
redis.call('DEL', workers)
for i = 3, #ARGV, 2 do
  redis.call('HSET', workers, ARGV[i], ARGV[i + 1])
end
redis.call('EXPIRE', workers, ttl)
return redis.status_reply('OK')
