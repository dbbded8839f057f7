-- Repairs inconsistencies between the active list and the leases that interrupted writers left. An active task without a
-- lease gets one that has just expired, as a whole number so that it is recovered as cautiously as a Go worker's; ids
-- without an active task are removed.
--
-- TRANSITION none
-- KEYS       active lease guard
-- ARGV       now prefix offset limit
-- DERIVES    t:<id>
-- RETURNS    number of repaired entries, of listed ones, and of leases
local active, lease = KEYS[1], KEYS[2]
local now, prefix, offset, limit = clock(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

local function is_active(id)
  local record = fields_of(prefix .. 't:' .. id, 'state', 'msg')
  return record[1] == 'active' and record[2]
end

local repaired = 0
local running = redis.call('LRANGE', active, offset, offset + limit - 1)
for i = 1, #running do
  local id = running[i]
  if not redis.call('ZSCORE', lease, id) then
    if is_active(id) then
      redis.call('ZADD', lease, to_seconds(now), id)
    else
      redis.call('LREM', active, -1, id)
    end
    repaired = repaired + 1
  end
end
local leased = redis.call('ZRANGE', lease, offset, offset + limit - 1)
for i = 1, #leased do
  local id = leased[i]
  if not is_active(id) then
    redis.call('ZREM', lease, id)
    redis.call('LREM', active, -1, id)
    repaired = repaired + 1
  end
end
return { repaired, redis.call('LLEN', active), redis.call('ZCARD', lease) }
