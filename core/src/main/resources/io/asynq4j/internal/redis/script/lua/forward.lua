-- Moves scheduled and retry tasks whose time has come to the tail of their queue, earliest first, or into their group.
-- Of those due within the current second, the ones with an exact time in it wait for that. (An exact time in another
-- second is left from before: a Go worker that retries a task does not know it.)
--
-- TRANSITION scheduled -> pending, retry -> pending, scheduled -> aggregating, retry -> aggregating
-- KEYS       scheduled retry pending groups guard
-- ARGV       now prefix limit
-- DERIVES    t:<id>, g:<group>
-- RETURNS    how many were moved, and in how many ms the next one is due by this server's clock, -1 = none is waiting
local scheduled, retry, pending, groups = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, prefix, limit = clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])

-- How many tasks of the current second are looked at in one call to find those whose millisecond has come.
local LOOK_AHEAD = 1000

local second, now_ms = to_seconds(now), to_millis(now)
local moved, next_due = 0, 0
local fields, running, grouped = pending_fields(now), {}, {}
-- A task whose group cannot take it in is looked at again after so many seconds, so that it does not keep others waiting.
local POSTPONED = 60

-- A time beyond all calendars, which only somebody else can have written, is none that a reply can carry.
local LATEST_MS = 253402300799000

local function wait_for(due_ms)
  due_ms = math.min(due_ms, LATEST_MS)
  if next_due == 0 or due_ms < next_due then
    next_due = due_ms
  end
end

local function has_to_wait(id)
  local due_ms = tonumber(fields_of(prefix .. 't:' .. id, 'due_ms')[1]) or 0
  if due_ms <= now_ms or math.floor(due_ms / 1000) ~= second then
    return false
  end
  wait_for(due_ms)
  return true
end

local usable = {}

local function has_room_for(record)
  local group = record[1]
  if not record[2] or not group or group == '' then
    return true
  end
  if usable[group] == nil then
    usable[group] = is_usable('SCARD', groups) and is_usable('ZCARD', prefix .. 'g:' .. group)
  end
  return usable[group]
end

local function move(id, record)
  local task = prefix .. 't:' .. id
  local group = record[1]
  if not record[2] then
    -- An id without a task, or a key of another kind in its place: nothing to run.
    redis.call('DEL', task)
    return
  end
  if record[3] or record[4] then
    redis.call('HDEL', task, 'due_ms', 'hold_until')
  end
  if group and group ~= '' then
    redis.call('HSET', task, 'state', 'aggregating')
    grouped[group] = grouped[group] or {}
    add(grouped[group], second, id)
  else
    redis.call('HSET', task, unpack(fields))
    add(running, id)
  end
end

-- What is due in a set, each with its record, and what its group cannot take in.
local function read_due(source)
  local due = redis.pcall('ZRANGEBYSCORE', source, '-inf', '(' .. second, 'LIMIT', 0, limit - moved)
  if due.err then
    if is_usable('ZCARD', source) then
      redis.call('ZRANGEBYSCORE', source, 0, 0)
    end
    return { source = source, ids = {}, records = {}, postponed = {} }
  end
  if moved + #due < limit then
    local this_second = redis.call('ZRANGEBYSCORE', source, second, second, 'LIMIT', 0, LOOK_AHEAD)
    for i = 1, #this_second do
      if moved + #due < limit and not has_to_wait(this_second[i]) then
        add(due, this_second[i])
      end
    end
  end
  local later = redis.call('ZRANGEBYSCORE', source, '(' .. second, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  if later[2] then
    wait_for(tonumber(later[2]) * 1000)
  end
  local ready, records, postponed = {}, {}, {}
  for i = 1, #due do
    local record = fields_of(prefix .. 't:' .. due[i], 'group', 'msg', 'due_ms', 'hold_until')
    if has_room_for(record) then
      add(ready, due[i])
      add(records, record)
    else
      add(postponed, second + POSTPONED, due[i])
    end
  end
  moved = moved + #ready
  return { source = source, ids = ready, records = records, postponed = postponed }
end

-- Everything is read and checked before the first task leaves, so that none is lost.
local lots = {}
for _, source in ipairs({ scheduled, retry }) do
  add(lots, read_due(source))
end
if moved > 0 then
  redis.call('LLEN', pending)
end
for i = 1, #lots do
  -- First, since it is allowed also when Redis is out of memory.
  call_once('ZREM', lots[i].source, lots[i].ids)
end
for i = 1, #lots do
  local lot = lots[i]
  call_once('ZADD', lot.source, lot.postponed)
  for n = 1, #lot.ids do
    move(lot.ids[n], lot.records[n])
  end
end
call_once('LPUSH', pending, running)
for group, members in pairs(grouped) do
  redis.call('ZADD', prefix .. 'g:' .. group, unpack(members))
  redis.call('SADD', groups, group)
end
report_unusable()
if moved == limit then
  next_due = now_ms
end
-- Not a time: whoever reads it may have another clock. At most some ten thousand years.
return { moved, next_due == 0 and -1 or math.min(math.max(next_due - now_ms, 0), 1e15) }
