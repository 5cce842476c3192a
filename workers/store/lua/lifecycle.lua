-- lifecycle: draft -> open <-> paused -> ended, and from any of them to ended.
--
-- KEYS  1 head
-- ARGV  1 verb: open | pause | resume | end   2 the open tick's deadline, ms (open and resume; 0: none)
-- Reply {case, present status}: changed | same (it was so already) | refused (not from there; '' where nothing exists)

local becomes = {open = 'open', pause = 'paused', resume = 'open', ['end'] = 'ended'}
local from = {
  open = {draft = true},
  pause = {open = true},
  resume = {paused = true},
  ['end'] = {draft = true, open = true, paused = true},
}

local verb = ARGV[1]
local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  return {'refused', ''}
end
if status == becomes[verb] then
  return {'same', status}
end
if not from[verb][status] then
  return {'refused', status}
end

redis.call('HSET', KEYS[1], 'status', becomes[verb])
if verb == 'open' then
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[1], 'opened_ms', time[1] * 1000 + math.floor(time[2] / 1000))
end
if becomes[verb] == 'open' then
  redis.call('HSET', KEYS[1], 'deadline_ms', ARGV[2])
end
return {'changed', becomes[verb]}
