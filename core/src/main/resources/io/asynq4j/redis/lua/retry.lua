-- Ends attempts that failed and are to be repeated after a delay: in the retry set, or, on an ordered queue, at the head.
--
-- TRANSITION active -> retry, active -> pending
-- KEYS       active lease retry pending settings lane guard
-- ARGV       now prefix sequence keep ordered
-- ITEMS      id token msg delay precise failure
-- DERIVES    t:<id>, places, processed, processed:<day>, failed, failed:<day>
-- RETURNS    for each task 1 = settled, 0 = the lease is lost
local active, lease, retry, pending, settings, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, prefix, sequence, keep, ordered = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local answers = recall(lane, sequence)
if answers then
  return answers
end

answers = {}
ordered = is_ordered(settings, ordered)
local settled, failures = {}, 0
for i = 6, #ARGV, 6 do
  local id, token, msg = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local delay, precise, failure = tonumber(ARGV[i + 3]), ARGV[i + 4], ARGV[i + 5]
  local task = prefix .. 't:' .. id
  local mine = holds(lease, task, id, token)
  if mine then
    redis.call('ZREM', lease, id)
    redis.call('HSET', task, 'msg', msg)
    redis.call('HDEL', task, 'claim', 'crashes')
    if ordered then
      enter_head(prefix, task, id, now, to_millis(now) + delay)
    else
      enter_at(prefix, 'retry', task, id, to_millis(now) + delay, precise)
    end
    settled[#settled + 1] = id
    failures = failures + tonumber(failure)
  end
  answers[#answers + 1] = mine and 1 or 0
end
if #settled > 0 then
  leave_active(prefix, active, settled)
  count(prefix, to_seconds(now), failures, failures)
  remember(lane, sequence, keep, answers)
end
return answers
