import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, eachDatabase, openSimulatedWorld } from '@jackfield/testkit';
import { readBasic } from './authentication.ts';

test('RFC 7617 §2: the user-id ends at the first colon, the scheme is read in any case', () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  assert.deepEqual(readBasic(`Basic ${encoded('a:b:c')}`), { authId: 'a', authToken: 'b:c' });
  assert.deepEqual(readBasic(`BASIC  ${encoded('a:')}`), { authId: 'a', authToken: '' });
  const nothing = [
    undefined,
    '',
    'Basic',
    'Basic ',
    'Basic ???',
    `Bearer ${encoded('a:b')}`,
    'x'.repeat(5000),
  ];
  for (const header of [
    ...nothing,
    `Basic ${encoded('ab')}`,
    `Basic ${encoded(':b')}`,
    `Basic ${encoded('a\0:b')}`,
  ]) {
    assert.equal(readBasic(header), undefined, header);
  }
});

eachDatabase('Authentication', (open) => {
  test('a wrong token, an unknown account and a foreign path get the very same answer', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { authId, authToken } = world.main;
    const stranger = { authId: 'MAXXXXXXXXXXXXXXXXXX', authToken };
    const answers = [
      await world.call('GET', '', { headers: { authorization: '' } }),
      await world.call('GET', '', { as: { authId, authToken: `${authToken}x` } }),
      await world.call('GET', '', { as: { authId, authToken: '' } }),
      await world.call('GET', '', { as: stranger }),
      await world.call('GET', `/v1/Account/${stranger.authId}/`),
      await world.call('POST', '', { as: stranger, body: {} }),
    ];
    for (const { status, body, headers } of answers) {
      assert.equal(status, 401);
      assert.match(String(headers['www-authenticate']), /^Basic realm="/);
      assert.equal(body.error, answers[0]!.body.error);
      assert.deepEqual(Object.keys(body), ['api_id', 'error', 'error_code']);
    }
  });

  test('the body is not read before the account is known', async () => {
    const world = await openSimulatedWorld({ database: open });
    const answer = await world.node.platform.http.inject({
      method: 'POST',
      url: `/v1/Account/${world.main.authId}/Endpoint/`,
      headers: { 'content-type': 'application/json' },
      payload: '{bad',
    });
    assert.equal(answer.statusCode, 401);
  });

  test('tokens are stored sealed and hashed, never in plain text', async () => {
    const world = await openSimulatedWorld({ database: open });
    const branch = await world.subaccount();
    const rows = await world.node.database.read
      .withTables<{ accounts: Record<string, unknown> }>()
      .selectFrom('accounts')
      .selectAll()
      .execute();
    assert.equal(rows.length, 2);
    for (const token of [world.main.authToken, branch.authToken]) {
      assert.ok(!JSON.stringify(rows).includes(token));
    }
  });

  test('an address that fails too often is refused until its failures are old', async () => {
    const world = await openSimulatedWorld({
      database: open,
      settings: { httpLimits: { failedAuthentications: 3, failedAuthenticationsWindowMs: 60_000 } },
    });
    const wrong = { ...world.main, authToken: 'guess' };
    // A request without credentials, or for another account with right credentials, is no guess.
    for (let time = 0; time < 5; time += 1) {
      assert.equal((await world.call('GET', '', { headers: { authorization: '' } })).status, 401);
      assert.equal((await world.call('GET', '/v1/Account/MAXXXXXXXXXXXXXXXXXX/')).status, 401);
    }
    for (let time = 0; time < 3; time += 1)
      assert.equal((await world.call('GET', '', { as: wrong })).status, 401);
    await world.advance(59_000);
    const banned = await world.call('GET', '');
    assert.deepEqual([banned.status, banned.headers['retry-after']], [429, '1']);
    const elsewhere = await world.node.platform.http.inject({
      url: `/v1/Account/${world.main.authId}/`,
      remoteAddress: '192.0.2.9',
      headers: { authorization: basic(world.main) },
    });
    assert.equal(elsewhere.statusCode, 200);
    await world.advance(1000);
    assert.equal((await world.call('GET', '')).status, 200);
  });

  test('an account may send 300 requests in any 5 seconds, and every answer says how many are left', async () => {
    const world = await openSimulatedWorld({ database: open, settings: { httpLimits: { requests: 300 } } });
    const branch = await world.subaccount();
    const first = await world.call('GET', '');
    assert.deepEqual(
      ['limit', 'remaining', 'reset', 'policy'].map((name) => String(first.headers[`ratelimit-${name}`])),
      ['300', '298', '5', '300;w=5'],
    );
    const refused = await world.call('GET', 'Endpoint/?limit=99');
    assert.deepEqual([refused.status, refused.headers['ratelimit-remaining']], [400, '297']);
    for (let left = 296; left >= 0; left -= 1) {
      assert.equal((await world.call('GET', 'Endpoint/1/')).headers['ratelimit-remaining'], String(left));
    }
    await world.advance(1500);
    const tooMany = await world.call('GET', '');
    assert.deepEqual(
      [tooMany.status, tooMany.headers['retry-after'], tooMany.headers['ratelimit-remaining']],
      [429, '4', '0'],
    );
    assert.equal((await world.call('GET', '', { as: branch })).status, 200);
    await world.advance(3500);
    assert.equal((await world.call('GET', '')).status, 200);
  });
});
