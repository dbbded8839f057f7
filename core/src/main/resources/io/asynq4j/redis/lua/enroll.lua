-- Makes periodic entries known, and tells how far they are. One that is new, or has got another spec, begins now: what its
-- spec would have been due for before is not made up for.
--
-- TRANSITION none
-- KEYS       schedules guard
-- ARGV       now prefix
-- ITEMS      entry spec
-- RETURNS    for each its anchor, from, last, paused and run, one after the other
local schedules = KEYS[1]
local now, prefix = clock(ARGV[1]), ARGV[2]

local states = {}
for i = 3, #ARGV, 2 do
  local entry, spec = ARGV[i], ARGV[i + 1]
  if redis.call('HGET', schedules, 'spec:' .. entry) ~= spec then
    redis.call('HSET', schedules, 'spec:' .. entry, spec, 'anchor:' .. entry, string.sub(now, 1, -7) .. '000',
      'from:' .. entry, string.sub(now, 1, -4))
  end
  local state = redis.call('HMGET', schedules, 'anchor:' .. entry, 'from:' .. entry, 'last:' .. entry,
    'paused:' .. entry, 'run:' .. entry)
  for field = 1, 5 do
    add(states, state[field])
  end
end
return states
