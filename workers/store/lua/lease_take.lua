-- lease_take: hold the lease, if nobody else does.
--
-- KEYS  1 the lease (string: its holder)
-- ARGV  1 holder   2 for how long, ms
-- Reply 1 held by this holder now, 0 held by another

local present = redis.call('GET', KEYS[1])
if present and present ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
