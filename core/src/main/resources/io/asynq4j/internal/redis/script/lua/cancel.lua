-- Marks a running task for cancellation in its record, for workers without a channel. The mark names the claim, so that
-- it does not apply to the next claim.
--
-- TRANSITION active -> active
-- KEYS       guard
-- ARGV       prefix id after
-- DERIVES    t:<id>
-- RETURNS    1 = marked, 0 = it is not running, or a Go worker has it
local prefix, id, after = ARGV[1], ARGV[2], ARGV[3]

local task = prefix .. 't:' .. id
local record = redis.call('HMGET', task, 'state', 'claim')
if record[1] ~= 'active' or not record[2] then
  return 0
end
redis.call('HSET', task, 'cancel', record[2] .. ' ' .. after)
return 1
