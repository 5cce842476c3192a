-- close: freeze the book of the open tick; the next one takes orders at once.
--
-- KEYS  1 head   2 counts of the tick   3 ready marks of the tick   4 commitments
-- ARGV  1 tick   2 terms, JSON: {trigger, next_deadline_ms, orders_per_shard, shards_min, archive_lag_max}
-- Reply JSON {outcome, open_tick, resolving, tick_shards, fused, until_ms}; the outcome is the first that holds of
--       not_open_campaign   the campaign doesn't exist, or isn't open
--       other_tick          that tick isn't the open one: closed already, perhaps by a call whose reply was lost
--       still_resolving     the tick before is closed and not yet published
--       not_due             the trigger is the deadline, which isn't reached (until_ms; 0: there is none)
--       not_ready           the trigger is readiness, and a camp isn't ready
--       min_open            the tick must stay open until until_ms
--       archive_behind      too many published ticks wait for the archive
--       closed

local tick, terms = tonumber(ARGV[1]), cjson.decode(ARGV[2])
local head = {}
local flat = redis.call('HGETALL', KEYS[1])
for i = 1, #flat, 2 do
  head[flat[i]] = flat[i + 1]
end

local function number(field)
  return tonumber(head[field])
end

local function reply(outcome, more)
  more = more or {}
  more.outcome = outcome
  more.open_tick = more.open_tick or number('open_tick')
  more.resolving = more.resolving or tonumber(head.resolving or '')
  return cjson.encode(more)
end

if head.status ~= 'open' then
  return reply('not_open_campaign')
end
if number('open_tick') ~= tick then
  return reply('other_tick')
end
if head.resolving ~= '' then
  return reply('still_resolving')
end
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local deadline_ms = number('deadline_ms')
if terms.trigger == 'deadline' and (deadline_ms == 0 or now_ms < deadline_ms) then
  return reply('not_due', {until_ms = deadline_ms})
end
if terms.trigger == 'ready' and redis.call('SCARD', KEYS[3]) < #cjson.decode(head.camps) then
  return reply('not_ready')
end
-- A tick that was opened while its predecessor was resolved has been seen by nobody before that one's reports.
local open_until_ms = math.max(number('opened_ms'), number('published_ms')) + number('min_open_s') * 1000
if now_ms < open_until_ms then
  return reply('min_open', {until_ms = open_until_ms})
end
if number('published') - number('archived') > terms.archive_lag_max then
  return reply('archive_behind')
end

local counts = redis.call('HMGET', KEYS[2], 'orders', 'version')
local orders = tonumber(counts[1] or '0')
local fused = orders < number('fuse_below')
local shards = number('shards')
if fused then
  shards = 1
elseif shards == 0 then
  shards = math.max(math.ceil(orders / terms.orders_per_shard), terms.shards_min)
end
shards = math.min(shards, number('slices'))

redis.call('HSET', KEYS[1],
  'resolving', tick, 'tick_status', 'resolving', 'step', 0, 'epoch', 1,
  'orders', orders, 'book_version', counts[2] or '0', 'tick_shards', shards, 'fused', fused and 1 or 0,
  'trigger', terms.trigger, 'closed_ms', now_ms, 'step_started_ms', now_ms, 'progress_ms', now_ms,
  'dropped', '[]', 'failure', '',
  'open_tick', tick + 1, 'opened_ms', now_ms, 'deadline_ms', terms.next_deadline_ms)
-- At this moment the staged commitment is that of tick + 2: it's public before that tick opens.
redis.call('HSETNX', KEYS[4], tick + 2, head.staged_commitment)
redis.call('DEL', KEYS[3])
return reply('closed', {open_tick = tick + 1, resolving = tick, tick_shards = shards, fused = fused})
