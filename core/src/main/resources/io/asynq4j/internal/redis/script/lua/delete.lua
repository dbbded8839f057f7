-- Deletes tasks that are not running, with their locks. An id without a task is removed from the container in which it was
-- found. With an expected state, a task that has changed since is not deleted.
--
-- TRANSITION pending -> absent, scheduled -> absent, retry -> absent, archived -> absent, completed -> absent, aggregating -> absent
-- KEYS       groups guard
-- ARGV       prefix container expected
-- ITEMS      id
-- DERIVES    t:<id>, g:<group>, every container, lease, sets under way and spent, the lock
-- RETURNS    for each task 1 = deleted, 0 = not found, -1 = not as expected (its state, pending_since and msg, with spaces
--            between; '' = anything), or the state that forbids it
local groups = KEYS[1]
local prefix, container, expected = ARGV[1], ARGV[2], ARGV[3]

local answers, leaving, gone = {}, {}, {}
local kind = container ~= '' and redis.call('TYPE', container).ok or 'none'
if kind ~= 'none' and kind ~= 'list' then
  -- Raises an error if it is not a sorted set, while nothing is written yet.
  redis.call('ZCARD', container)
end
local ids, tasks, locks = {}, {}, {}
for i = 4, #ARGV do
  local id = ARGV[i]
  local task = prefix .. 't:' .. id
  local record = fields_of(task, 'state', 'group', 'unique_key')
  local state = record[1]
  local answer = 1
  local seen = expected ~= '' and redis.call('HMGET', task, 'pending_since', 'msg')
  if not state then
    -- No state: a late result written by the Go implementation, in no container, or an id without a record.
    answer = redis.call('DEL', task)
    if container ~= '' then
      answer = kind == 'list' and redis.call('LREM', container, -1, id) or redis.call('ZREM', container, id)
    end
  elseif gone[id] then
    answer = 0
  elseif seen and expected ~= state .. ' ' .. (seen[1] or '') .. ' ' .. (seen[2] or '') then
    answer = -1
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
