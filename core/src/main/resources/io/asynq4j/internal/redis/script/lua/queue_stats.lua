-- Counts the content of a queue at one instant.
--
-- TRANSITION none
-- KEYS       pending active scheduled retry archived completed paused groups aggregation_sets processed failed guard
-- ARGV       now prefix
-- DERIVES    t:<id>, g:<group>, processed:<day>, failed:<day>, aggregation sets
-- RETURNS    the time in microseconds; sizes of active, pending, scheduled, retry, archived, completed, aggregating, in the
--            order of TaskState; number of groups; processed and failed today, processed and failed in all; paused; the
--            oldest one's pending_since
local pending, active, scheduled, retry, archived, completed = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local paused, groups, aggregation_sets, processed, failed = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local now, prefix = clock(ARGV[1]), ARGV[2]

local aggregating = 0
local names = redis.call('SMEMBERS', groups)
for i = 1, #names do
  aggregating = aggregating + (size_of(prefix .. 'g:' .. names[i]) or 0)
end
local sets = redis.call('ZRANGE', aggregation_sets, 0, -1)
for i = 1, #sets do
  aggregating = aggregating + (size_of(sets[i]) or 0)
end
local oldest = redis.call('LINDEX', pending, -1)
local day = utc_day(to_seconds(now))
return {
  now,
  redis.call('LLEN', active),
  redis.call('LLEN', pending),
  redis.call('ZCARD', scheduled),
  redis.call('ZCARD', retry),
  redis.call('ZCARD', archived),
  redis.call('ZCARD', completed),
  aggregating,
  #names,
  redis.call('GET', prefix .. 'processed:' .. day) or '0',
  redis.call('GET', prefix .. 'failed:' .. day) or '0',
  redis.call('GET', processed) or '0',
  redis.call('GET', failed) or '0',
  redis.call('EXISTS', paused),
  oldest and fields_of(prefix .. 't:' .. oldest, 'pending_since')[1] or '',
}
