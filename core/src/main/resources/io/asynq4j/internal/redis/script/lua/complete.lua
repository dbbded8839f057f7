-- Settles successful attempts: the task is kept for its retention, or deleted.
--
-- TRANSITION active -> completed, active -> absent
-- KEYS       active lease completed lane guard
-- ARGV       now prefix sequence keep width
-- ITEMS      id token expiry msg lock retention has_result result
-- DERIVES    t:<id>, departed, processed, processed:<day>, the lock
-- RETURNS    for each task 1 = settled, 0 = the lease is lost
--
-- The expiry is the second the lease was granted to end, or '' if unknown. For tasks with neither a lock nor a retention,
-- which are most, no later value is sent: the width is the number of values.
local active, lease, completed, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, prefix, sequence, keep, width = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])

local answers = recall(lane, sequence)
if answers then
  return answers
end

local ids, settled = column(6, width), nil
local mine = held(prefix, lease, ids, column(7, width), column(8, width))
if width > 3 then
  for i = 6, #ARGV, width do
    if ARGV[i + 5] ~= '0' then
      redis.call('ZCARD', completed)
      break
    end
  end
end
answers, settled = end_attempts(prefix, active, lease, ids, mine)
if #settled == 0 then
  return answers
end
local kept, gone, locks = {}, {}, {}
if width == 3 then
  for i = 1, #settled do
    gone[i] = prefix .. 't:' .. settled[i]
  end
else
  for n = 1, #ids do
    if answers[n] == 1 then
      local i = 6 + (n - 1) * width
      local id, msg, lock = ids[n], ARGV[i + 3], ARGV[i + 4]
      local retention, has_result, result = tonumber(ARGV[i + 5]), ARGV[i + 6], ARGV[i + 7]
      local task = prefix .. 't:' .. id
      if retention == 0 then
        add(gone, task)
      else
        add(kept, math.ceil(to_millis(now) / 1000) + retention, id)
        local fields = { 'msg', msg, 'state', 'completed' }
        if has_result == '1' then
          add(fields, 'result', result)
        end
        -- A key of another type is replaced: nothing can run or show it.
        if type(redis.pcall('HSET', task, unpack(fields))) == 'table' then
          if redis.call('TYPE', task).ok ~= 'hash' then
            redis.call('DEL', task)
          end
          redis.call('HSET', task, unpack(fields))
        end
        redis.call('HDEL', task, 'claim', 'place', 'crashes')
      end
      add(locks, lock)
    end
  end
end
call_once('ZADD', completed, kept)
delete_all(gone)
release(locks, settled)
count(prefix, to_seconds(now), #settled, 0)
remember(lane, sequence, keep, answers)
return answers
