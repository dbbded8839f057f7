-- Stores the results and progress of running attempts. Only for the worker that has the lease: a late write must not
-- recreate the record of a deleted task.
--
-- TRANSITION active -> active
-- KEYS       lease guard
-- ARGV       prefix
-- ITEMS      id token field value
-- DERIVES    t:<id>
-- RETURNS    for each task 1 = written, 0 = the lease is lost
local lease = KEYS[1]
local prefix = ARGV[1]

local answers, n = {}, 0
local mine = held(prefix, lease, column(2, 4), column(3, 4))
for i = 2, #ARGV, 4 do
  local id, field, value = ARGV[i], ARGV[i + 2], ARGV[i + 3]
  n = n + 1
  if mine[n] then
    redis.call('HSET', prefix .. 't:' .. id, field, value)
  end
  answers[n] = mine[n] and 1 or 0
end
return answers
