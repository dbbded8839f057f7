-- Adds new tasks to a group, where they wait for aggregation.
--
-- TRANSITION absent -> aggregating
-- KEYS       groups lane guard
-- ARGV       now prefix sequence keep
-- ITEMS      id msg lock ttl group
-- DERIVES    t:<id>, g:<group>, the lock
-- RETURNS    for each task 1 = grouped, 0 = its id is taken, or the id of the task that holds the lock
local groups, lane = KEYS[1], KEYS[2]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

local answers = recall(lane, sequence)
if answers then
  return answers
end

redis.call('SCARD', groups)
answers = admit(prefix, column(5, 5), column(7, 5))
local n, second, members, named = 0, to_seconds(now), {}, {}
local group_of = column(9, 5)
for i = 1, #group_of do
  local group = group_of[i]
  if answers[i] == 1 and not members[group] then
    redis.call('ZCARD', prefix .. 'g:' .. group)
    members[group] = {}
    add(named, group)
  end
end
for i = 5, #ARGV, 5 do
  local id, msg, lock, ttl, group = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  n = n + 1
  if answers[n] == 1 then
    create(prefix .. 't:' .. id, id, lock, ttl, { 'msg', msg, 'state', 'aggregating', 'group', group })
    add(members[group], second, id)
  end
end
for i = 1, #named do
  redis.call('ZADD', prefix .. 'g:' .. named[i], unpack(members[named[i]]))
end
call_once('SADD', groups, named)
return remember(lane, sequence, keep, answers)
