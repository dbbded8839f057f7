-- Deletes tasks that are not running, with the locks they hold. An id that was found in a container and stands for no task
-- is taken out of it.
--
-- TRANSITION pending -> absent, scheduled -> absent, retry -> absent, archived -> absent, completed -> absent, aggregating -> absent
-- KEYS       groups guard
-- ARGV       prefix container
-- ITEMS      id
-- DERIVES    t:<id>, g:<group>, every container, lease, sets under way and spent, the lock
-- RETURNS    for each task 1 = deleted, 0 = not found, or the state that forbids it
local groups = KEYS[1]
local prefix, container = ARGV[1], ARGV[2]

local answers, leaving, gone = {}, {}, {}
local ids, tasks, locks = {}, {}, {}
for i = 3, #ARGV do
  local id = ARGV[i]
  local task = prefix .. 't:' .. id
  local record = redis.call('HMGET', task, 'state', 'group', 'unique_key')
  local state = record[1]
  local answer = 1
  if not state then
    -- What has no state is a late result written by the original, in no container, or nothing but an id in one.
    answer = redis.call('DEL', task)
    if container ~= '' then
      answer = redis.call('TYPE', container).ok == 'list' and redis.call('LREM', container, -1, id)
        or redis.call('ZREM', container, id)
    end
  elseif gone[id] then
    answer = 0
  elseif not may_leave(prefix, id, state, record[2], leaving) then
    answer = state
  else
    gone[id] = true
    add(ids, id)
    add(tasks, task)
    add(locks, record[3])
  end
  answers[#answers + 1] = answer
end
leave_containers(prefix, groups, leaving)
release(locks, ids)
delete_all(tasks)
return answers
