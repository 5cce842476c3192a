-- create: a campaign whole, or not at all. The same creation sent again changes nothing.
--
-- KEYS  1 head   2 commitments   3 record of tick 0   4 blobs index
--       5.. the blobs, then a stream for each camp that has pages
-- ARGV  1 plan, JSON: {creation_key, creation_digest,
--           head {field: text}, commitments {tick: hex}, record {field: text},
--           blobs [digest of each blob], pages [number of pages of each stream]}
--       2.. the blobs' bytes, then the pages of each stream in turn
-- Reply {case}: created | same | conflict (its key was used with other content) | exists

local plan = cjson.decode(ARGV[1])

local head = redis.call('HMGET', KEYS[1], 'creation_key', 'creation_digest')
if head[1] then
  if head[1] == '' or head[1] ~= plan.creation_key then
    return {'exists'}
  end
  return {head[2] == plan.creation_digest and 'same' or 'conflict'}
end

local function fields(object)
  local flat = {}
  for name, text in pairs(object) do
    flat[#flat + 1] = name
    flat[#flat + 1] = text
  end
  return flat
end

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

redis.call('HSET', KEYS[1], 'created_ms', now_ms, unpack(fields(plan.head)))
redis.call('HSET', KEYS[2], unpack(fields(plan.commitments)))
redis.call('HSET', KEYS[3], 'created_ms', now_ms, unpack(fields(plan.record)))

local key, argument = 4, 1
for _, digest in ipairs(plan.blobs) do
  key, argument = key + 1, argument + 1
  redis.call('SET', KEYS[key], ARGV[argument])
  redis.call('HSET', KEYS[4], digest, 0)
end
-- A set-up's pages are those of tick 0, numbered from 1 as in every tick.
for _, pages in ipairs(plan.pages) do
  key = key + 1
  for page = 1, pages do
    argument = argument + 1
    if page == pages then
      redis.call('XADD', KEYS[key], '0-' .. page, 'p', ARGV[argument], 'last', '1')
    else
      redis.call('XADD', KEYS[key], '0-' .. page, 'p', ARGV[argument])
    end
  end
end
return {'created'}
