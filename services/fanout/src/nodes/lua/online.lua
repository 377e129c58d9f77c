-- Says how many watch the rooms of some partitions here, and tells how many do elsewhere.
-- KEYS: counts of each partition
-- ARGV: this node, life of counts in ms, then for each partition its counts here (empty: nobody)
-- Answer, for each partition: the other nodes' names and counts in turn
local answer = {}
for i = 1, #KEYS do
  if ARGV[i + 2] == '' then
    redis.call('HDEL', KEYS[i], ARGV[1])
  else
    redis.call('HSET', KEYS[i], ARGV[1], ARGV[i + 2])
    redis.call('PEXPIRE', KEYS[i], ARGV[2])
  end
  local all, others = redis.call('HGETALL', KEYS[i]), {}
  for j = 1, #all, 2 do
    if all[j] ~= ARGV[1] then
      others[#others + 1] = all[j]
      others[#others + 1] = all[j + 1]
    end
  end
  answer[i] = others
end
return answer
