-- intake: book a batch of orders for a tick, under its meters.
--
-- KEYS  1 head   2 counts   3 revisions   4 ready marks   5 idempotency digests of the tick (all of the tick)
--       6 the batch's idempotency record
--       7.. a book for each slice, then an index list for each letter, then the meters of each group
-- ARGV  1 plan, JSON:
--           request    {tick, idem, body, note, camp, by, for_tick, change, atomic, orders_tick_max,
--                      orders_actor_tick_max}
--           published  the published tick of the view that the batch was checked on
--           count      how many orders
--           books      into how many books
--           letters    the first letters of the ids
--           taken      where the batch is booked whole or not at all, {meters, amounts (as texts), limits, groups}: for
--                      each meter its name, the batch's amount on it, its least limit, which of the groups, from 0; null
--                      where it is booked item by item
--       whole:         2.. index records, an element for each letter, then an element for each book
--       item by item:  2 items, JSON:
--           meters     for each meter: KEYS of its group, its name
--           costs      for each item: how many costs, then meter, amount, limit of each
--           changes    [{item, expect, id, release [meter, amount, …]}] of the items that replace an order
--           books      for each item, which of the books
--                      3 index records of all items in their order, 7 bytes each: the id's first letter, the record
--                      4.. an element of a book for each item
-- Reply {JSON, 1 where it was given before, else 0}; the JSON's outcome is the first that holds of
--       idempotency_conflict   the key was used with another body
--       closed_campaign        {status}
--       tick_closed            {tick: the one that takes orders}, where only that tick was wanted; a change
--                              of what is booked for the tick after it is taken too
--       other_tick             {tick: the one that takes orders}: ids are made for a tick, make them again
--       view_changed           {published}: the batch was checked on another state, check it again
--       apart                  the batch can't be booked whole; nothing is changed: send it item by item
--       answered               {tick, published, note, results}: an item, the revision booked, or {refused, …}
--
-- A refused item changes nothing. The answer is kept under the idempotency digest once anything is booked: from then
-- on the same batch gets the same bytes.
--
-- Taking a meter tells what it stands at: so meters are taken first and given back where one turns out to be over its
-- limit. Nobody sees it in between, and it's the only write before everything is checked.

local FIRST_KEY, RECORD_BYTES = 7, 7
local CHANGES_AN_ORDER = 4 -- replaced orders stay in the book: this bounds it

local plan = cjson.decode(ARGV[1])
local request, count, books, letters = plan.request, plan.count, plan.books, plan.letters

local function refuse(reply)
  return {cjson.encode(reply), 0}
end

-- Is it known?

if request.idem ~= '' then
  local known = redis.call('GET', KEYS[6])
  if known then
    local space = string.find(known, ' ', 1, true)
    if string.sub(known, 1, space - 1) ~= request.body then
      return refuse({outcome = 'idempotency_conflict'})
    end
    return {string.sub(known, space + 1), 1}
  end
end

-- Does this tick take orders, and was the batch checked on the present view?

local head = redis.call('HMGET', KEYS[1], 'status', 'open_tick', 'deadline_ms', 'published')
if head[1] ~= 'open' then
  return refuse({outcome = 'closed_campaign', status = head[1] or ''})
end
local target, deadline_ms = tonumber(head[2]), tonumber(head[3])
local time = redis.call('TIME')
if deadline_ms > 0 and time[1] * 1000 + math.floor(time[2] / 1000) >= deadline_ms then
  target = target + 1
end
-- An order may be booked for the tick after this one: the deadline had passed when it was, and was moved since.
local not_yet = request.change and request.tick == target + 1
if target ~= request.tick and not not_yet then
  return refuse({outcome = request.for_tick and 'tick_closed' or 'other_tick', tick = target})
end
if tonumber(head[4]) ~= plan.published then
  return refuse({outcome = 'view_changed', published = tonumber(head[4])})
end

-- Of the tick: its live orders, and all changes of its book; then the same of the sender, where it's counted.
local changes_by = 'changes' .. string.sub(request.by, 3)
local counts = redis.call('HMGET', KEYS[2], 'orders', 'version', request.by, changes_by)
local orders, version = tonumber(counts[1] or 0), tonumber(counts[2] or 0)
local theirs, their_changes = tonumber(counts[3] or 0), tonumber(counts[4] or 0)
local orders_max, changes_max = request.orders_tick_max, request.orders_tick_max * CHANGES_AN_ORDER
local theirs_max = request.by ~= '' and request.orders_actor_tick_max or math.huge
local their_changes_max = theirs_max * CHANGES_AN_ORDER
local first_list = FIRST_KEY + books
local first_group = first_list + #letters

-- Given back is `0 - amount`, here and below: `-amount` of 0 is written "-0", which is no integer to every server.
local function give_back(key, meter, amount)
  if redis.call('HINCRBY', key, meter, 0 - amount) == 0 then
    redis.call('HDEL', key, meter)
  end
end

-- The batch whole. Calls are what costs time here, and numbers that become texts.

-- All meters at once: since every amount is positive, all orders fit if their sum does. True if so, else as it was.
local function take_all(meters, amounts, limits, groups)
  for i = 1, #meters do
    if redis.call('HINCRBY', KEYS[first_group + groups[i]], meters[i], amounts[i]) > limits[i] then
      for back = 1, i do
        give_back(KEYS[first_group + groups[back]], meters[back], amounts[back])
      end
      return false
    end
  end
  return true
end

local function book_whole(taken)
  if orders + count > orders_max or theirs + count > theirs_max or version + count > changes_max
    or their_changes + count > their_changes_max
    or not take_all(taken.meters, taken.amounts, taken.limits, taken.groups) then
    return false
  end
  orders, theirs = orders + count, theirs + count
  version, their_changes = version + count, their_changes + count
  for i = 1, #letters do
    redis.call('RPUSH', KEYS[first_list + i - 1], ARGV[1 + i])
  end
  for i = 1, books do
    redis.call('RPUSH', KEYS[FIRST_KEY + i - 1], ARGV[1 + #letters + i])
  end
  return true
end

-- Item by item, each on what the accepted ones before it left.

local function decide_each(items)
  local meters, costs = items.meters, items.costs
  local changing, revisions, taken = {}, {}, {}

  local function take(meter, amount)
    taken[#taken + 1] = meter
    taken[#taken + 1] = amount
    return redis.call('HINCRBY', KEYS[meters[meter][1]], meters[meter][2], amount)
  end
  local function take_back_to(mark)
    for i = #taken, mark + 1, -2 do
      local meter = meters[taken[i - 1]]
      give_back(KEYS[meter[1]], meter[2], taken[i])
      taken[i], taken[i - 1] = nil, nil
    end
  end

  local function book(change, from, last)
    if change and revisions[change.id] ~= change.expect then
      return {refused = 'revision_conflict', revision = revisions[change.id]}
    end
    if not change and orders >= orders_max then
      return {refused = 'tick_full', limit = orders_max}
    end
    if not change and theirs >= theirs_max then
      return {refused = 'actor_full', limit = theirs_max}
    end
    if their_changes >= their_changes_max then
      return {refused = 'changes_full', limit = their_changes_max}
    end
    if version >= changes_max then
      return {refused = 'tick_full', limit = changes_max}
    end
    local mark, revision = #taken, 1
    if change then
      for i = 1, #change.release, 2 do
        take(change.release[i], 0 - change.release[i + 1])
      end
      revision = change.expect + 1
    end
    for i = from, last, 3 do
      local meter, amount, limit = costs[i], costs[i + 1], costs[i + 2]
      local stands = take(meter, amount)
      if amount > 0 and stands > limit then
        take_back_to(mark)
        return {refused = 'over', field = meters[meter][2], used = stands - amount, limit = limit}
      end
    end
    version, their_changes = version + 1, their_changes + 1
    if change then
      revisions[change.id] = revision
    else
      orders, theirs = orders + 1, theirs + 1
    end
    return revision
  end

  for _, change in ipairs(items.changes) do
    changing[change.item] = change
    revisions[change.id] = tonumber(redis.call('HGET', KEYS[3], change.id) or 1)
  end
  local results, refused, from = {}, 0, 1
  for item = 1, count do
    local last = from + costs[from] * 3
    results[item] = book(changing[item], from + 1, last)
    refused = refused + (type(results[item]) == 'table' and 1 or 0)
    from = last + 1
  end
  if request.atomic and refused > 0 then
    take_back_to(0)
    for item = 1, count do
      results[item] = type(results[item]) == 'table' and results[item] or {refused = 'not_booked'}
    end
    refused = count
  end
  for _, change in ipairs(items.changes) do
    if type(results[change.item]) == 'number' then
      redis.call('HSET', KEYS[3], change.id, revisions[change.id])
    end
  end
  return results, refused
end

local function book_each()
  local items = cjson.decode(ARGV[2])
  local results, refused = decide_each(items)
  local lists = {}
  for item = 1, count do
    if type(results[item]) == 'number' then
      redis.call('RPUSH', KEYS[FIRST_KEY + items.books[item] - 1], ARGV[3 + item])
      local last = item * RECORD_BYTES
      local letter = string.sub(ARGV[3], last - RECORD_BYTES + 1, last - RECORD_BYTES + 1)
      lists[letter] = (lists[letter] or '') .. string.sub(ARGV[3], last - RECORD_BYTES + 2, last)
    end
  end
  for i = 1, #letters do
    local list = lists[string.sub(letters, i, i)]
    if list then
      redis.call('RPUSH', KEYS[first_list + i - 1], list)
    end
  end
  return cjson.encode(results), refused
end

local results, refused
if plan.taken ~= cjson.null then
  if not book_whole(plan.taken) then
    return refuse({outcome = 'apart'})
  end
  results, refused = '[' .. string.rep('1,', count - 1) .. '1]', 0
else
  results, refused = book_each()
end
local reply = cjson.encode({
  outcome = 'answered', tick = request.tick, published = plan.published, note = request.note ~= '' and request.note or nil,
})
reply = string.sub(reply, 1, -2) .. ',"results":' .. results .. '}'
if refused == count then
  return {reply, 0}
end
redis.call('HSET', KEYS[2], 'orders', orders, 'version', version)
if request.by ~= '' then
  redis.call('HSET', KEYS[2], changes_by, their_changes)
  if theirs > 0 then
    redis.call('HSET', KEYS[2], request.by, theirs)
  end
end
if request.camp ~= '' then
  redis.call('SREM', KEYS[4], request.camp)
end
if request.idem ~= '' then
  redis.call('SET', KEYS[6], request.body .. ' ' .. reply)
  redis.call('RPUSH', KEYS[5], request.idem)
end
return {reply, 0}
