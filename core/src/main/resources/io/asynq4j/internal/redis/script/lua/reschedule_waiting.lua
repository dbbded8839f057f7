-- Changes the due time of waiting tasks on request of an operator: tasks in retry stay there, all others are scheduled.
--
-- TRANSITION scheduled -> scheduled, retry -> retry, pending -> scheduled, archived -> scheduled
-- KEYS       scheduled retry groups guard
-- ARGV       prefix due_ms
-- ITEMS      id
-- DERIVES    t:<id>, every container
-- RETURNS    for each task 1 = it waits for the new time, 0 = not found, -1 = no message to run, or the state that forbids it
local scheduled, retry, groups = KEYS[1], KEYS[2], KEYS[3]
local prefix, due_ms = ARGV[1], tonumber(ARGV[2])

local WAITS = { scheduled = true, retry = true, pending = true, archived = true }

local answers, leaving, waiting, retrying = {}, {}, {}, {}
redis.call('ZCARD', scheduled)
redis.call('ZCARD', retry)
local tasks, written = {}, {}
for i = 3, #ARGV do
  local id = ARGV[i]
  local task = prefix .. 't:' .. id
  local record = fields_of(task, 'state', 'msg')
  local state, answer = record[1], 1
  if not state or not record[2] then
    answer = redis.call('EXISTS', task) == 1 and -1 or 0
  elseif not WAITS[state] then
    answer = state
  else
    may_leave(prefix, id, state, nil, leaving)
    local score, fields = timed(state == 'retry' and 'retry' or 'scheduled', due_ms, '0')
    add(tasks, task)
    add(written, fields)
    add(state == 'retry' and retrying or waiting, score, id)
  end
  answers[#answers + 1] = answer
end
for i = 1, #tasks do
  redis.call('HDEL', tasks[i], 'pending_since', 'hold_until', 'due_ms', 'quarantine', 'crashes')
  redis.call('HSET', tasks[i], unpack(written[i]))
end
leave_containers(prefix, groups, leaving)
call_once('ZADD', scheduled, waiting)
call_once('ZADD', retry, retrying)
return answers
