-- Puts new tasks into a group, where they wait to become part of one task.
--
-- TRANSITION absent -> aggregating
-- KEYS       groups lane guard
-- ARGV       now prefix sequence keep
-- ITEMS      id msg lock ttl group
-- DERIVES    t:<id>, g:<group>, the lock
-- RETURNS    for each task 1 = grouped, 0 = its id is taken, or the id of the task that holds the lock
local groups, lane = KEYS[1], KEYS[2]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

local answers = recall(lane, sequence)
if answers then
  return answers
end

answers = {}
for i = 5, #ARGV, 5 do
  local id, msg, lock, ttl, group = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  local task = prefix .. 't:' .. id
  local answer = admit(task, id, lock, ttl)
  if answer == 1 then
    redis.call('HSET', task, 'msg', msg)
    enter_group(prefix, task, id, group, to_seconds(now))
  end
  answers[#answers + 1] = answer
end
return remember(lane, sequence, keep, answers)
