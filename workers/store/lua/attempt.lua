-- attempt: count a start of a shard or of a commit, or a failure by what was raised.
--
-- KEYS  1 head   2 attempts of the epoch   3 outputs of the step
-- ARGV  1 tick   2 epoch   3 step   4 field: step/shard, or step/shard/exception digest
--       5 the shard that starts, or empty for what isn't the start of a shard
-- Reply {case, count}
--       stale    the head asks for something else
--       counted  count starts so far; one of a shard that has its output already doesn't count: it is a message that
--                came twice, and says nothing of workers that were killed

local head = redis.call('HMGET', KEYS[1], 'resolving', 'tick_status', 'epoch', 'step')
if head[1] ~= ARGV[1] or head[2] ~= 'resolving' or head[3] ~= ARGV[2] or head[4] ~= ARGV[3] then
  return {'stale', 0}
end
if ARGV[5] ~= '' and redis.call('HEXISTS', KEYS[3], ARGV[5]) == 1 then
  return {'counted', tonumber(redis.call('HGET', KEYS[2], ARGV[4]) or '0')}
end
return {'counted', redis.call('HINCRBY', KEYS[2], ARGV[4], 1)}
