-- Puts a notice into a mailbox, once: a second one of the same id is the first.
-- KEYS: mailbox, the notice
-- ARGV: what it says, life of a notice in ms, notices a mailbox holds
-- Answer: where it lies
local lies = redis.call('GET', KEYS[2])
if not lies then
  local time = redis.call('TIME')
  local oldest = string.format('%.0f', time[1] * 1000 - ARGV[2])
  lies = redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[3], '*', 'notice', ARGV[1])
  redis.call('XTRIM', KEYS[1], 'MINID', oldest)
  redis.call('SET', KEYS[2], lies, 'PX', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return lies
