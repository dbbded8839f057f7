-- Enqueues tasks of schedule entries, each for one instant of its entry. This script makes an instant fire once, whatever
-- the number of schedulers: only a caller that knows the entry's progress may fire it, and the same step advances the
-- entry. A run requested by an operator also fires once, since the request is deleted; it does not advance the entry.
--
-- TRANSITION absent -> pending, absent -> scheduled, absent -> aggregating
-- KEYS       schedules pending scheduled groups lane guard
-- ARGV       now prefix sequence keep
-- ITEMS      entry decided instant id msg lock ttl at delay precise group
-- DERIVES    t:<id>, g:<group>, the lock
-- RETURNS    for each 1 = enqueued, 0 = its id is taken, -1 = not to be fired (fired by another, paused, forgotten, on its way
--            into another queue), or
--            the id of the task that holds the lock
local schedules, lane = KEYS[1], KEYS[5]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

local answers = recall(lane, sequence)
if answers then
  return answers
end

local function is_due(entry, decided, instant)
  local state = redis.call('HMGET', schedules, 'from:' .. entry, 'last:' .. entry, 'paused:' .. entry, 'run:' .. entry,
    'leaving:' .. entry)
  local from, last, paused, run, leaving = unpack(state)
  if leaving then
    return false
  elseif decided == '' then
    return run == instant
  end
  return from and not paused and math.max(tonumber(from) or 0, tonumber(last) or 0) == tonumber(decided)
end

answers = {}
for i = 5, #ARGV, 11 do
  local entry, decided, instant, id, msg, lock = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
  local ttl, at, delay, precise, group = ARGV[i + 6], ARGV[i + 7], ARGV[i + 8], ARGV[i + 9], ARGV[i + 10]
  if is_due(entry, decided, instant) and can_take_in(prefix, at, delay, group) then
    add(answers, take_in(prefix, now, id, msg, lock, ttl, at, delay, precise, group))
    if decided == '' then
      redis.call('HDEL', schedules, 'run:' .. entry)
    else
      redis.call('HSET', schedules, 'last:' .. entry, instant)
    end
  else
    add(answers, -1)
  end
end
-- Entries with writable keys have fired by now, and do not fire again.
report_unusable()
return remember(lane, sequence, keep, answers)
