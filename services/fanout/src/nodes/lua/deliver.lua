-- Tells the nodes of a user's places of a notice that still lies in his mailbox; who has it already is passed over.
-- KEYS: mailbox, places of the user, connections that have the notice
-- ARGV: where it lies, user, channel of a node without its name
-- Answer: how many were told; -1 when it does not lie there any more
local found, told = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]), 0
if #found == 0 then return -1 end
for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if redis.call('SISMEMBER', KEYS[3], member) == 0 then
    local node, connection = string.match(member, '^(.*)/(%d+)$')
    -- Its text stays as it is: this reader would turn an empty list into an object.
    local word = { user = ARGV[2], connection = connection, notice = found[1][2][2] }
    redis.call('PUBLISH', ARGV[3] .. node, cjson.encode(word))
    told = told + 1
  end
end
if told == 0 and redis.call('DEL', KEYS[3]) == 1 then
  redis.call('XDEL', KEYS[1], ARGV[1])
  return -1
end
return told
