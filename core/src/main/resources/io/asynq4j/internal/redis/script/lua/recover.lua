-- Recovers tasks of crashed workers, based on the result of expired.lua: a task whose lease has changed since then is
-- skipped. A crash is counted separately and costs no retry.
--
-- TRANSITION active -> pending, active -> retry, active -> archived, active -> absent
-- KEYS       active lease pending retry archived settings guard
-- ARGV       now prefix ordered max_size max_age release_locks
-- ITEMS      id score action msg lock delay quarantine
-- DERIVES    t:<id>, departed, processed, processed:<day>, failed, failed:<day>, the lock
-- RETURNS    for each task 1 = recovered, 0 = its lease has changed; last, the number of trimmed archived tasks
local active, lease, pending, retry, archived, settings = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, prefix, ordered = clock(ARGV[1]), ARGV[2], ARGV[3]
local max_size, max_age, release_locks = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]

ordered = is_ordered(settings, ordered)
local ids, expected, unchanged = column(7, 7), column(8, 7), {}
local scores, actions, usable = redis.call('ZMSCORE', lease, unpack(ids)), column(9, 7), { drop = true }
for i = 1, #ids do
  local action = actions[i]
  if usable[action] == nil then
    if action == 'archive' then
      usable[action] = is_usable('ZCARD', archived)
    elseif action == 'retry' and not ordered then
      usable[action] = is_usable('ZCARD', retry)
    else
      usable[action] = is_usable('LLEN', pending)
    end
  end
  unchanged[i] = scores[i] == expected[i] and usable[action]
end
local answers = end_attempts(prefix, active, lease, ids, unchanged)
local second, n = to_seconds(now), 0
local running, waiting, gone = {}, {}, {}
local given_up, scored, locks = {}, {}, {}
for i = 7, #ARGV, 7 do
  local id, action, msg = ARGV[i], ARGV[i + 2], ARGV[i + 3]
  local lock, delay, quarantine = ARGV[i + 4], tonumber(ARGV[i + 5]), ARGV[i + 6]
  local task = prefix .. 't:' .. id
  n = n + 1
  if answers[n] == 1 then
    local fields
    if action == 'drop' then
      add(gone, task)
    elseif action == 'archive' then
      fields = { 'state', 'archived' }
      add(given_up, id)
      add(scored, second, id)
      add(locks, lock)
    elseif action == 'retry' and ordered then
      fields = held_fields(now, to_millis(now) + delay)
      add(running, id)
    elseif action == 'retry' then
      local due
      due, fields = timed('retry', to_millis(now) + delay, '0')
      add(waiting, due, id)
    else
      fields = pending_fields(now)
      add(running, id)
    end
    if fields then
      if msg ~= '' then
        add(fields, 'msg', msg)
      elseif quarantine ~= '' then
        add(fields, 'quarantine', quarantine)
      end
      add(fields, 'crashes', (tonumber(fields_of(task, 'crashes')[1]) or 0) + 1)
      -- A key of another type is replaced: nothing can run or show it.
      if type(redis.pcall('HDEL', task, 'claim', 'place', 'group', 'due_ms')) == 'table'
        and redis.call('TYPE', task).ok ~= 'hash' then
        redis.call('DEL', task)
      end
      redis.call('HSET', task, unpack(fields))
    end
  end
end
call_once('RPUSH', pending, running)
call_once('ZADD', retry, waiting)
delete_all(gone)
local trimmed = 0
if #given_up > 0 then
  redis.call('ZADD', archived, unpack(scored))
  if release_locks == '1' then
    release(locks, given_up)
  end
  count(prefix, second, #given_up, #given_up)
  trimmed = trim_archive(prefix, second, max_size, max_age, #given_up + 50)
end
answers[#answers + 1] = trimmed
report_unusable()
return answers
