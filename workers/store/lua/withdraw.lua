-- withdraw: an order of a tick that isn't closed leaves the book; what it took is given back.
--
-- KEYS  1 head   2 counts   3 revisions   4 ready marks (all of the tick)   5.. groups of the meters to give back to
-- ARGV  1 tick   2 order id   3 expected revision, as the book has it   4 camp whose ready mark it clears, or ''
--       5 whose count of live orders it leaves and whose change it is, or ''   6.. KEYS of the meter's group, meter, amount; for each
-- Reply JSON {outcome, …}; the outcome is the first that holds of
--       closed_campaign (status) | tick_closed (tick: the one that takes orders) | same (it's withdrawn) |
--       revision_conflict (revision: the present one) | withdrawn

local head = redis.call('HMGET', KEYS[1], 'status', 'open_tick', 'deadline_ms')
if head[1] ~= 'open' then
  return cjson.encode({outcome = 'closed_campaign', status = head[1] or ''})
end
local target, deadline_ms = tonumber(head[2]), tonumber(head[3])
local time = redis.call('TIME')
if deadline_ms > 0 and time[1] * 1000 + math.floor(time[2] / 1000) >= deadline_ms then
  target = target + 1
end
-- An order may be booked for the tick after this one: the deadline had passed when it was, and was moved since.
if tonumber(ARGV[1]) < target then
  return cjson.encode({outcome = 'tick_closed', tick = target})
end
local revision = tonumber(redis.call('HGET', KEYS[3], ARGV[2]) or '1')
if revision == 0 then
  return cjson.encode({outcome = 'same'})
end
if revision ~= tonumber(ARGV[3]) then
  return cjson.encode({outcome = 'revision_conflict', revision = revision})
end

for i = 6, #ARGV, 3 do
  redis.call('HINCRBY', KEYS[tonumber(ARGV[i])], ARGV[i + 1], 0 - tonumber(ARGV[i + 2]))
end
redis.call('HSET', KEYS[3], ARGV[2], 0)
redis.call('HINCRBY', KEYS[2], 'orders', -1)
redis.call('HINCRBY', KEYS[2], 'version', 1)
if ARGV[5] ~= '' then
  redis.call('HINCRBY', KEYS[2], 'changes' .. string.sub(ARGV[5], 3), 1)
end
-- An order that was booked before its sender was counted leaves no count.
if ARGV[5] ~= '' and redis.call('HEXISTS', KEYS[2], ARGV[5]) == 1 and redis.call('HINCRBY', KEYS[2], ARGV[5], -1) <= 0 then
  redis.call('HDEL', KEYS[2], ARGV[5])
end
if ARGV[4] ~= '' then
  redis.call('SREM', KEYS[4], ARGV[4])
end
return cjson.encode({outcome = 'withdrawn'})
