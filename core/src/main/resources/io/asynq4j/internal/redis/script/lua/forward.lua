-- Moves due scheduled and retry tasks to the tail of their queue, earliest first, or into their group. Of those due within
-- the current second, tasks with an exact time in it wait for that time. (An exact time in another second is a leftover:
-- a Go worker that retries a task does not know the field.)
--
-- TRANSITION scheduled -> pending, retry -> pending, scheduled -> aggregating, retry -> aggregating
-- KEYS       scheduled retry pending groups guard
-- ARGV       now prefix limit
-- DERIVES    t:<id>, g:<group>
-- RETURNS    number of moved tasks, and in how many ms the next one is due by this server's clock, -1 = none is waiting
local scheduled, retry, pending, groups = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, prefix, limit = clock(ARGV[1]), ARGV[2], tonumber(ARGV[3])

-- Number of tasks of the current second that one call checks to find those whose millisecond has come.
local LOOK_AHEAD = 1000

local second, now_ms = to_seconds(now), to_millis(now)
local moved, next_due = 0, 0
local fields, running, grouped = pending_fields(now), {}, {}
-- Seconds until a task whose group does not accept it is checked again, so that it does not delay others.
local POSTPONED = 60

-- A time beyond all calendars, which only another program can have written, does not fit into a reply.
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
    -- An id without a task, or a key of another type: nothing to run.
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

-- The due tasks of a set with their records, and those that their group does not accept.
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
  -- First, since Redis allows it even when it is out of memory.
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
-- A duration, not a time: the reader may have another clock. At most some ten thousand years.
return { moved, next_due == 0 and -1 or math.min(math.max(next_due - now_ms, 0), 1e15) }
