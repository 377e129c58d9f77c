-- Renews the places of some users on this node, removes those of connections it no longer has, and tells which are missing.
-- KEYS: places of each user
-- ARGV: this node, life of a place in ms, then for each user his connections here, joined by commas
-- Answer, for each user: the connections without a place, each followed by a comma
local prefix, answer = ARGV[1] .. '/', {}
for i = 1, #KEYS do
  local mine = {}
  for connection in string.gmatch(ARGV[i + 2], '%d+') do mine[connection] = true end
  for _, member in ipairs(redis.call('ZRANGE', KEYS[i], 0, -1)) do
    if string.sub(member, 1, #prefix) == prefix then
      local connection = string.sub(member, #prefix + 1)
      if mine[connection] then mine[connection] = nil else redis.call('ZREM', KEYS[i], member) end
    end
  end
  redis.call('PEXPIRE', KEYS[i], ARGV[2])
  local missing = ''
  for connection in pairs(mine) do missing = missing .. connection .. ',' end
  answer[i] = missing
end
return answer
