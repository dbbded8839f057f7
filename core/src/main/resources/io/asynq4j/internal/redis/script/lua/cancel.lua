-- Notes in the record of a running task that it is to stop, for workers that listen to no channel. The note names the
-- claim, so that it does not count for the next one.
--
-- TRANSITION active -> active
-- KEYS       guard
-- ARGV       prefix id after
-- DERIVES    t:<id>
-- RETURNS    1 = noted, 0 = it does not run, or a Go worker has it
local prefix, id, after = ARGV[1], ARGV[2], ARGV[3]

local task = prefix .. 't:' .. id
local record = redis.call('HMGET', task, 'state', 'claim')
if record[1] ~= 'active' or not record[2] then
  return 0
end
redis.call('HSET', task, 'cancel', record[2] .. ' ' .. after)
return 1
