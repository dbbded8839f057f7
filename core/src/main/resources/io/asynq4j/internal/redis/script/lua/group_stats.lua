-- Returns the groups of a queue and the number of waiting tasks in each.
--
-- TRANSITION none
-- KEYS       groups guard
-- ARGV       prefix
-- DERIVES    g:<group>
-- RETURNS    name and size of each group; size -1 when the key of the group has another type
local groups = KEYS[1]
local prefix = ARGV[1]

local answer = {}
local names = redis.call('SMEMBERS', groups)
for i = 1, #names do
  answer[#answer + 1] = names[i]
  answer[#answer + 1] = size_of(prefix .. 'g:' .. names[i]) or -1
end
return answer
