-- Settles attempts by archiving their tasks. An empty msg keeps the stored one, for messages that cannot be decoded; the
-- reason is then stored beside it.
--
-- TRANSITION active -> archived
-- KEYS       active lease archived lane guard
-- ARGV       now prefix sequence keep max_size max_age release_locks
-- ITEMS      id token msg lock quarantine report
-- DERIVES    t:<id>, departed, processed, processed:<day>, failed, failed:<day>, the lock
-- RETURNS    for each task 1 = settled, 0 = the lease is lost; last, the number of trimmed tasks
local active, lease, archived, lane = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, prefix, sequence, keep = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local max_size, max_age, release_locks = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]

local answers = recall(lane, sequence)
if answers then
  return answers
end

local second = to_seconds(now)
local ids, settled = column(8, 6), nil
redis.call('ZCARD', archived)
answers, settled = end_attempts(prefix, active, lease, ids, held(prefix, lease, ids, column(9, 6)))
local n, given_up, locks = 0, {}, {}
for i = 8, #ARGV, 6 do
  n = n + 1
  if answers[n] == 1 then
    local id, msg, lock, quarantine, report = ARGV[i], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
    local task = prefix .. 't:' .. id
    local fields = { 'state', 'archived' }
    if msg ~= '' then
      add(fields, 'msg', msg)
    else
      add(fields, 'quarantine', quarantine)
    end
    if report ~= '' then
      add(fields, 'failures', with_failure(redis.call('HGET', task, 'failures'), report))
    end
    redis.call('HSET', task, unpack(fields))
    redis.call('HDEL', task, 'claim', 'place')
    add(given_up, second, id)
    add(locks, lock)
  end
end
local trimmed = 0
if #settled > 0 then
  redis.call('ZADD', archived, unpack(given_up))
  if release_locks == '1' then
    release(locks, settled)
  end
  count(prefix, second, #settled, #settled)
  trimmed = trim_archive(prefix, second, max_size, max_age, #settled + 50)
end
answers[#answers + 1] = trimmed
if #settled > 0 then
  remember(lane, sequence, keep, answers)
end
return answers
