-- Settles failed attempts that are repeated after a delay: in the retry set, or, in an ordered queue, at the head.
--
-- TRANSITION active -> retry, active -> pending
-- KEYS       active lease retry pending settings lane guard
-- ARGV       now prefix sequence keep ordered
-- ITEMS      id token msg delay precise failure report
-- DERIVES    t:<id>, departed, processed, processed:<day>, failed, failed:<day>
-- RETURNS    for each task 1 = settled, 0 = the lease is lost
local active, lease, retry, pending, settings, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, prefix, sequence, keep, ordered = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local answers = recall(lane, sequence)
if answers then
  return answers
end

ordered = is_ordered(settings, ordered)
local ids, settled = column(6, 7), nil
redis.call(ordered and 'LLEN' or 'ZCARD', ordered and pending or retry)
answers, settled = end_attempts(prefix, active, lease, ids, held(prefix, lease, ids, column(7, 7)))
local n, failures, waiting = 0, 0, {}
for i = 6, #ARGV, 7 do
  n = n + 1
  if answers[n] == 1 then
    local id, msg = ARGV[i], ARGV[i + 2]
    local delay, precise, failure, report = tonumber(ARGV[i + 3]), ARGV[i + 4], ARGV[i + 5], ARGV[i + 6]
    local task = prefix .. 't:' .. id
    local fields
    if ordered then
      fields = held_fields(now, to_millis(now) + delay)
      add(waiting, id)
    else
      local score
      score, fields = timed('retry', to_millis(now) + delay, precise)
      add(waiting, score, id)
    end
    add(fields, 'msg', msg)
    if report ~= '' then
      add(fields, 'failures', with_failure(redis.call('HGET', task, 'failures'), report))
    end
    redis.call('HSET', task, unpack(fields))
    redis.call('HDEL', task, 'claim', 'place', 'crashes')
    failures = failures + tonumber(failure)
  end
end
if #settled > 0 then
  call_once(ordered and 'RPUSH' or 'ZADD', ordered and pending or retry, waiting)
  count(prefix, to_seconds(now), failures, failures)
  remember(lane, sequence, keep, answers)
end
return answers
