-- Claims tasks from the head of a queue, each with a lease, up to the requested number and the limits of the queue. With a
-- rate limit, a bucket has the tokens: time fills it, and each task takes one. It also stores the rate, to explain why a
-- task waits. A task that has started to run alone no longer belongs to a group.
--
-- TRANSITION pending -> active
-- KEYS       pending active lease paused settings bucket lane guard
-- ARGV       now prefix sequence keep max duration token max_active ordered rate rate_ms burst
-- DERIVES    t:<id>, departed
-- RETURNS    why it returned no more (ok, empty, paused, full, held), for how many ms for held or 0, the second the leases
--            end, then id, msg and pending_since (empty if unknown) of each task
local pending, active, lease, paused, settings, bucket = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local lane = KEYS[7]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local max, duration, token, max_active, ordered = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8], ARGV[9]
local rate, rate_ms, burst = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])

local earlier = recall(lane, sequence)
if earlier then
  local answer = { 'ok', 0, earlier[1] }
  for i = 2, #earlier do
    if held(prefix, lease, { earlier[i] }, { token })[1] then
      add(answer, earlier[i], redis.call('HGET', prefix .. 't:' .. earlier[i], 'msg'))
      answer[#answer + 1] = ''
    end
  end
  return answer
end

if redis.call('EXISTS', paused, settings) > 0 then
  if redis.call('EXISTS', paused) == 1 then
    return { 'paused', 0, 0 }
  end
  local set = redis.call('HMGET', settings, 'max_active', 'ordered', 'rate', 'rate_ms', 'burst')
  max_active, ordered = set[1] or max_active, set[2] or ordered
  if set[3] then
    rate, rate_ms, burst = tonumber(set[3]), tonumber(set[4]), tonumber(set[5])
  end
end
max_active = ordered == '1' and 1 or tonumber(max_active)
-- Always: a key of another type must raise an error before ids leave the queue.
local limited, leased = false, redis.call('ZCARD', lease)
if max_active > 0 then
  local room = max_active - leased
  if room <= 0 then
    return { 'full', 0, 0 }
  end
  limited = room < max
  max = math.min(max, room)
end
if ordered == '1' then
  local head = redis.call('LINDEX', pending, -1)
  local hold_until = tonumber(head and fields_of(prefix .. 't:' .. head, 'hold_until')[1]) or 0
  if hold_until > to_millis(now) then
    -- The maximum that a reply can carry.
    return { 'held', math.min(hold_until, 253402300799000) - to_millis(now), 0 }
  end
end
local millis, tokens, rated = to_millis(now), 0, false
-- Always: records are read this way after their ids have left the queue, so a missing permission must show here.
local kept = redis.call('HMGET', bucket, 'tokens', 'at')
if rate > 0 then
  local since = math.max(0, millis - (tonumber(kept[2]) or millis))
  tokens = math.min(burst, (tonumber(kept[1]) or burst) + since * rate / rate_ms)
  if tokens < 1 then
    return { 'held', math.ceil((1 - tokens) * rate_ms / rate), 0 }
  end
  rated = tokens < max
  max = math.min(max, math.floor(tokens))
end

local expiry = to_seconds(now) + duration
local score = lease_score(expiry, token)
local taken, answer = { expiry }, { 'ok', 0, expiry }
local place, n, passes = last_place(prefix, active, max), 0, 0

-- Whether a task may run although its id has a lease or is in the queue twice.
local function may_run(task, id, is_leased_here)
  for i = 2, #taken do
    if taken[i] == id then
      return false
    end
  end
  if not is_leased_here then
    if redis.call('HGET', task, 'state') == 'active' then
      return false
    end
    redis.call('ZADD', lease, score, id)
  end
  return true
end

repeat
  local ids = redis.call('RPOP', pending, max - n) or {}
  -- Usually none of them had a lease: then no check per task is needed.
  local all_leased_here = lease_new(lease, score, ids, leased + n) == #ids
  for i = 1, #ids do
    local id = ids[i]
    local task = prefix .. 't:' .. id
    local is_leased_here = all_leased_here or tonumber(redis.call('ZSCORE', lease, id)) == tonumber(score)
    local record = fields_of(task, 'msg', 'pending_since')
    local msg = record[1]
    if not msg then
      -- An id without a task, or a key of another type: the Go implementation would fail on it forever.
      redis.call('DEL', task)
      if is_leased_here then
        redis.call('ZREM', lease, id)
      end
    elseif all_leased_here or may_run(task, id, is_leased_here) then
      n = n + 1
      taken[n + 1] = id
      redis.call('HDEL', task, 'pending_since', 'hold_until', 'group', 'due_ms', 'place', 'progress', 'cancel')
      if place then
        redis.call('HSET', task, 'state', 'active', 'claim', token, 'place', place + n)
      else
        redis.call('HSET', task, 'state', 'active', 'claim', token)
      end
      answer[3 * n + 1], answer[3 * n + 2], answer[3 * n + 3] = id, msg, record[2] or ''
    end
  end
  passes = passes + 1
until #ids == 0 or n == max or passes == 3

if n == 0 then
  return { 'empty', 0, 0 }
end
redis.call('LPUSH', active, unpack(taken, 2))
if rate > 0 then
  tokens = tokens - n
  redis.call('HSET', bucket, 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', millis),
    'rate', rate, 'rate_ms', rate_ms, 'burst', burst)
  -- The bucket is full again by then.
  redis.call('EXPIRE', bucket, math.ceil(burst * rate_ms / rate / 1000) + 1)
end
if n < max then
  answer[1] = 'empty'
elseif rated then
  answer[1], answer[2] = 'held', math.max(0, math.ceil((1 - tokens) * rate_ms / rate))
elseif limited then
  answer[1] = 'full'
end
remember(lane, sequence, keep, taken)
return answer
