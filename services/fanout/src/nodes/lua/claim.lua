-- Takes places for some users' connections; a user's oldest places beyond what is allowed are replaced, and their nodes
-- are told. What has its place already keeps the time when it took it.
-- KEYS: users of this node, then for each connection: places of the user, mailbox of the user
-- ARGV: this node, places a user may have (0: any number), life of a place in ms, channel of a node without its name,
--       then for each connection: user, connection, since when in µs (0: from now)
-- Answer, for each connection: since when, how many notices wait
local node, limit, life, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
local answer = {}
for i = 1, (#KEYS - 1) / 2 do
  local places, mailbox = KEYS[2 * i], KEYS[2 * i + 1]
  local user, connection, since = ARGV[3 * i + 2], ARGV[3 * i + 3], ARGV[3 * i + 4]
  local member = node .. '/' .. connection
  redis.call('ZADD', places, 'NX', since == '0' and now or since, member)
  redis.call('PEXPIRE', places, life)
  redis.call('SADD', KEYS[1], user)
  since = redis.call('ZSCORE', places, member)
  local over = limit > 0 and redis.call('ZCARD', places) - limit or 0
  if over > 0 then
    for _, old in ipairs(redis.call('ZRANGE', places, 0, over - 1)) do
      local there, number = string.match(old, '^(.*)/(%d+)$')
      redis.call('ZREM', places, old)
      redis.call('PUBLISH', channel .. there, cjson.encode({ user = user, connection = number }))
    end
  end
  answer[2 * i - 1] = string.format('%.0f', since)
  answer[2 * i] = redis.call('XLEN', mailbox)
end
return answer
