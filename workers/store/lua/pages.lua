-- pages: write a resolved tick's pages to a camp's stream; those that it has already are skipped.
--
-- KEYS  1 head   2 the stream
-- ARGV  1 tick   2 number of the first page   3 whether the last page given is the tick's last (1 or 0)   4.. pages
-- Reply {case, written, skipped}: written | stale (that tick isn't resolved, or it's published)

local tick, first, complete = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'

local head = redis.call('HMGET', KEYS[1], 'resolving', 'tick_status')
if head[1] ~= ARGV[1] or head[2] ~= 'resolved' then
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

local written, skipped = 0, 0
for i = 4, #ARGV do
  local page = first + i - 4
  if tick < had_tick or (tick == had_tick and page <= had_page) then
    skipped = skipped + 1
  else
    if complete and i == #ARGV then
      redis.call('XADD', KEYS[2], tick .. '-' .. page, 'p', ARGV[i], 'last', '1')
    else
      redis.call('XADD', KEYS[2], tick .. '-' .. page, 'p', ARGV[i])
    end
    written = written + 1
  end
end
return {'written', written, skipped}
