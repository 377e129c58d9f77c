-- A connection has a notice: it leaves the mailbox, at once or when all of the user's connections have it.
-- KEYS: mailbox, the notice, places of the user, connections that have it
-- ARGV: node/connection, whether all must have it (1), life of a notice in ms
-- Answer: whether it left
local lies = redis.call('GET', KEYS[2])
if not lies then return 0 end
if ARGV[2] == '1' then
  redis.call('SADD', KEYS[4], ARGV[1])
  redis.call('PEXPIRE', KEYS[4], ARGV[3])
  for _, member in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
    if redis.call('SISMEMBER', KEYS[4], member) == 0 then return 0 end
  end
  redis.call('DEL', KEYS[4])
end
return redis.call('XDEL', KEYS[1], lies)
