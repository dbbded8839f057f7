-- Settles attempts whose task runs again later without having failed.
--
-- TRANSITION active -> scheduled, active -> pending
-- KEYS       active lease scheduled pending settings lane guard
-- ARGV       now prefix sequence keep ordered
-- ITEMS      id token delay precise
-- DERIVES    t:<id>, departed
-- RETURNS    for each task 1 = settled, 0 = the lease is lost
local active, lease, scheduled, pending, settings, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, prefix, sequence, keep, ordered = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local answers = recall(lane, sequence)
if answers then
  return answers
end

ordered = is_ordered(settings, ordered)
local ids, settled = column(6, 4), nil
redis.call(ordered and 'LLEN' or 'ZCARD', ordered and pending or scheduled)
answers, settled = end_attempts(prefix, active, lease, ids, held(prefix, lease, ids, column(7, 4)))
local n, waiting = 0, {}
for i = 6, #ARGV, 4 do
  n = n + 1
  if answers[n] == 1 then
    local id, delay, precise = ARGV[i], tonumber(ARGV[i + 2]), ARGV[i + 3]
    local fields
    if ordered then
      fields = held_fields(now, to_millis(now) + delay)
      add(waiting, id)
    else
      local score
      score, fields = timed('scheduled', to_millis(now) + delay, precise)
      add(waiting, score, id)
    end
    redis.call('HSET', prefix .. 't:' .. id, unpack(fields))
    redis.call('HDEL', prefix .. 't:' .. id, 'claim', 'place', 'crashes')
  end
end
if #settled > 0 then
  call_once(ordered and 'RPUSH' or 'ZADD', ordered and pending or scheduled, waiting)
  remember(lane, sequence, keep, answers)
end
return answers
