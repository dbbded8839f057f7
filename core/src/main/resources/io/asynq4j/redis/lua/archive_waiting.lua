-- Archives tasks that wait, as an operator asks for it; their message stays as it is.
--
-- TRANSITION pending -> archived, scheduled -> archived, retry -> archived, completed -> archived, aggregating -> archived
-- KEYS       archived groups guard
-- ARGV       now prefix max_size max_age release_locks
-- ITEMS      id
-- DERIVES    t:<id>, g:<group>, every container, lease, sets under way and spent, the lock
-- RETURNS    for each task 1 = archived, 0 = not found, -1 = no message to keep, or the state that forbids it; last, how
--            many old ones were trimmed
local archived, groups = KEYS[1], KEYS[2]
local now, prefix = clock(ARGV[1]), ARGV[2]
local max_size, max_age, release_locks = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]

local answers, leaving, moved, given_up = {}, {}, {}, {}
local second = to_seconds(now)
for i = 6, #ARGV do
  local id = ARGV[i]
  local task = prefix .. 't:' .. id
  local answer = take_for_operator(prefix, task, id, 'archived', leaving)
  if answer == 1 then
    redis.call('HDEL', task, 'pending_since', 'hold_until', 'due_ms', 'group', 'claim', 'place')
    redis.call('HSET', task, 'state', 'archived')
    add(given_up, second, id)
    add(moved, id)
  end
  answers[#answers + 1] = answer
end
local trimmed = 0
if #moved > 0 then
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
answers[#answers + 1] = trimmed
return answers
