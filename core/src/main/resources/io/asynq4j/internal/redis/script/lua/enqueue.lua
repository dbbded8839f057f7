-- Adds new tasks to the tail of their queue.
--
-- TRANSITION absent -> pending
-- KEYS       pending lane guard
-- ARGV       now prefix sequence keep width
-- ITEMS      id msg lock ttl
-- DERIVES    t:<id>, the lock
-- RETURNS    their number, if all were enqueued; or for each task 1 = enqueued, 0 = its id is taken, or the id of the task that
--            holds the lock
--
-- For tasks without locks and with distinct ids, which are most, only id and msg are sent: the width is the number of values.
local pending, lane = KEYS[1], KEYS[2]
local now, prefix, sequence, keep, width = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])

local answers = recall(lane, sequence)
if answers then
  return answers
end

local ids, tasks, n = {}, {}, 0
for i = 6, #ARGV, width do
  n = n + 1
  ids[n], tasks[n] = ARGV[i], prefix .. 't:' .. ARGV[i]
end

if width == 2 and redis.call('EXISTS', unpack(tasks)) == 0 then
  local since = now .. '000'
  -- First, since a key of another type raises an error before anything is written.
  redis.call('LPUSH', pending, unpack(ids))
  for i = 1, n do
    redis.call('HSET', tasks[i], 'state', 'pending', 'pending_since', since, 'msg', ARGV[2 * i + 5])
  end
  return remember(lane, sequence, keep, n)
end

answers = admit(prefix, ids, width == 4 and column(8, 4) or {})
local new = {}
for i = 1, n do
  if answers[i] == 1 then
    add(new, ids[i])
  end
end
call_once('LPUSH', pending, new)
for i = 1, n do
  if answers[i] == 1 then
    local at = 6 + (i - 1) * width
    local fields = pending_fields(now)
    add(fields, 'msg', ARGV[at + 1])
    create(tasks[i], ids[i], width == 4 and ARGV[at + 2] or '', ARGV[at + 3], fields)
  end
end
return remember(lane, sequence, keep, answers)
