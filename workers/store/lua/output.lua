-- output: a shard's output, written once, with the blobs that it made.
--
-- KEYS  1 head   2 outputs of the step   3 workers of the tick   4 blobs index   5.. the blobs
-- ARGV  1 tick   2 epoch   3 step   4 shard   5 output (JSON, of the shard's input alone)   6 worker
--       7 when the tick was closed that was played, ms; empty: whenever
--       8.. the blobs' bytes
-- Reply {case, count}
--       stale       the head asks for something else
--       same        this shard has that output already
--       divergence  this shard has another output: that one stays, the new one is kept beside it, and the tick fails
--       written     count shards of the step have their output now

local tick, shard, worker = ARGV[1], ARGV[4], ARGV[6]

local head = redis.call('HMGET', KEYS[1], 'resolving', 'tick_status', 'epoch', 'step', 'tick_shards', 'closed_ms')
if head[1] ~= tick or head[2] ~= 'resolving' or head[3] ~= ARGV[2] or head[4] ~= ARGV[3]
  or tonumber(shard) >= tonumber(head[5]) then
  return {'stale', 0}
end
-- A server that lost its last seconds closes the tick again, with another book.
if ARGV[7] ~= '' and head[6] ~= ARGV[7] then
  return {'stale', 0}
end
local present = redis.call('HGET', KEYS[2], shard)
if present == ARGV[5] then
  return {'same', redis.call('HLEN', KEYS[2])}
end
if present then
  local place = ARGV[2] .. '/' .. ARGV[3] .. '/' .. shard
  local failure = {
    kind = 'divergence', epoch = tonumber(ARGV[2]), step = tonumber(ARGV[3]), shard = shard, worker = worker,
    message = 'two outputs for the same input',
    details = {first_worker = redis.call('HGET', KEYS[3], place) or ''},
  }
  redis.call('HSET', KEYS[2], shard .. '/divergence', ARGV[5])
  redis.call('HSET', KEYS[1], 'tick_status', 'failed', 'failure', cjson.encode(failure))
  return {'divergence', redis.call('HLEN', KEYS[2])}
end

for i = 5, #KEYS do
  redis.call('SET', KEYS[i], ARGV[3 + i])
  redis.call('HSET', KEYS[4], string.sub(KEYS[i], -64), tick) -- the digest: how the key of a blob ends
end
redis.call('HSET', KEYS[2], shard, ARGV[5])
redis.call('HSET', KEYS[3], ARGV[2] .. '/' .. ARGV[3] .. '/' .. shard, worker)
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'progress_ms', time[1] * 1000 + math.floor(time[2] / 1000))
return {'written', redis.call('HLEN', KEYS[2])}
