-- admit: count a request of a token in the window that is open.
--
-- KEYS  1 the count (string; it lives as long as its window)
-- ARGV  1 a window's length, ms
-- Reply {requests in the window, this one among them; ms until it ends}; {0, 0} where the server is full: what must
--       still work then (reading, withdrawing) isn't refused for want of a counter
--
-- A count outlives no window, so it needs neither file nor replica: a read that is counted doesn't wait for the disk.

if redis.set_repl then
  redis.set_repl(redis.REPL_NONE)
end
local count = redis.pcall('INCR', KEYS[1])
if type(count) == 'table' then
  if string.find(count.err, 'OOM', 1, true) then
    return {0, 0}
  end
  return count
end
local left_ms = redis.call('PTTL', KEYS[1])
if left_ms < 0 then
  left_ms = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left_ms)
end
return {count, left_ms}
