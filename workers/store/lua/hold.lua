-- hold: take one of a bounded number of leases, or hold it longer. Leases that ran out are gone first: whoever was
-- killed gives its place back by that.
--
-- KEYS  1 the leases (zset: id → until when, ms; it lives as long as its longest)
-- ARGV  1 id   2 for how long from now, ms   3 how many at most
-- Reply {1 held, 0 all are taken; how many are held now; ms until the first of them runs out}
--
-- A lease that is renewed every few seconds needs neither file nor replica. On a full server what is held goes on
-- unnoted: what must still work then (reading) isn't ended for want of a note.

if redis.set_repl then
  redis.set_repl(redis.REPL_NONE)
end
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local for_ms = tonumber(ARGV[2])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms)
local held = redis.call('ZSCORE', KEYS[1], ARGV[1])
local count = redis.call('ZCARD', KEYS[1])
if not held and count >= tonumber(ARGV[3]) then
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return {0, count, first[2] and first[2] - now_ms or 0}
end
local added = redis.pcall('ZADD', KEYS[1], now_ms + for_ms, ARGV[1])
if type(added) == 'table' then
  if string.find(added.err, 'OOM', 1, true) then
    return {1, count, for_ms}
  end
  return added
end
if redis.call('PTTL', KEYS[1]) < for_ms then
  redis.call('PEXPIRE', KEYS[1], for_ms)
end
return {1, held and count or count + 1, for_ms}
