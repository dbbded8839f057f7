-- Takes a semaphore token for a task, until the task's deadline. A task that has a token keeps it, even if all tokens
-- are taken.
--
-- TRANSITION none
-- KEYS       semaphore
-- ARGV       now tokens deadline id
-- RETURNS    true or false, as text
local semaphore = KEYS[1]
local now, tokens, deadline, id = clock(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]

redis.call('ZREMRANGEBYSCORE', semaphore, '-inf', to_seconds(now) - 1)
if redis.call('ZSCORE', semaphore, id) or redis.call('ZCARD', semaphore) < tokens then
  redis.call('ZADD', semaphore, deadline, id)
  return 'true'
end
return 'false'
