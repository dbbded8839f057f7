-- Reads tasks for a caller that proves its leases by tokens, to continue them in another process.
--
-- TRANSITION none
-- KEYS       lease guard
-- ARGV       prefix
-- ITEMS      id token
-- DERIVES    t:<id>
-- RETURNS    for each task three: the lease's score, the msg, and what an operator wants done with it once it has stopped
--            (retry, archive, delete) or ''; all of them '' where the lease is lost
local lease = KEYS[1]
local prefix = ARGV[1]

local ids, tokens = column(2, 2), column(3, 2)
local scores, mine, answer = redis.call('ZMSCORE', lease, unpack(ids)), held(prefix, lease, ids, tokens), {}
for i = 1, #ids do
  local score, msg, after = '', '', ''
  if mine[i] then
    local record = redis.call('HMGET', prefix .. 't:' .. ids[i], 'msg', 'cancel')
    local claim, wanted = string.match(record[2] or '', '^(%S+) (%a+)$')
    score, msg = scores[i], record[1] or ''
    after = claim == tokens[i] and wanted or ''
  end
  add(answer, score, msg)
  answer[#answer + 1] = after
end
return answer
