-- intake: book a batch of orders for a tick, under its meters.
--
-- KEYS  1 head   2 counts   3 revisions   4 ready marks   5 idempotency digests of the tick (all of the tick)
--       6 the batch's idempotency record   7.. books by slice, meters and index by group, as the items name them
-- ARGV  1 plan, JSON: [request, published, items]
--           request {tick, idem, body, note, camp, for_tick, atomic, orders_tick_max}; published: the view's tick
--           item [KEYS of its book, its slice, KEYS of its index, expected revision (0: new), costs, release,
--                 id (replaced orders only)]
--           cost [KEYS of the meter's group, meter, amount, limit]   release [KEYS, meter, amount]
--       2 the index fields of all items, 8 bytes each   3.. the packed bytes of each item
-- Reply {JSON, 1 where it was given before, else 0}; the JSON's outcome is the first that holds of
--       idempotency_conflict   the key was used with another body
--       closed_campaign        {status}
--       tick_closed            {tick: the one that takes orders}, where only that tick was wanted
--       other_tick             {tick: the one that takes orders}: ids are made for a tick, make them again
--       view_changed           {published}: the batch was checked on another state, check it again
--       answered               {tick, published, note, results}: an item, the revision booked, or {refused, …}
--
-- A refused item changes nothing. The answer is kept under the idempotency digest once anything is booked: from then
-- on the same batch gets the same bytes.

local FIRST_PACKED = 3
local CHANGES_AN_ORDER = 4 -- replaced orders stay in the book: this bounds it
local CHUNK = 1000 -- arguments a call: unpack has a limit

local plan = cjson.decode(ARGV[1])
local request, published, items = plan[1], plan[2], plan[3]
local count = #items

-- Is it known?

if request.idem ~= '' then
  local known = redis.call('GET', KEYS[6])
  if known then
    local space = string.find(known, ' ', 1, true)
    if string.sub(known, 1, space - 1) ~= request.body then
      return {cjson.encode({outcome = 'idempotency_conflict'}), 0}
    end
    return {string.sub(known, space + 1), 1}
  end
end

-- Does this tick take orders, and was it checked on the present view?

local head = redis.call('HMGET', KEYS[1], 'status', 'open_tick', 'deadline_ms', 'published')
if head[1] ~= 'open' then
  return {cjson.encode({outcome = 'closed_campaign', status = head[1] or ''}), 0}
end
local target, deadline_ms = tonumber(head[2]), tonumber(head[3])
if deadline_ms > 0 then
  local time = redis.call('TIME')
  if time[1] * 1000 + math.floor(time[2] / 1000) >= deadline_ms then
    target = target + 1
  end
end
if target ~= request.tick then
  return {cjson.encode({outcome = request.for_tick and 'tick_closed' or 'other_tick', tick = target}), 0}
end
if tonumber(head[4]) ~= published then
  return {cjson.encode({outcome = 'view_changed', published = tonumber(head[4])}), 0}
end

-- What stands in the meters, the index and the revisions that the items touch: a call a key.

local function reader(convert)
  local wanted, values = {}, {}
  local function want(key, field)
    local fields = wanted[key]
    if not fields then
      fields = {}
      wanted[key], values[key] = fields, {}
    end
    if values[key][field] == nil then
      values[key][field] = false
      fields[#fields + 1] = field
    end
  end
  local function read()
    for key, fields in pairs(wanted) do
      local found = values[key]
      for first = 1, #fields, CHUNK do
        local last = math.min(first + CHUNK - 1, #fields)
        local got = redis.call('HMGET', KEYS[key], unpack(fields, first, last))
        for i = first, last do
          found[fields[i]] = convert(got[i - first + 1])
        end
      end
    end
  end
  return want, read, values
end

local want_meter, read_meters, meters = reader(function(text) return tonumber(text or '0') end)
local want_index, read_index, index = reader(function(text) return text ~= false end)
local want_revision, read_revisions, revisions = reader(function(text) return tonumber(text or '1') end)

local fields = {}
for i = 1, count do
  local item = items[i]
  fields[i] = string.sub(ARGV[2], i * 8 - 7, i * 8)
  want_index(item[3], fields[i])
  if item[4] > 0 then
    want_revision(3, item[7])
  end
  for _, cost in ipairs(item[5]) do
    want_meter(cost[1], cost[2])
  end
  for _, entry in ipairs(item[6]) do
    want_meter(entry[1], entry[2])
  end
end
read_meters()
read_index()
read_revisions()
local counts = redis.call('HMGET', KEYS[2], 'orders', 'version')
local orders, version = tonumber(counts[1] or '0'), tonumber(counts[2] or '0')

-- Decide item by item, each on what the accepted ones before it left.

local function take(item)
  local costs, release = item[5], item[6]
  for _, entry in ipairs(release) do
    local group = meters[entry[1]]
    group[entry[2]] = group[entry[2]] - entry[3]
  end
  for n, cost in ipairs(costs) do
    local group, amount = meters[cost[1]], cost[3]
    local used = group[cost[2]]
    if amount > 0 and used + amount > cost[4] then
      for m = n - 1, 1, -1 do
        local taken = costs[m]
        meters[taken[1]][taken[2]] = meters[taken[1]][taken[2]] - taken[3]
      end
      for _, entry in ipairs(release) do
        meters[entry[1]][entry[2]] = meters[entry[1]][entry[2]] + entry[3]
      end
      return {refused = 'over', field = cost[2], used = used, limit = cost[4]}
    end
    group[cost[2]] = used + amount
  end
end

local function decide(item, field)
  local booked, expect = index[item[3]][field], item[4]
  if expect == 0 and booked then
    return {refused = 'exists'}
  end
  if expect > 0 and not booked then
    return {refused = 'unknown'}
  end
  if expect > 0 and revisions[3][item[7]] ~= expect then
    return {refused = 'revision_conflict', revision = revisions[3][item[7]]}
  end
  if expect == 0 and orders >= request.orders_tick_max then
    return {refused = 'tick_full', limit = request.orders_tick_max}
  end
  if version >= request.orders_tick_max * CHANGES_AN_ORDER then
    return {refused = 'tick_full', limit = request.orders_tick_max * CHANGES_AN_ORDER}
  end
  local refusal = take(item)
  if refusal then
    return refusal
  end
  index[item[3]][field] = true
  if expect == 0 then
    orders = orders + 1
  else
    revisions[3][item[7]] = expect + 1
  end
  version = version + 1
  return expect + 1
end

local results, accepted = {}, 0
for i = 1, count do
  results[i] = decide(items[i], fields[i])
  if type(results[i]) == 'number' then
    accepted = accepted + 1
  end
end
if request.atomic and accepted < count then
  for i = 1, count do
    if type(results[i]) == 'number' then
      results[i] = {refused = 'not_booked'}
    end
  end
  accepted = 0
end
local reply = cjson.encode({
  outcome = 'answered', tick = target, published = published, results = results,
  note = request.note ~= '' and request.note or nil,
})
if accepted == 0 then
  return {reply, 0}
end

-- Write: a call a key again.

local pushes, places, changed = {}, {}, {}
local function add(lists, key, value)
  local list = lists[key]
  if not list then
    list = {}
    lists[key] = list
  end
  list[#list + 1] = value
end
local touched = {}
for i = 1, count do
  if type(results[i]) == 'number' then
    local item = items[i]
    add(pushes, item[1], ARGV[FIRST_PACKED - 1 + i])
    add(places, item[3], fields[i])
    add(places, item[3], item[2])
    if results[i] > 1 then
      changed[#changed + 1] = item[7]
      changed[#changed + 1] = results[i]
    end
    for _, cost in ipairs(item[5]) do
      touched[cost[1]] = touched[cost[1]] or {}
      touched[cost[1]][cost[2]] = true
    end
    for _, entry in ipairs(item[6]) do
      touched[entry[1]] = touched[entry[1]] or {}
      touched[entry[1]][entry[2]] = true
    end
  end
end
local function call(command, key, list)
  for first = 1, #list, CHUNK do
    redis.call(command, key, unpack(list, first, math.min(first + CHUNK - 1, #list)))
  end
end
for key, list in pairs(pushes) do
  call('RPUSH', KEYS[key], list)
end
for key, list in pairs(places) do
  call('HSET', KEYS[key], list)
end
for key, names in pairs(touched) do
  local list = {}
  for name in pairs(names) do
    list[#list + 1] = name
    list[#list + 1] = string.format('%.0f', meters[key][name])
  end
  call('HSET', KEYS[key], list)
end
call('HSET', KEYS[3], changed)
redis.call('HSET', KEYS[2], 'orders', orders, 'version', version)
if request.camp ~= '' then
  redis.call('SREM', KEYS[4], request.camp)
end
if request.idem ~= '' then
  redis.call('SET', KEYS[6], request.body .. ' ' .. reply)
  redis.call('RPUSH', KEYS[5], request.idem)
end
return {reply, 0}
