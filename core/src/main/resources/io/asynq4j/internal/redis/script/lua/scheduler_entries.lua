-- Publishes a scheduler and its entries.
--
-- TRANSITION none
-- KEYS       entries
-- ARGV       ttl
-- ITEMS      entry
-- RETURNS    OK
local entries = KEYS[1]
local ttl = ARGV[1]

redis.call('DEL', entries)
for i = 2, #ARGV do
  redis.call('LPUSH', entries, ARGV[i])
end
redis.call('EXPIRE', entries, ttl)
return redis.status_reply('OK')
