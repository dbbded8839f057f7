-- Takes tasks away from workers that are gone, as decided from what expired.lua told: a task whose lease has changed
-- since then is left alone. A crash is counted apart and costs no retry.
--
-- TRANSITION active -> pending, active -> retry, active -> archived, active -> absent
-- KEYS       active lease pending retry archived settings guard
-- ARGV       now prefix ordered max_size max_age release_locks
-- ITEMS      id score action msg lock delay quarantine
-- DERIVES    t:<id>, places, processed, processed:<day>, failed, failed:<day>, the lock
-- RETURNS    for each task 1 = recovered, 0 = its lease has changed; last, how many archived ones were trimmed
local active, lease, pending, retry, archived, settings = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, prefix, ordered = clock(ARGV[1]), ARGV[2], ARGV[3]
local max_size, max_age, release_locks = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]

ordered = is_ordered(settings, ordered)
local answers, recovered, given_up = {}, {}, 0
local second = to_seconds(now)
for i = 7, #ARGV, 7 do
  local id, score, action, msg = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local lock, delay, quarantine = ARGV[i + 4], tonumber(ARGV[i + 5]), ARGV[i + 6]
  local task = prefix .. 't:' .. id
  local unchanged = redis.call('ZSCORE', lease, id) == score
  if unchanged then
    redis.call('ZREM', lease, id)
    recovered[#recovered + 1] = id
    if action == 'drop' then
      redis.call('DEL', task)
    else
      redis.call('HINCRBY', task, 'crashes', 1)
      redis.call('HDEL', task, 'claim', 'group', 'due_ms')
      if msg ~= '' then
        redis.call('HSET', task, 'msg', msg)
      elseif quarantine ~= '' then
        redis.call('HSET', task, 'quarantine', quarantine)
      end
    end
    if action == 'archive' then
      redis.call('ZADD', archived, second, id)
      redis.call('HSET', task, 'state', 'archived')
      if release_locks == '1' then
        release(lock, id)
      end
      given_up = given_up + 1
    elseif action == 'retry' and ordered then
      enter_head(prefix, task, id, now, to_millis(now) + delay)
    elseif action == 'retry' then
      enter_at(prefix, 'retry', task, id, to_millis(now) + delay, '0')
    elseif action == 'pending' then
      redis.call('RPUSH', pending, id)
      redis.call('HSET', task, 'state', 'pending', 'pending_since', now .. '000')
    end
  end
  answers[#answers + 1] = unchanged and 1 or 0
end
if #recovered > 0 then
  leave_active(prefix, active, recovered)
end
count(prefix, second, given_up, given_up)
answers[#answers + 1] = given_up > 0 and trim_archive(prefix, second, max_size, max_age, given_up + 100) or 0
return answers
