-- Deletes archived tasks beyond the limits of age and number.
--
-- TRANSITION archived -> absent
-- KEYS       archived guard
-- ARGV       now prefix max_size max_age limit
-- DERIVES    t:<id>
-- RETURNS    number of deleted tasks
local archived = KEYS[1]
local now, prefix = clock(ARGV[1]), ARGV[2]
local max_size, max_age, limit = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

return trim_archive(prefix, to_seconds(now), max_size, max_age, limit)
