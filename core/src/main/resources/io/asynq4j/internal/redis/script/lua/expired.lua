-- Lists tasks whose lease has expired. Leases of Go workers, whole numbers, get a grace period: their hosts' clocks may be
-- behind, and running a task twice is worse than running it half a minute later. A Redis that refuses writes refuses this
-- script too, so that the caller knows that leases could not be extended lately.
--
-- TRANSITION none
-- KEYS       active lease guard
-- ARGV       now prefix limit go_grace
-- DERIVES    t:<id>
-- RETURNS    the time in microseconds, then for each task its id, the lease's score as it stands, its place at the old end of the active list (the higher
--            the older) or -1, its crashes so far, its msg or ''
local active, lease = KEYS[1], KEYS[2]
local now, prefix, limit, go_grace = clock(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

-- Number of leases in their grace period that one call checks to find those of asynq4j.
local LOOK_AHEAD = 1000
-- How much of the old end of the active list is searched. Expired tasks have run longest, so they are there; further
-- inside, the order in which tasks are requeued is not worth the time.
local OLD_END = 1000

local second = to_seconds(now)
local answer, found = { now }, 0
local places = {}

local function add(id, score)
  local record = fields_of(prefix .. 't:' .. id, 'crashes', 'msg')
  answer[#answer + 1] = id
  answer[#answer + 1] = score
  answer[#answer + 1] = places[id] or -1
  answer[#answer + 1] = record[1] or '0'
  answer[#answer + 1] = record[2] or ''
  found = found + 1
end

redis.call('ZREM', lease, '')
if redis.call('ZCOUNT', lease, '-inf', second) == 0 then
  return answer
end
local oldest = redis.call('LRANGE', active, -OLD_END, -1)
for i = 1, #oldest do
  places[oldest[i]] = i
end
local anyones = redis.call('ZRANGEBYSCORE', lease, '-inf', second - go_grace, 'WITHSCORES', 'LIMIT', 0, limit)
for i = 1, #anyones, 2 do
  add(anyones[i], anyones[i + 1])
end
local recent =
  redis.call('ZRANGEBYSCORE', lease, '(' .. (second - go_grace), second, 'WITHSCORES', 'LIMIT', 0, LOOK_AHEAD)
for i = 1, #recent, 2 do
  if found < limit and tonumber(recent[i + 1]) % 1 > 0 then
    add(recent[i], recent[i + 1])
  end
end
return answer
