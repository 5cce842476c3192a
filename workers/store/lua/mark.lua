-- mark: raise a tick number of the head; a smaller one than noted changes nothing.
--
-- KEYS  1 head
-- ARGV  1 field: archived | retired   2 tick
-- Reply 1 raised, 0 as it was (or no such campaign)

local present = redis.call('HGET', KEYS[1], ARGV[1])
if not present or tonumber(present) >= tonumber(ARGV[2]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
