-- Says that this node lives, and tells who else does.
-- KEYS: all nodes, what is known of this node, its users
-- ARGV: this node, what is known of it, life of that in ms, life of its users in ms, key of a node without its name
-- Answer, for each node: its name, ms since it last said so, what is known of it (empty when that has expired)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[4])
local all, answer = redis.call('ZRANGE', KEYS[1], 0, 255, 'WITHSCORES'), {}
for i = 1, #all, 2 do
  answer[#answer + 1] = all[i]
  answer[#answer + 1] = string.format('%.0f', now - all[i + 1])
  answer[#answer + 1] = redis.call('GET', ARGV[5] .. all[i]) or ''
end
return answer
