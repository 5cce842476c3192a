-- retry: start a quarantined tick again, in a new epoch, from the manifest that it began with.
--
-- KEYS  1 head
-- ARGV  1 tick   2 the quarantined epoch   3.. ids of orders to leave out from now on
-- Reply {case, present epoch}: retried | stale (nothing is quarantined in that epoch)

local head = redis.call('HMGET', KEYS[1], 'resolving', 'tick_status', 'epoch', 'start_manifest', 'dropped')
local quarantined = head[2] == 'failed' or head[2] == 'lost'
if head[1] ~= ARGV[1] or not quarantined or head[3] ~= ARGV[2] then
  return {'stale', tonumber(head[3] or '0')}
end

-- Sorted and each once: the list enters the input digest, and mustn't tell in which order the drops were asked for.
local dropped, seen = {}, {}
local function drop(id)
  if not seen[id] then
    seen[id] = true
    dropped[#dropped + 1] = id
  end
end
for _, id in ipairs(cjson.decode(head[5])) do
  drop(id)
end
for i = 3, #ARGV do
  drop(ARGV[i])
end
table.sort(dropped)

local epoch = tonumber(ARGV[2]) + 1
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1],
  'epoch', epoch, 'step', 0, 'manifest', head[4], 'tick_status', 'resolving', 'failure', '',
  'dropped', #dropped > 0 and cjson.encode(dropped) or '[]', 'step_started_ms', now, 'progress_ms', now)
return {'retried', epoch}
