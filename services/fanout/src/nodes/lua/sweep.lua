-- Removes the places that a dead node had, for some of its users at a time; several nodes may do so at once.
-- KEYS: users of the dead node
-- ARGV: the dead node, key of a user's places without his name, users at a time
-- Answer: how many users were seen to
local prefix = ARGV[1] .. '/'
local users = redis.call('SPOP', KEYS[1], ARGV[3])
for _, user in ipairs(users) do
  local places = ARGV[2] .. user
  for _, member in ipairs(redis.call('ZRANGE', places, 0, -1)) do
    if string.sub(member, 1, #prefix) == prefix then redis.call('ZREM', places, member) end
  end
end
return #users
