-- Extends leases. The digits after the point are unchanged, so that an extension and a settlement may cross.
--
-- TRANSITION active -> active
-- KEYS       lease guard
-- ARGV       now prefix duration
-- ITEMS      id token
-- DERIVES    t:<id>
-- RETURNS    the second the leases end now, then for each task 1 = extended, 0 = the lease is lost
local lease = KEYS[1]
local now, prefix, duration = clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])

local expiry = to_seconds(now) + duration
local answers, extended, n = { expiry }, {}, 0
local mine = held(prefix, lease, column(4, 2), column(5, 2))
for i = 4, #ARGV, 2 do
  local id, token = ARGV[i], ARGV[i + 1]
  n = n + 1
  if mine[n] then
    add(extended, lease_score(expiry, token), id)
  end
  answers[#answers + 1] = mine[n] and 1 or 0
end
if #extended > 0 then
  -- No task has this id. But Redis allows this write even when it is out of memory, and after it all other writes of the
  -- script: without it, a lease could not be extended while a recovery, which starts with such a write too, could take it.
  redis.call('ZREM', lease, '')
  redis.call('ZADD', lease, 'XX', unpack(extended))
end
return answers
