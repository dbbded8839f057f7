-- Makes waiting tasks pending at once, at the tail of their queue, whatever they wait for.
--
-- TRANSITION scheduled -> pending, retry -> pending, archived -> pending, completed -> pending, aggregating -> pending
-- KEYS       pending groups guard
-- ARGV       now prefix
-- ITEMS      id
-- DERIVES    t:<id>, g:<group>, every container, lease, sets under way and spent
-- RETURNS    for each task 1 = pending, 0 = not found, -1 = no message to run, or the state that forbids it
local pending, groups = KEYS[1], KEYS[2]
local now, prefix = clock(ARGV[1]), ARGV[2]

local answers, leaving, running, taken = {}, {}, {}, {}
local fields = pending_fields(now)
redis.call('LLEN', pending)
for i = 3, #ARGV do
  local id = ARGV[i]
  local answer = taken[id] and 'pending' or take_for_operator(prefix, prefix .. 't:' .. id, id, 'pending', leaving)
  if answer == 1 then
    taken[id] = true
    add(running, id)
  end
  answers[#answers + 1] = answer
end
for i = 1, #running do
  local task = prefix .. 't:' .. running[i]
  redis.call('HDEL', task, 'group', 'due_ms', 'hold_until', 'crashes', 'quarantine', 'claim', 'place')
  redis.call('HSET', task, unpack(fields))
end
leave_containers(prefix, groups, leaving)
call_once('LPUSH', pending, running)
return answers
