-- Replaces the message of a waiting task if it is unchanged since it was read. If its lock changes, the new lock is taken
-- for the remaining time of the old one.
--
-- TRANSITION none
-- KEYS       pending guard
-- ARGV       prefix id old_msg new_msg old_lock new_lock
-- DERIVES    t:<id>, sets under way and spent, the locks
-- RETURNS    1 = replaced, 0 = not found, -1 = changed by another client, the state that forbids it, or, after
--            'lock:', the id of the task that holds the new lock
local pending = KEYS[1]
local prefix, id, old_msg, new_msg = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local old_lock, new_lock = ARGV[5], ARGV[6]

local task = prefix .. 't:' .. id
local record = redis.call('HMGET', task, 'state', 'msg')
if not record[1] then
  return 0
elseif record[1] == 'active' or record[1] == 'completed' or record[1] == 'aggregating' and is_in_set(prefix, id) then
  return record[1]
elseif record[2] ~= old_msg then
  return -1
end
if new_lock ~= old_lock and redis.call('GET', old_lock) == id then
  local holder = redis.call('GET', new_lock)
  if holder then
    return 'lock:' .. holder
  end
  redis.call('RENAME', old_lock, new_lock)
  redis.call('HSET', task, 'unique_key', new_lock)
end
redis.call('HSET', task, 'msg', new_msg)
return 1
