-- Puts new tasks at the tail of their queue.
--
-- TRANSITION absent -> pending
-- KEYS       pending lane guard
-- ARGV       now prefix sequence keep
-- ITEMS      id msg lock ttl
-- DERIVES    t:<id>, the lock
-- RETURNS    for each task 1 = enqueued, 0 = its id is taken, or the id of the task that holds the lock
local pending, lane = KEYS[1], KEYS[2]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

local answers = recall(lane, sequence)
if answers then
  return answers
end

local ids, tasks, here, n, plain = {}, {}, {}, 0, true
for i = 5, #ARGV, 4 do
  local id = ARGV[i]
  n = n + 1
  ids[n], tasks[n] = id, prefix .. 't:' .. id
  plain = plain and ARGV[i + 2] == '' and not here[id]
  here[id] = true
end

-- Most calls bring new tasks without locks, and go without what others need.
if plain and redis.call('EXISTS', unpack(tasks)) == 0 then
  local since = now .. '000'
  answers = {}
  for i = 1, n do
    redis.call('HSET', tasks[i], 'state', 'pending', 'pending_since', since, 'msg', ARGV[4 * i + 2])
    answers[i] = 1
  end
  redis.call('LPUSH', pending, unpack(ids))
  return remember(lane, sequence, keep, answers)
end

answers = admit(prefix, ids, column(7, 4))
local new = {}
for i = 1, n do
  if answers[i] == 1 then
    local fields = pending_fields(now)
    add(fields, 'msg', ARGV[4 * i + 2])
    create(tasks[i], ids[i], ARGV[4 * i + 3], ARGV[4 * i + 4], fields)
    add(new, ids[i])
  end
end
call_once('LPUSH', pending, new)
return remember(lane, sequence, keep, answers)
