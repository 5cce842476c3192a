-- collect: drop blobs that nothing has named since a tick.
--
-- KEYS  1 blobs index   2.. the blobs
-- ARGV  1 the tick: a blob last named in it or later stays   2.. the blobs' digests
-- Reply how many were dropped

local before, dropped = tonumber(ARGV[1]), 0
for i = 2, #KEYS do
  local line = redis.call('HGET', KEYS[1], ARGV[i])
  if line and tonumber(line) < before then
    redis.call('UNLINK', KEYS[i])
    redis.call('HDEL', KEYS[1], ARGV[i])
    dropped = dropped + 1
  end
end
return dropped
