-- reserve: a place for a campaign among those that one token founded, before it is founded.
--
-- KEYS  1 the token's campaigns (zset: campaign → when its place was reserved, ms)
-- ARGV  1 campaign   2 how many at most
-- Reply {case, how many it has now}: had (it has that place) | reserved | full

local had = redis.call('ZSCORE', KEYS[1], ARGV[1])
local count = redis.call('ZCARD', KEYS[1])
if had then
  return {'had', count}
end
if count >= tonumber(ARGV[2]) then
  return {'full', count}
end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
return {'reserved', count + 1}
