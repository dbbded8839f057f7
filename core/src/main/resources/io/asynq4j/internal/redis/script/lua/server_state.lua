-- Publishes a server and its workers. All keys share one separate slot. Many workers arrive in several calls: they are
-- gathered separately, and readers see the former ones until the last call has replaced them.
--
-- TRANSITION none
-- KEYS       server workers gathered
-- ARGV       ttl info part
-- ITEMS      id worker
-- RETURNS    OK
local server, workers, gathered = KEYS[1], KEYS[2], KEYS[3]
local ttl, info, part = ARGV[1], ARGV[2], ARGV[3]

-- First, since Redis allows it even when it is out of memory: a live server must be visible then too.
redis.call('EXPIRE', workers, ttl)
redis.call('SET', server, info, 'EX', ttl)
local into = part == 'only' and workers or gathered
if part == 'last' and redis.call('EXISTS', gathered) == 0 then
  -- A repetition of this call: the first one has replaced all.
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
