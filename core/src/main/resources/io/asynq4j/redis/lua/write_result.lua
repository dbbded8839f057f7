-- Keeps what a handler has to say so far. Only for the worker that holds the task: a late write must not bring back the
-- record of a task that is gone.
--
-- TRANSITION active -> active
-- KEYS       lease guard
-- ARGV       prefix id token field value
-- DERIVES    t:<id>
-- RETURNS    1 = written, 0 = the lease is lost
local lease = KEYS[1]
local prefix, id, token, field, value = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local task = prefix .. 't:' .. id
if not held(prefix, lease, { id }, { token })[1] then
  return 0
end
redis.call('HSET', task, field, value)
return 1
