-- supersede: a token that another one replaces ends, at once or after a while; of two that would replace it, one does.
--
-- KEYS  1 the token's record (string)
-- ARGV  1 the record as the caller read it   2 the record that says when it ends, or '' to end it now
--       3 how long from now it still works, ms
-- Reply 1 it ends so, 0 its record isn't that one any more

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return 1
