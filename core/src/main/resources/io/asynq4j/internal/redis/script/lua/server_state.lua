-- Says that a server lives, and what its workers do. All keys share one slot of their own. Many workers come in several
-- calls: they are gathered apart, and readers see the former ones until the last call has put them in place.
--
-- TRANSITION none
-- KEYS       server workers gathered
-- ARGV       ttl info part
-- ITEMS      id worker
-- RETURNS    OK
local server, workers, gathered = KEYS[1], KEYS[2], KEYS[3]
local ttl, info, part = ARGV[1], ARGV[2], ARGV[3]

-- First, since it is allowed also when Redis is out of memory: a server that lives is to be seen then too.
redis.call('EXPIRE', workers, ttl)
redis.call('SET', server, info, 'EX', ttl)
local into = part == 'only' and workers or gathered
if part == 'last' and redis.call('EXISTS', gathered) == 0 then
  -- Sent again: the first time has put all in place.
  into = workers
elseif part == 'only' or part == 'first' then
  redis.call('DEL', into)
end
for i = 4, #ARGV, 2 do
  redis.call('HSET', into, ARGV[i], ARGV[i + 1])
end
redis.call('EXPIRE', into, ttl)
if part == 'last' and into == gathered then
  redis.call('RENAME', gathered, workers)
end
return redis.status_reply('OK')
