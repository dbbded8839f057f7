-- Makes leases last longer. The digits behind the point stay, so that an extension and a settlement may cross.
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
local answers = { expiry }
for i = 4, #ARGV, 2 do
  local id, token = ARGV[i], ARGV[i + 1]
  local mine = holds(lease, prefix .. 't:' .. id, id, token)
  if mine then
    redis.call('ZADD', lease, 'XX', lease_score(expiry, token), id)
  end
  answers[#answers + 1] = mine and 1 or 0
end
return answers
