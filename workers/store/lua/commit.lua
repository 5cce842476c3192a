-- commit: move the head past a step, or past several that one process played.
--
-- KEYS  1 head   2 blobs index   3 steps of the epoch   4 workers of the tick
--       5.. the blobs to write, then the others that the manifest names
-- ARGV  1 tick   2 epoch   3 step, the first   4 old manifest   5 new manifest   6 last (1 or 0)
--       7 worker who played them; empty where the outputs of shards say it
--       8 when the tick was closed that was played, ms; empty: whenever
--       9 s, the number of steps   10 n, the number of blobs to write   11.. s summaries (JSON), then n blobs' bytes
-- Reply {case …}
--       stale           the head asks for something else: another committer was first, perhaps this one, unheard
--       missing, digest …  blobs that are named and aren't stored: nothing was written
--       committed       after the last step, the tick is resolved

local CHUNK = 1000 -- arguments a call: unpack has a limit

local tick, step, steps, n = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[9]), tonumber(ARGV[10])
local blobs = #KEYS - 4

local function digest(i) -- how the key of a blob ends
  return string.sub(KEYS[4 + i], -64)
end

local head = redis.call('HMGET', KEYS[1], 'resolving', 'tick_status', 'epoch', 'step', 'manifest', 'closed_ms')
if head[1] ~= tick or head[2] ~= 'resolving' or head[3] ~= ARGV[2] or head[4] ~= ARGV[3] or head[5] ~= ARGV[4] then
  return {'stale'}
end
-- A server that lost its last seconds closes the tick again, with another book.
if ARGV[8] ~= '' and head[6] ~= ARGV[8] then
  return {'stale'}
end
-- One call answers for all of them; only where some are missing are they looked at one by one.
local stored = 0
for first = n + 1, blobs, CHUNK do
  stored = stored + redis.call('EXISTS', unpack(KEYS, 4 + first, 4 + math.min(first + CHUNK - 1, blobs)))
end
if stored < blobs - n then
  local missing = {'missing'}
  for i = n + 1, blobs do
    if redis.call('EXISTS', KEYS[4 + i]) == 0 then
      missing[#missing + 1] = digest(i)
    end
  end
  return missing
end

for i = 1, n do
  redis.call('SET', KEYS[4 + i], ARGV[10 + steps + i])
end
for first = 1, blobs, CHUNK do
  local lines = {}
  for i = first, math.min(first + CHUNK - 1, blobs) do
    lines[#lines + 1] = digest(i)
    lines[#lines + 1] = tick
  end
  redis.call('HSET', KEYS[2], unpack(lines))
end
for i = 1, steps do
  redis.call('RPUSH', KEYS[3], ARGV[10 + i])
  if ARGV[7] ~= '' then
    redis.call('HSET', KEYS[4], ARGV[2] .. '/' .. (step + i - 1) .. '/0', ARGV[7])
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1],
  'step', step + steps, 'manifest', ARGV[5], 'step_started_ms', now, 'progress_ms', now,
  'tick_status', ARGV[6] == '1' and 'resolved' or 'resolving')
return {'committed'}
