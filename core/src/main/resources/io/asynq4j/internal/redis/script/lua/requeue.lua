-- Requeues unfinished tasks at the head of their queue, for example when a server stops. The last task passed is the next
-- one to run.
--
-- TRANSITION active -> pending
-- KEYS       active lease pending lane guard
-- ARGV       now prefix sequence keep
-- ITEMS      id token
-- DERIVES    t:<id>, departed
-- RETURNS    for each task 1 = settled, 0 = the lease is lost
local active, lease, pending, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

local answers = recall(lane, sequence)
if answers then
  return answers
end

local ids, settled = column(5, 2), nil
redis.call('LLEN', pending)
answers, settled = end_attempts(prefix, active, lease, ids, held(prefix, lease, ids, column(6, 2)))
local fields = pending_fields(now)
for i = 1, #settled do
  redis.call('HSET', prefix .. 't:' .. settled[i], unpack(fields))
  redis.call('HDEL', prefix .. 't:' .. settled[i], 'claim', 'place')
end
if #settled > 0 then
  redis.call('RPUSH', pending, unpack(settled))
  remember(lane, sequence, keep, answers)
end
return answers
