-- Adds running tasks to the active list that have a lease and are missing in it.
--
-- TRANSITION none
-- KEYS       active lease guard
-- ARGV       prefix
-- ITEMS      id
-- DERIVES    t:<id>, departed
-- RETURNS    number of added tasks
local active, lease = KEYS[1], KEYS[2]
local prefix = ARGV[1]

local listed = 0
for i = 2, #ARGV do
  local id = ARGV[i]
  local task = prefix .. 't:' .. id
  local record = fields_of(task, 'state', 'msg')
  if record[1] == 'active' and record[2] and redis.call('ZSCORE', lease, id) and not redis.call('LPOS', active, id) then
    local place = last_place(prefix, active, 1)
    redis.call('LPUSH', active, id)
    if place then
      redis.call('HSET', task, 'place', place + 1)
    end
    listed = listed + 1
  end
end
return listed
