-- pages: write a resolved tick's pages to a camp's stream; those that it has already are skipped.
--
-- KEYS  1 head   2 the stream   3.. the blobs that hold pages, in their order
-- ARGV  1 tick   2 epoch   3 manifest of the state that they tell of   4 number of the first page
--       5 whether the last page given is the tick's last (1 or 0)   6.. pages; an empty one is the next blob
-- Reply {case, written, skipped}
--       written
--       stale    the tick isn't resolved in that epoch to that state, or it's published
--       missing  a blob isn't stored: nothing was written

local tick, first, complete = tonumber(ARGV[1]), tonumber(ARGV[4]), ARGV[5] == '1'

local head = redis.call('HMGET', KEYS[1], 'resolving', 'tick_status', 'epoch', 'manifest')
-- Another epoch may come to the same state by other events: its pages tell of them.
if head[1] ~= ARGV[1] or head[2] ~= 'resolved' or head[3] ~= ARGV[2] or head[4] ~= ARGV[3] then
  return {'stale', 0, 0}
end
-- The stream is trimmed but never emptied, so its last entry says what it has had.
local had_tick, had_page = -1, 0
local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
if newest[1] then
  local had = newest[1][1]
  local dash = string.find(had, '-', 1, true)
  had_tick, had_page = tonumber(string.sub(had, 1, dash - 1)), tonumber(string.sub(had, dash + 1))
end

local blobs = #KEYS > 2 and redis.call('MGET', unpack(KEYS, 3)) or {}
for i = 1, #KEYS - 2 do
  if not blobs[i] then
    return {'missing', 0, 0}
  end
end

local written, skipped, copied = 0, 0, 0
for i = 6, #ARGV do
  local page, body = first + i - 6, ARGV[i]
  if body == '' then
    copied = copied + 1
    body = blobs[copied]
  end
  if tick < had_tick or (tick == had_tick and page <= had_page) then
    skipped = skipped + 1
  else
    if complete and i == #ARGV then
      redis.call('XADD', KEYS[2], tick .. '-' .. page, 'p', body, 'last', '1')
    else
      redis.call('XADD', KEYS[2], tick .. '-' .. page, 'p', body)
    end
    written = written + 1
  end
end
return {'written', written, skipped}
