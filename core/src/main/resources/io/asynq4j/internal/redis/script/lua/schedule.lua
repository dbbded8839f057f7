-- Stores new tasks until they are due. A task with a group joins it then, so the group is listed now: a Go forwarder would
-- not list it.
--
-- TRANSITION absent -> scheduled
-- KEYS       scheduled groups lane guard
-- ARGV       now prefix sequence keep
-- ITEMS      id msg lock ttl at delay precise group
-- DERIVES    t:<id>, the lock
-- RETURNS    for each task 1 = scheduled, 0 = its id is taken, or the id of the task that holds the lock
local scheduled, groups, lane = KEYS[1], KEYS[2], KEYS[3]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

local answers = recall(lane, sequence)
if answers then
  return answers
end

redis.call('ZCARD', scheduled)
redis.call('SCARD', groups)
answers = admit(prefix, column(5, 8), column(7, 8))
local n, waiting, named = 0, {}, {}
for i = 5, #ARGV, 8 do
  local id, msg, lock, ttl = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local at, delay, precise, group = ARGV[i + 4], ARGV[i + 5], ARGV[i + 6], ARGV[i + 7]
  n = n + 1
  if answers[n] == 1 then
    local due_ms = at ~= '' and tonumber(at) or to_millis(now) + tonumber(delay)
    -- The duration of the lock starts when the task is due, not now.
    local wait = math.max(0, math.ceil(due_ms / 1000) - to_seconds(now))
    local score, fields = timed('scheduled', due_ms, precise)
    add(fields, 'msg', msg)
    if group ~= '' then
      add(fields, 'group', group)
      add(named, group)
    end
    create(prefix .. 't:' .. id, id, lock, lock ~= '' and ttl + wait, fields)
    add(waiting, score, id)
  end
end
call_once('ZADD', scheduled, waiting)
call_once('SADD', groups, named)
return remember(lane, sequence, keep, answers)
