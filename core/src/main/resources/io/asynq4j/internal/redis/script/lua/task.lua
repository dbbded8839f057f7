-- Reads all data of a task.
--
-- TRANSITION none
-- KEYS       scheduled retry archived lease guard
-- ARGV       now prefix id
-- DERIVES    t:<id>, g:<group>
-- RETURNS    nothing if it does not exist; else the time in microseconds, the score in its container or lease or '', then the
--            fields msg, state, result, crashes, quarantine, due_ms, hold_until, pending_since, group, progress, claim
local scheduled, retry, archived, lease = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, prefix, id = clock(ARGV[1]), ARGV[2], ARGV[3]

local task = prefix .. 't:' .. id
local record = redis.call('HMGET', task, 'msg', 'state', 'result', 'crashes', 'quarantine', 'due_ms', 'hold_until',
  'pending_since', 'group', 'progress', 'claim')
local state = record[2]
if not state then
  return {}
end
local score = ''
if state == 'scheduled' then
  score = redis.call('ZSCORE', scheduled, id) or ''
elseif state == 'retry' then
  score = redis.call('ZSCORE', retry, id) or ''
elseif state == 'archived' then
  score = redis.call('ZSCORE', archived, id) or ''
elseif state == 'active' then
  score = redis.call('ZSCORE', lease, id) or ''
elseif state == 'aggregating' then
  score = redis.call('ZSCORE', prefix .. 'g:' .. (record[9] or ''), id) or ''
end
local answer = { now, score }
for i = 1, 11 do
  answer[#answer + 1] = record[i] or ''
end
return answer
