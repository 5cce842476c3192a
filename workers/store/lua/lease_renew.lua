-- lease_renew: hold the lease longer, if it's still this holder's.
--
-- KEYS  1 the lease (string: its holder)
-- ARGV  1 holder   2 for how long from now, ms
-- Reply 1 renewed, 0 no longer this holder's

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
