-- reveal: publish tick seeds of an ended campaign.
--
-- KEYS  1 head   2 seeds
-- ARGV  tick, seed (hex), tick, seed …
-- Reply {case}: revealed | refused (the campaign hasn't ended)

if redis.call('HGET', KEYS[1], 'status') ~= 'ended' then
  return {'refused'}
end
for i = 1, #ARGV, 2 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
end
return {'revealed'}
