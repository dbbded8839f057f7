-- Enrolls schedule entries and returns their progress. An entry from another queue continues with its state there. A new
-- entry, or one with a changed spec, starts now: earlier instants of its spec are not made up for.
--
-- TRANSITION none
-- KEYS       schedules guard
-- ARGV       now prefix
-- ITEMS      entry spec old_spec anchor from last paused run
-- RETURNS    for each its anchor, from, last, paused and run, in sequence
local schedules = KEYS[1]
local now, prefix = clock(ARGV[1]), ARGV[2]

local STATE = { 'anchor:', 'from:', 'last:', 'paused:', 'run:' }

-- Only once: a slower caller finds the state already moved here.
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
