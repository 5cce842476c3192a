-- lease_release: give the lease up, if it's still this holder's.
--
-- KEYS  1 the lease (string: its holder)
-- ARGV  1 holder
-- Reply 1 released, 0 no longer this holder's

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
return 1
