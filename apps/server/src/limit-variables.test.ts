import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from './config.ts';

function limitsOf(env: Readonly<Record<string, string>>, mode: 'dev' | 'production' = 'production') {
  const result = loadConfig({ env, mode });
  assert.ok(result.ok, JSON.stringify(result));
  return result.config.limits!;
}

test('this machine is trusted in the sandbox, and no source in production', () => {
  assert.deepEqual(limitsOf({}, 'dev').trustedSources, ['127.0.0.0/8', '::1']);
  assert.deepEqual(limitsOf({}).trustedSources, []);
  const named = { JACKFIELD_TRUSTED_SOURCES: '10.0.0.0/8, 2001:db8::7' };
  assert.deepEqual(limitsOf(named, 'dev').trustedSources, ['10.0.0.0/8', '2001:db8::7']);
});

test('limits are variables, and times are in seconds', () => {
  const limits = limitsOf({
    JACKFIELD_SIP_RATE: '5',
    JACKFIELD_SIP_BURST: '7',
    JACKFIELD_SIP_BAN_AFTER: '3',
    JACKFIELD_SIP_BAN_SECONDS: '0',
    JACKFIELD_SIP_STRANGER_SECONDS: '9',
    JACKFIELD_CALLS_PER_ACCOUNT: '11',
    JACKFIELD_EXTERNAL_CALLS: '0',
    JACKFIELD_EXTERNAL_CALLS_PER_ACCOUNT: '17',
    JACKFIELD_EXTERNAL_CALLS_PER_MINUTE: '19',
    JACKFIELD_HTTP_CONNECTIONS_PER_SOURCE: '13',
  });
  const { requestsPerSecond, requestBurst, failuresBeforeBan, banMs, callsPerAccount } = limits.defence;
  assert.deepEqual(
    [requestsPerSecond, requestBurst, failuresBeforeBan, banMs, callsPerAccount],
    [5, 7, 3, 0, 11],
  );
  const { externalCalls, externalCallsPerAccount } = limits.defence;
  assert.deepEqual([externalCalls, externalCallsPerAccount, limits.external.callsPerMinute], [0, 17, 19]);
  assert.deepEqual([limits.sip.strangerMs, limits.http.connectionsPerSource], [9000, 13]);
});

test('a wrong limit stops the start with its name, its value and what is allowed', () => {
  const wrong = {
    JACKFIELD_SIP_RATE: '0',
    JACKFIELD_SIP_BAN_SECONDS: '-1',
    JACKFIELD_EXTERNAL_CALLS: 'none',
    JACKFIELD_SIP_MESSAGE_BYTES: '1999',
    JACKFIELD_HTTP_CONNECTIONS: 'many',
    JACKFIELD_TRUSTED_SOURCES: '10.0.0.0/33',
  };
  const result = loadConfig({ env: wrong, mode: 'production' });
  assert.ok(!result.ok);
  for (const [name, value] of Object.entries(wrong)) {
    const problem = result.problems.find(({ variable }) => variable === name);
    assert.match(
      problem?.sentence ?? '',
      new RegExp(`^${name} must be .*, not "${value.replace('/', '\\/')}"$`),
    );
  }
});
