-- Makes periodic entries known, and tells how far they are. One that comes from another queue goes on with what it had
-- there. One that is new, or has got another spec, begins now: what its spec would have been due for before is not made up
-- for.
--
-- TRANSITION none
-- KEYS       schedules guard
-- ARGV       now prefix
-- ITEMS      entry spec old_spec anchor from last paused run
-- RETURNS    for each its anchor, from, last, paused and run, one after the other
local schedules = KEYS[1]
local now, prefix = clock(ARGV[1]), ARGV[2]

local STATE = { 'anchor:', 'from:', 'last:', 'paused:', 'run:' }

-- Only once: who was slower finds that it has gone on here.
local function take_over(entry, old_spec, first)
  local fields = { 'spec:' .. entry, old_spec }
  for field = 1, #STATE do
    if ARGV[first + field - 1] ~= '' then
      add(fields, STATE[field] .. entry, ARGV[first + field - 1])
    end
  end
  redis.call('HSET', schedules, unpack(fields))
end

local states = {}
for i = 3, #ARGV, 8 do
  local entry, spec, old_spec, from = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 4]
  if from ~= '' and not redis.call('HGET', schedules, 'from:' .. entry) then
    take_over(entry, old_spec, i + 3)
  end
  if redis.call('HGET', schedules, 'spec:' .. entry) ~= spec then
    redis.call('HSET', schedules, 'spec:' .. entry, spec, 'anchor:' .. entry, string.sub(now, 1, -7) .. '000',
      'from:' .. entry, string.sub(now, 1, -4))
  end
  redis.call('HDEL', schedules, 'leaving:' .. entry)
  local fields = {}
  for field = 1, #STATE do
    add(fields, STATE[field] .. entry)
  end
  local state = redis.call('HMGET', schedules, unpack(fields))
  for field = 1, #STATE do
    add(states, state[field])
  end
end
return states
