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

-- Most calls bring one task without a lock, and go without the tables that many tasks need.
if #ARGV == 8 and ARGV[7] == '' then
  local id, msg = ARGV[5], ARGV[6]
  local task = prefix .. 't:' .. id
  if redis.call('EXISTS', task) == 1 then
    return remember(lane, sequence, keep, { 0 })
  end
  redis.call('HSET', task, 'state', 'pending', 'pending_since', now .. '000', 'msg', msg)
  redis.call('LPUSH', pending, id)
  return remember(lane, sequence, keep, { 1 })
end

answers = admit(prefix, column(5, 4), column(7, 4))
local n, new = 0, {}
for i = 5, #ARGV, 4 do
  local id, msg, lock, ttl = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  n = n + 1
  if answers[n] == 1 then
    local fields = pending_fields(now)
    add(fields, 'msg', msg)
    create(prefix .. 't:' .. id, id, lock, ttl, fields)
    add(new, id)
  end
end
call_once('LPUSH', pending, new)
return remember(lane, sequence, keep, answers)
