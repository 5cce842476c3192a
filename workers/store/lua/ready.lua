-- ready: set or clear a camp's ready mark for the tick that takes orders.
--
-- KEYS  1 head   2 ready marks of the tick
-- ARGV  1 tick   2 camp   3 set it (1) or clear it (0)
-- Reply JSON {outcome, …}: closed_campaign (status) | tick_closed (tick: the one that takes orders) | unknown_camp |
--       marked (ready of camps)

local head = redis.call('HMGET', KEYS[1], 'status', 'open_tick', 'deadline_ms', 'camps')
if head[1] ~= 'open' then
  return cjson.encode({outcome = 'closed_campaign', status = head[1] or ''})
end
local target, deadline_ms = tonumber(head[2]), tonumber(head[3])
local time = redis.call('TIME')
if deadline_ms > 0 and time[1] * 1000 + math.floor(time[2] / 1000) >= deadline_ms then
  target = target + 1
end
if target ~= tonumber(ARGV[1]) then
  return cjson.encode({outcome = 'tick_closed', tick = target})
end
local camps, known = cjson.decode(head[4]), false
for _, camp in ipairs(camps) do
  known = known or camp == ARGV[2]
end
if not known then
  return cjson.encode({outcome = 'unknown_camp', camps = #camps})
end

redis.call(ARGV[3] == '1' and 'SADD' or 'SREM', KEYS[2], ARGV[2])
return cjson.encode({outcome = 'marked', ready = redis.call('SCARD', KEYS[2]), camps = #camps})
