-- Ends attempts whose task is given up. An empty msg leaves the stored one as it is, for messages nobody can read; the
-- reason is then kept beside it.
--
-- TRANSITION active -> archived
-- KEYS       active lease archived lane guard
-- ARGV       now prefix sequence keep max_size max_age release_locks
-- ITEMS      id token msg lock quarantine
-- DERIVES    t:<id>, places, processed, processed:<day>, failed, failed:<day>, the lock
-- RETURNS    for each task 1 = settled, 0 = the lease is lost; last, how many old ones were trimmed
local active, lease, archived, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local max_size, max_age, release_locks = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]

local answers = recall(lane, sequence)
if answers then
  return answers
end

answers = {}
local settled = {}
local second = to_seconds(now)
for i = 8, #ARGV, 5 do
  local id, token, msg, lock, quarantine = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  local task = prefix .. 't:' .. id
  local mine = holds(lease, task, id, token)
  if mine then
    redis.call('ZREM', lease, id)
    redis.call('ZADD', archived, second, id)
    redis.call('HSET', task, 'state', 'archived')
    if msg ~= '' then
      redis.call('HSET', task, 'msg', msg)
    else
      redis.call('HSET', task, 'quarantine', quarantine)
    end
    redis.call('HDEL', task, 'claim')
    if release_locks == '1' then
      release(lock, id)
    end
    settled[#settled + 1] = id
  end
  answers[#answers + 1] = mine and 1 or 0
end
local trimmed = 0
if #settled > 0 then
  leave_active(prefix, active, settled)
  count(prefix, second, #settled, #settled)
  trimmed = trim_archive(prefix, second, max_size, max_age, #settled + 100)
end
answers[#answers + 1] = trimmed
if #settled > 0 then
  remember(lane, sequence, keep, answers)
end
return answers
