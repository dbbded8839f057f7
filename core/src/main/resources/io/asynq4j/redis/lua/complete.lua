-- Ends attempts that succeeded: the task is kept for its retention, or gone.
--
-- TRANSITION active -> completed, active -> absent
-- KEYS       active lease completed lane guard
-- ARGV       now prefix sequence keep
-- ITEMS      id token msg lock retention has_result result
-- DERIVES    t:<id>, places, processed, processed:<day>, the lock
-- RETURNS    for each task 1 = settled, 0 = the lease is lost
local active, lease, completed, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

local answers = recall(lane, sequence)
if answers then
  return answers
end

answers = {}
local settled = {}
for i = 5, #ARGV, 7 do
  local id, token, msg, lock = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local retention, has_result, result = tonumber(ARGV[i + 4]), ARGV[i + 5], ARGV[i + 6]
  local task = prefix .. 't:' .. id
  local mine = holds(lease, task, id, token)
  if mine then
    redis.call('ZREM', lease, id)
    if retention > 0 then
      redis.call('ZADD', completed, math.ceil(to_millis(now) / 1000) + retention, id)
      redis.call('HSET', task, 'msg', msg, 'state', 'completed')
      redis.call('HDEL', task, 'claim', 'crashes')
      if has_result == '1' then
        redis.call('HSET', task, 'result', result)
      end
    else
      redis.call('DEL', task)
    end
    release(lock, id)
    settled[#settled + 1] = id
  end
  answers[#answers + 1] = mine and 1 or 0
end
if #settled > 0 then
  leave_active(prefix, active, settled)
  count(prefix, to_seconds(now), #settled, 0)
  remember(lane, sequence, keep, answers)
end
return answers
