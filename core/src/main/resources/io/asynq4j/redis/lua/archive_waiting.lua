-- Archives tasks that wait, as an operator asks for it; their message stays as it is.
--
-- TRANSITION pending -> archived, scheduled -> archived, retry -> archived, completed -> archived, aggregating -> archived
-- KEYS       archived groups guard
-- ARGV       now prefix max_size max_age release_locks
-- ITEMS      id
-- DERIVES    t:<id>, g:<group>, every container, lease, sets under way and spent, the lock
-- RETURNS    for each task 1 = archived, 0 = not found, -1 = no message to keep, or the state that forbids it; last, how
--            many old ones were trimmed
local archived, groups = KEYS[1], KEYS[2]
local now, prefix = clock(ARGV[1]), ARGV[2]
local max_size, max_age, release_locks = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]

local answers, moved = {}, 0
local second = to_seconds(now)
for i = 6, #ARGV do
  local id = ARGV[i]
  local task = prefix .. 't:' .. id
  local answer = take_for_operator(prefix, task, id, 'archived')
  if answer == 1 then
    redis.call('HDEL', task, 'pending_since', 'hold_until', 'due_ms', 'group', 'claim')
    redis.call('ZADD', archived, second, id)
    redis.call('HSET', task, 'state', 'archived')
    if release_locks == '1' then
      release(redis.call('HGET', task, 'unique_key'), id)
    end
    moved = moved + 1
  end
  answers[#answers + 1] = answer
end
answers[#answers + 1] = moved > 0 and trim_archive(prefix, second, max_size, max_age, moved + 100) or 0
return answers
