-- Gives unfinished tasks back to the head of their queue, as a server does when it stops. The last one given is the next
-- one to run.
--
-- TRANSITION active -> pending
-- KEYS       active lease pending lane guard
-- ARGV       now prefix sequence keep
-- ITEMS      id token
-- DERIVES    t:<id>, places
-- RETURNS    for each task 1 = settled, 0 = the lease is lost
local active, lease, pending, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

local answers = recall(lane, sequence)
if answers then
  return answers
end

answers = {}
local settled = {}
for i = 5, #ARGV, 2 do
  local id, token = ARGV[i], ARGV[i + 1]
  local task = prefix .. 't:' .. id
  local mine = holds(lease, task, id, token)
  if mine then
    redis.call('ZREM', lease, id)
    redis.call('RPUSH', pending, id)
    redis.call('HSET', task, 'state', 'pending', 'pending_since', now .. '000')
    redis.call('HDEL', task, 'claim')
    settled[#settled + 1] = id
  end
  answers[#answers + 1] = mine and 1 or 0
end
if #settled > 0 then
  leave_active(prefix, active, settled)
  remember(lane, sequence, keep, answers)
end
return answers
