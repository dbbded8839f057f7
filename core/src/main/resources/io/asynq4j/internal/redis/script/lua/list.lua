-- Reads a page of a container, from its start: the next to run, the longest running, the lowest score. A page starts at an
-- offset, or after the last task of the previous page, wherever that is by now. If that task is gone, the page starts at
-- its former position; only the pending list starts again, since the tasks before it have been claimed too. A page of large
-- tasks is shorter than requested: copying many megabytes would delay other clients.
--
-- TRANSITION none
-- KEYS       lease guard
-- ARGV       now prefix container kind newest_first offset limit after_id after
-- DERIVES    t:<id>, the container
-- RETURNS    the time in microseconds, the size of the container, the offset of the page, then for each task its id, score,
--            lease, and the fields msg, state, result, crashes, quarantine, due_ms, hold_until, pending_since, group,
--            progress
local lease = KEYS[1]
local now, prefix, container, kind = clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local newest_first, offset, limit = ARGV[5] == '1', tonumber(ARGV[6]), tonumber(ARGV[7])
-- For the last task of the previous page: its score in a set, the offset after it in a list.
local after_id, after = ARGV[8], tonumber(ARGV[9])

-- Maximum number of bytes of a page.
local ENOUGH = 1048576

-- How far a list is searched for the last task of the page before.
local SEARCH = 100000

local is_list = kind ~= 'set'
local size = redis.call(is_list and 'LLEN' or 'ZCARD', container)

local function entry(rank)
  local found = redis.call(newest_first and 'ZREVRANGE' or 'ZRANGE', container, rank, rank, 'WITHSCORES')
  return found[1], tonumber(found[2])
end

-- Compares bytes, as Redis orders members; Lua would use the locale of the server.
local function is_less(a, b)
  for i = 1, math.min(#a, #b) do
    if a:byte(i) ~= b:byte(i) then
      return a:byte(i) < b:byte(i)
    end
  end
  return #a < #b
end

local function is_behind(id, score)
  if newest_first then
    return score < after or score == after and is_less(id, after_id)
  end
  return score > after or score == after and is_less(after_id, id)
end

local function find_in_list()
  if redis.call('LINDEX', container, newest_first and after - 1 or -after) == after_id then
    return after
  end
  local found = redis.call('LPOS', container, after_id, 'RANK', newest_first and 1 or -1, 'MAXLEN', SEARCH)
  if found then
    return newest_first and found + 1 or size - found
  end
  return kind == 'pending' and not newest_first and size <= SEARCH and 0 or after - 1
end

if after_id ~= '' and is_list then
  offset = find_in_list()
elseif after_id ~= '' then
  local low, high = 0, size
  while low < high do
    local middle = math.floor((low + high) / 2)
    if is_behind(entry(middle)) then
      high = middle
    else
      low = middle + 1
    end
  end
  offset = low
end

local page = {}
if is_list and newest_first then
  page = redis.call('LRANGE', container, offset, offset + limit - 1)
elseif is_list then
  local oldest_last = redis.call('LRANGE', container, -offset - limit, -offset - 1)
  for i = #oldest_last, 1, -1 do
    page[#page + 1] = oldest_last[i]
  end
else
  page = redis.call(newest_first and 'ZREVRANGE' or 'ZRANGE', container, offset, offset + limit - 1, 'WITHSCORES')
end

local ids, scores = page, {}
if not is_list then
  ids = {}
  for i = 1, #page, 2 do
    add(ids, page[i])
    add(scores, page[i + 1])
  end
end
local leases = #ids > 0 and redis.call('ZMSCORE', lease, unpack(ids))
local answer, bytes = { now, size, offset }, 0
for i = 1, #ids do
  if bytes > ENOUGH then
    break
  end
  local record = fields_of(prefix .. 't:' .. ids[i], 'msg', 'state', 'result', 'crashes', 'quarantine',
    'due_ms', 'hold_until', 'pending_since', 'group', 'progress')
  add(answer, ids[i], scores[i] or '')
  add(answer, leases[i] or '')
  for field = 1, 10 do
    answer[#answer + 1] = record[field] or ''
  end
  bytes = bytes + #(record[1] or '') + #(record[3] or '')
end
return answer
