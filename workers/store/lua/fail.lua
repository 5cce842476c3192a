-- fail: quarantine a resolving tick.
--
-- KEYS  1 head
-- ARGV  1 tick   2 epoch   3 tick_status: failed | lost   4 failure, JSON
-- Reply {case}: failed | stale (it wasn't resolving in that epoch)

local head = redis.call('HMGET', KEYS[1], 'resolving', 'tick_status', 'epoch')
if head[1] ~= ARGV[1] or head[2] ~= 'resolving' or head[3] ~= ARGV[2] then
  return {'stale'}
end
redis.call('HSET', KEYS[1], 'tick_status', ARGV[3], 'failure', ARGV[4])
return {'failed'}
