-- Makes waiting tasks pending at once, at the tail of their queue, whatever they waited for.
--
-- TRANSITION scheduled -> pending, retry -> pending, archived -> pending, completed -> pending, aggregating -> pending
-- KEYS       pending groups guard
-- ARGV       now prefix
-- ITEMS      id
-- DERIVES    t:<id>, g:<group>, every container, lease, sets under way and spent
-- RETURNS    for each task 1 = pending, 0 = not found, -1 = no message to run, or the state that forbids it
local pending, groups = KEYS[1], KEYS[2]
local now, prefix = clock(ARGV[1]), ARGV[2]

local answers, leaving, running = {}, {}, {}
local fields = pending_fields(now)
for i = 3, #ARGV do
  local id = ARGV[i]
  local task = prefix .. 't:' .. id
  local answer = take_for_operator(prefix, task, id, 'pending', leaving)
  if answer == 1 then
    redis.call('HDEL', task, 'group', 'due_ms', 'hold_until', 'crashes', 'quarantine', 'claim', 'place')
    redis.call('HSET', task, unpack(fields))
    add(running, id)
  end
  answers[#answers + 1] = answer
end
leave_containers(prefix, groups, leaving)
call_once('LPUSH', pending, running)
return answers
