-- Archives waiting tasks on request of an operator; their message is unchanged. If the archive is full, its oldest tasks
-- are deleted only if drop_oldest is 1.
--
-- TRANSITION pending -> archived, scheduled -> archived, retry -> archived, completed -> archived, aggregating -> archived
-- KEYS       archived groups guard
-- ARGV       now prefix max_size max_age release_locks drop_oldest
-- ITEMS      id
-- DERIVES    t:<id>, g:<group>, every container, lease, sets under way and spent, the lock
-- RETURNS    for each task 1 = archived, 0 = not found, -1 = no message to keep, -2 = the archive is full, or the state that
--            forbids it; then the number of tasks too old for the archive, and last, the number of trimmed tasks
local archived, groups = KEYS[1], KEYS[2]
local now, prefix = clock(ARGV[1]), ARGV[2]
local max_size, max_age = tonumber(ARGV[3]), tonumber(ARGV[4])
local release_locks, drop_oldest = ARGV[5], ARGV[6] == '1'

local answers, leaving, moved, given_up, taken = {}, {}, {}, {}, {}
local second = to_seconds(now)
local too_old = redis.call('ZCOUNT', archived, '-inf', second - max_age)
local room = max_size + too_old - redis.call('ZCARD', archived)
for i = 7, #ARGV do
  local id = ARGV[i]
  local task = prefix .. 't:' .. id
  local answer
  if taken[id] then
    answer = 'archived'
  elseif drop_oldest or #moved < room then
    answer = take_for_operator(prefix, task, id, 'archived', leaving)
  else
    -- The removals go to a discarded table, so the task keeps its state.
    answer = take_for_operator(prefix, task, id, 'archived', {})
    answer = answer == 1 and -2 or answer
  end
  if answer == 1 then
    taken[id] = true
    add(given_up, second, id)
    add(moved, id)
  end
  answers[#answers + 1] = answer
end
local trimmed = 0
if #moved > 0 then
  for i = 1, #moved do
    local task = prefix .. 't:' .. moved[i]
    redis.call('HDEL', task, 'pending_since', 'hold_until', 'due_ms', 'group', 'claim', 'place')
    redis.call('HSET', task, 'state', 'archived')
  end
  leave_containers(prefix, groups, leaving)
  redis.call('ZADD', archived, unpack(given_up))
  if release_locks == '1' then
    local locks = {}
    for i = 1, #moved do
      locks[i] = redis.call('HGET', prefix .. 't:' .. moved[i], 'unique_key')
    end
    release(locks, moved)
  end
  trimmed = trim_archive(prefix, second, max_size, max_age, #moved + 50)
end
answers[#answers + 1] = too_old
answers[#answers + 1] = trimmed
return answers
