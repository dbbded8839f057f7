-- Checks whether tasks are where their records state. With an expected finding, it checks more closely, and repairs the
-- finding if it is unchanged and repair is set. A task that has moved meanwhile is skipped, and none is deleted unless it
-- cannot be decoded and remove is set.
--
-- How often an id is in a list cannot be queried cheaply: the caller has scanned both lists and passes the counts. A task that
-- became pending after that scan (listed_at, in ns) is no finding. Of a long list, only the ends are searched here.
--
-- TRANSITION pending -> archived, active -> archived, scheduled -> archived, retry -> archived, completed -> archived, aggregating -> archived,
--            pending -> absent, active -> absent, scheduled -> absent, retry -> absent, completed -> absent, aggregating -> absent, archived -> absent
-- KEYS       pending active lease scheduled retry archived completed groups aggregation_sets guard
-- ARGV       now prefix repair read remove
-- ITEMS      id in_pending in_active place listed_at expected score group reason digest
-- DERIVES    t:<id>, g:<group>, sets under way and spent, departed, the lock
-- RETURNS    for each task the finding ('' = none, '!later' = not examined yet, '!far' = too deep in a list, '!done' =
--            repaired), and its msg, if it is to be read and can be
local pending, active, lease, scheduled, retry = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local archived, completed, groups, aggregation_sets = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local now, prefix, repair, read, remove = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]

-- How far a list is searched from each end, and how many entries and bytes one call may process.
local DEPTH = 15000
local MOST_ENTRIES = 30000
local MOST_BYTES = 262144
local LARGEST_MESSAGE = 2097152
-- How long a Go lease may be expired before its task is recovered.
local GO_GRACE = 30

if repair == '1' then
  -- The only key that is written to without having been read: raises an error if it is of another type.
  redis.call('SCARD', groups)
end
local second = to_seconds(now)
local walked, bytes = 0, 0

-- How often an id is at the ends of a list, whether the list continues between them, and from which end it is found:
-- -1 = the tail.
local function search(list, id)
  local size = redis.call('LLEN', list)
  walked = walked + math.min(size, 2 * DEPTH)
  local at = redis.call('LPOS', list, id, 'RANK', -1, 'COUNT', 2, 'MAXLEN', DEPTH)
  local times, from = #at, -1
  if size > DEPTH and times < 2 then
    local ahead = redis.call('LPOS', list, id, 'RANK', 1, 'COUNT', 2, 'MAXLEN', math.min(size - DEPTH, DEPTH))
    from = times == 0 and 1 or -1
    times = math.min(2, times + #ahead)
  end
  return times, size > 2 * DEPTH, from
end

-- Verifies the caller's counts for a list. An id that is not at the ends is where the caller's scan has or has not seen
-- it; there it is too deep to be removed. Returns how often the id is in the list.
local function verify(task, list, word, told)
  local times, is_long, from = search(list, task.id)
  task.ends[word] = from
  if is_long and told > times then
    task.deep[word] = times == 0
    return told
  end
  return times
end

local function is_group(container)
  return string.sub(container, 1, 2) == 'g:'
end

local function is_set(container)
  return container == 'set' or redis.call('ZSCORE', aggregation_sets, prefix .. container)
end

-- The scores of all ids in the sorted sets, read once while nothing is changed.
local scores = {}
if repair ~= '1' then
  local ids = column(6, 10)
  for _, set in ipairs({ lease, scheduled, retry, archived, completed }) do
    scores[set] = redis.call('ZMSCORE', set, unpack(ids))
  end
end

local function score_in(set, task)
  if scores[set] then
    return scores[set][task.n]
  end
  return redis.call('ZSCORE', set, task.id)
end

local function note_if_in(set, word, task)
  if score_in(set, task) then
    add(task.found, word)
  end
end

-- All data of a task. Its containers are ordered by which one takes precedence.
local function inform(task)
  local fields = redis.call('HMGET', task.key, 'state', 'group', 'pending_since', 'quarantine', 'due_ms', 'unique_key')
  task.state, task.group, task.since = fields[1] or '', fields[2] or '', fields[3] or ''
  task.quarantine, task.due_ms, task.lock = fields[4], fields[5], fields[6]
  task.size = redis.call('HSTRLEN', task.key, 'msg')
  task.lease = score_in(lease, task)
  task.found = {}
  for _ = 1, task.in_active do
    add(task.found, 'active')
  end
  for _ = 1, task.in_pending do
    add(task.found, 'pending')
  end
  note_if_in(retry, 'retry', task)
  note_if_in(scheduled, 'scheduled', task)
  if task.place ~= '' then
    note_if_in(prefix .. task.place, task.place, task)
  end
  if task.group ~= '' and task.place ~= 'g:' .. task.group then
    note_if_in(prefix .. 'g:' .. task.group, 'g:' .. task.group, task)
  end
  note_if_in(archived, 'archived', task)
  note_if_in(completed, 'completed', task)
  if task.state == 'aggregating' and #task.found == 0 and is_in_set(prefix, task.id) then
    add(task.found, 'set')
  end
  -- A task claimed just now entered its list after the caller's scan.
  if task.state == 'active' and task.lease and task.in_active == 0 and redis.call('LLEN', active) <= FEW_ACTIVE
    and redis.call('LPOS', active, task.id) then
    task.in_active = 1
    table.insert(task.found, 1, 'active')
  end
end

local function is_home(task, container)
  if task.state == 'aggregating' then
    return container == 'set' or is_group(container) and (container == 'g:' .. task.group or is_set(container))
  end
  return container == task.state
end

-- The worker or aggregator that has the task detects by itself whether it can decode it.
local function is_worked_on(task)
  for i = 1, #task.found do
    if task.found[i] == 'set' or is_group(task.found[i]) and is_set(task.found[i]) then
      return true
    end
  end
  return task.lease and tonumber(task.lease) > second - GO_GRACE
end

-- The finding of a task; its wrong containers are recorded in it.
local function diagnose(task)
  if task.size == 0 then
    if #task.found > 0 or task.lease then
      return 'id_without_record ' .. table.concat(task.found, ' ')
    end
    return redis.call('EXISTS', task.key) == 1 and 'record_without_message' or ''
  end
  local home
  task.wrong = {}
  for i = 1, #task.found do
    if not home and is_home(task, task.found[i]) then
      home = task.found[i]
    else
      add(task.wrong, task.found[i])
    end
  end
  local is_active = task.state == 'active'
  if home or is_active and task.lease then
    if #task.wrong > 0 then
      return 'in_several_containers ' .. table.concat(task.wrong, ' ')
    elseif is_active and not task.lease then
      return 'active_without_lease'
    elseif is_active ~= (task.lease and true or false) or not home then
      return 'lease_without_active ' .. task.state
    end
  elseif #task.wrong > 0 then
    return 'wrong_state ' .. task.state .. ' ' .. task.wrong[1]
  elseif not (task.state == 'pending' and task.since ~= '' and tonumber(task.since) >= task.listed_at) then
    return 'record_without_container ' .. task.state .. ' ' .. task.since
  else
    return ''
  end
  if task.digest ~= '' and not task.quarantine and not is_worked_on(task)
    and redis.sha1hex(redis.call('HGET', task.key, 'msg')) == task.digest then
    return 'unreadable ' .. task.digest
  end
  return ''
end

-- Removes an id from a container.
local function drop(task, container)
  if container == 'active' then
    leave_active(prefix, active, { task.id })
    task.in_active = task.in_active - 1
  elseif container == 'pending' then
    redis.call('LREM', pending, task.ends.pending, task.id)
    task.in_pending = task.in_pending - 1
  elseif container ~= 'set' then
    redis.call('ZREM', prefix .. container, task.id)
    if is_group(container) and redis.call('EXISTS', prefix .. container) == 0 then
      redis.call('SREM', groups, string.sub(container, 3))
    end
  end
end

local function drop_all(task, containers)
  for i = 1, #containers do
    drop(task, containers[i])
  end
end

local function drop_lease(task)
  if task.lease then
    redis.call('ZREM', lease, task.id)
  end
end

-- Updates a record to the actual container of its task.
local function say(task, state, field, value)
  redis.call('HDEL', task.key, 'claim', 'place', 'hold_until')
  if state ~= 'pending' then
    redis.call('HDEL', task.key, 'pending_since')
    redis.call('HSET', task.key, 'state', state)
  else
    redis.call('HSET', task.key, unpack(pending_fields(now)))
  end
  if state ~= 'archived' then
    redis.call('HDEL', task.key, 'quarantine')
  end
  if state ~= 'scheduled' and state ~= 'retry' then
    redis.call('HDEL', task.key, 'due_ms')
    if state ~= 'aggregating' then
      redis.call('HDEL', task.key, 'group')
    end
  end
  if field then
    redis.call('HSET', task.key, field, value)
  end
end

local function lay_aside(task, reason)
  redis.call('ZADD', archived, second, task.id)
  say(task, 'archived', 'quarantine', reason)
end

local function run_again(task)
  redis.call('LPUSH', active, task.id)
  redis.call('ZADD', lease, second, task.id)
  say(task, 'active')
  task.in_active = 1
end

local function join_group(task, group, score)
  redis.call('ZADD', prefix .. 'g:' .. group, score, task.id)
  redis.call('SADD', groups, group)
  say(task, 'aggregating', 'group', group)
end

-- Returns a task in no container to the one that its record names.
local function put_back(task)
  local group = task.group ~= '' and task.group or task.other_group
  if task.state == 'pending' then
    redis.call('LPUSH', pending, task.id)
    say(task, 'pending')
    task.in_pending, task.ends.pending = 1, 1
  elseif task.state == 'active' then
    run_again(task)
  elseif task.state == 'retry' then
    redis.call('ZADD', retry, second, task.id)
    say(task, 'retry')
  elseif task.state == 'scheduled' and task.due_ms then
    redis.call('ZADD', scheduled, math.floor((tonumber(task.due_ms) or second * 1000) / 1000), task.id)
    say(task, 'scheduled')
  elseif task.state == 'archived' or task.state == 'completed' then
    redis.call('ZADD', prefix .. task.state, task.score ~= '' and task.score or second, task.id)
    say(task, task.state)
  elseif task.state == 'aggregating' and group ~= '' then
    join_group(task, group, second)
  else
    lay_aside(task, task.reason)
  end
  if task.state ~= 'active' then
    drop_lease(task)
  end
end

-- Updates a record to its container; but if it names a group, the task moves to that group.
local function believe(task, container)
  if is_group(container) and task.state == 'aggregating' and task.group ~= '' then
    local score = redis.call('ZSCORE', prefix .. container, task.id)
    drop(task, container)
    join_group(task, task.group, score)
  elseif is_group(container) then
    local group = string.sub(container, 3)
    say(task, 'aggregating', 'group', is_set(container) and string.match(group, '^(.*):[^:]*$') or group)
  else
    say(task, container)
  end
  if container ~= 'active' then
    drop_lease(task)
  elseif not task.lease then
    redis.call('ZADD', lease, second, task.id)
  end
end

local function mend(task, kind)
  if kind == 'id_without_record' or kind == 'record_without_message' then
    drop_all(task, task.found)
    drop_lease(task)
    redis.call('DEL', task.key)
  elseif kind == 'active_without_lease' then
    redis.call('ZADD', lease, second, task.id)
  elseif kind == 'lease_without_active' then
    if task.state == 'active' then
      redis.call('LPUSH', active, task.id)
      redis.call('HDEL', task.key, 'place')
      task.in_active = 1
    else
      drop_lease(task)
    end
  elseif kind == 'in_several_containers' then
    drop_all(task, task.wrong)
    if task.state ~= 'active' then
      drop_lease(task)
    end
  elseif kind == 'wrong_state' then
    believe(task, task.wrong[1])
  elseif kind == 'record_without_container' then
    put_back(task)
  elseif remove == '1' then
    drop_all(task, task.found)
    drop_lease(task)
    release({ task.lock }, { task.id })
    redis.call('DEL', task.key)
  else
    drop_all(task, task.found)
    drop_lease(task)
    lay_aside(task, task.reason)
  end
end

-- Whether an id would have to be removed from the middle of a long list.
local function is_out_of_reach(task, kind)
  local leaving = {}
  if kind == 'in_several_containers' then
    leaving = task.wrong
  elseif kind == 'id_without_record' or kind == 'unreadable' then
    leaving = task.found
  end
  for i = 1, #leaving do
    if task.deep[leaving[i]] then
      return true
    end
  end
  return false
end

-- One finding may hide another: continues until there is none.
local function mend_all(task, found)
  for i = 1, 4 do
    local kind = string.match(found, '^[%w_]+')
    if is_out_of_reach(task, kind) then
      return i == 1 and '!far' or '!done'
    end
    mend(task, kind)
    inform(task)
    found = diagnose(task)
    if found == '' then
      break
    end
  end
  return '!done'
end

local answers = {}
for i = 6, #ARGV, 10 do
  local id, expected = ARGV[i], ARGV[i + 5]
  local task = {
    n = (i + 4) / 10, id = id, key = prefix .. 't:' .. id, in_pending = tonumber(ARGV[i + 1]), in_active = tonumber(ARGV[i + 2]),
    place = ARGV[i + 3], listed_at = tonumber(ARGV[i + 4]), score = ARGV[i + 6], other_group = ARGV[i + 7],
    reason = ARGV[i + 8], digest = ARGV[i + 9], ends = { pending = -1 }, deep = {} }
  local found, msg = '', ''
  if walked >= MOST_ENTRIES or bytes >= MOST_BYTES then
    found = '!later'
  else
    if expected ~= '' then
      task.in_pending = verify(task, pending, 'pending', task.in_pending)
      task.in_active = verify(task, active, 'active', task.in_active)
    end
    inform(task)
    found = diagnose(task)
    if repair == '1' and found ~= '' and found == expected then
      found = mend_all(task, found)
    elseif read == '1' and not task.quarantine and not is_worked_on(task)
      and task.size > 0 and task.size <= LARGEST_MESSAGE then
      msg = redis.call('HGET', task.key, 'msg')
      bytes = bytes + task.size
    end
  end
  add(answers, found, msg)
end
return answers
