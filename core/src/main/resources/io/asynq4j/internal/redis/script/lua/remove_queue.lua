-- Removes the remains of a queue without tasks: its counters, flags and settings.
--
-- TRANSITION none
-- KEYS       pending active lease scheduled retry archived completed groups aggregation_sets spent paused settings processed failed guard
-- ARGV       now prefix
-- DERIVES    processed:<day>, failed:<day>
-- RETURNS    1 = removed, or the name of the container that still holds something
local lease = KEYS[3]
local now, prefix = clock(ARGV[1]), ARGV[2]

-- pending to completed must be empty; groups, whose names may outlive their tasks, only of tasks
for i = 1, 7 do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    return KEYS[i] == lease and 'active' or string.sub(KEYS[i], #prefix + 1)
  end
end
local names = redis.call('SMEMBERS', KEYS[8])
for i = 1, #names do
  if redis.call('EXISTS', prefix .. 'g:' .. names[i]) == 1 then
    return 'aggregating'
  end
end
if redis.call('EXISTS', KEYS[9]) == 1 or redis.call('EXISTS', KEYS[10]) == 1 then
  return 'aggregating'
end

for i = 1, #KEYS do
  redis.call('DEL', KEYS[i])
end
-- The counters of a day live for 90 days; one more for the day on which the last of them ends.
local second = to_seconds(now)
for i = -1, 91 do
  local day = utc_day(second - i * 86400)
  redis.call('DEL', prefix .. 'processed:' .. day, prefix .. 'failed:' .. day)
end
return 1
