-- published: a resolved tick, whose pages are in every stream, is published; the next may close.
--
-- KEYS  1 head   2 record of the tick   3 revealed seeds   4.. the camps' streams
-- ARGV  1 tick   2 epoch   3 manifest of its state   4 staged commitment: that of tick + 3
--       5 plan, JSON: {record {field: text}, seeds {tick: hex}}
-- Reply {case}
--       same       it was published already
--       stale      it isn't resolved in that epoch to that state
--       unwritten  a stream doesn't end with the tick's last page
--       published

local tick, plan = ARGV[1], cjson.decode(ARGV[5])

local head = redis.call('HMGET', KEYS[1], 'resolving', 'tick_status', 'published', 'manifest', 'epoch', 'steps')
if head[3] and tonumber(head[3]) >= tonumber(tick) then
  return {'same'}
end
if head[1] ~= tick or head[2] ~= 'resolved' or head[5] ~= ARGV[2] or head[4] ~= ARGV[3] then
  return {'stale'}
end
for i = 4, #KEYS do
  local newest = redis.call('XREVRANGE', KEYS[i], '+', '-', 'COUNT', 1)[1]
  if not newest or string.sub(newest[1], 1, #tick + 1) ~= tick .. '-' or newest[2][3] ~= 'last' then
    return {'unwritten'}
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Epoch and steps say, when the tick is retired, which keys its resolution left behind.
local record = {'epoch', head[5], 'steps', head[6], 'published_ms', now}
for name, text in pairs(plan.record) do
  record[#record + 1] = name
  record[#record + 1] = text
end
redis.call('HSET', KEYS[2], unpack(record))
for number, seed in pairs(plan.seeds) do
  redis.call('HSET', KEYS[3], number, seed)
end
redis.call('HSET', KEYS[1],
  'published', tick, 'published_ms', now, 'resolving', '', 'tick_status', '', 'start_manifest', head[4],
  'staged_commitment', ARGV[4])
return {'published'}
