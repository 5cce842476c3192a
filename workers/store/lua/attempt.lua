-- attempt: count a start of a shard or of a commit, or a failure by what was raised.
--
-- KEYS  1 head   2 attempts of the epoch
-- ARGV  1 tick   2 epoch   3 step   4 field: step/shard, or step/shard/exception digest
-- Reply {case, count}: counted | stale (the head asks for something else)

local head = redis.call('HMGET', KEYS[1], 'resolving', 'tick_status', 'epoch', 'step')
if head[1] ~= ARGV[1] or head[2] ~= 'resolving' or head[3] ~= ARGV[2] or head[4] ~= ARGV[3] then
  return {'stale', 0}
end
return {'counted', redis.call('HINCRBY', KEYS[2], ARGV[4], 1)}
