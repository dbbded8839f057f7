-- Ends attempts that asked to be run again later without having failed.
--
-- TRANSITION active -> scheduled, active -> pending
-- KEYS       active lease scheduled pending settings lane guard
-- ARGV       now prefix sequence keep ordered
-- ITEMS      id token delay precise
-- DERIVES    t:<id>, places
-- RETURNS    for each task 1 = settled, 0 = the lease is lost
local active, lease, scheduled, pending, settings, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, prefix, sequence, keep, ordered = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local answers = recall(lane, sequence)
if answers then
  return answers
end

answers = {}
ordered = is_ordered(settings, ordered)
local settled = {}
for i = 6, #ARGV, 4 do
  local id, token, delay, precise = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), ARGV[i + 3]
  local task = prefix .. 't:' .. id
  local mine = holds(lease, task, id, token)
  if mine then
    redis.call('ZREM', lease, id)
    redis.call('HDEL', task, 'claim', 'crashes')
    if ordered then
      enter_head(prefix, task, id, now, to_millis(now) + delay)
    else
      enter_at(prefix, 'scheduled', task, id, to_millis(now) + delay, precise)
    end
    settled[#settled + 1] = id
  end
  answers[#answers + 1] = mine and 1 or 0
end
if #settled > 0 then
  leave_active(prefix, active, settled)
  remember(lane, sequence, keep, answers)
end
return answers
