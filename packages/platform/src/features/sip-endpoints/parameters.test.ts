import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { anyCharacter } from '@jackfield/testkit/any-character';
import fc from 'fast-check';

const valid = { username: 'alice', password: 'secret', alias: 'a' };

/** Values that every text parameter refuses. */
const noTexts: readonly unknown[] = [null, true, false, 0, 1.5, -1, [], ['a'], {}, { a: 1 }];

const refusedTexts: Readonly<Record<string, readonly string[]>> = {
  username: [
    '',
    '1abc',
    '_abc',
    'a b',
    'a-b',
    'é',
    'aé',
    'ａ',
    'a\0',
    'a\n',
    'a😀',
    'a'.repeat(26),
    ' a',
    'a ',
    '٣a',
  ],
  alias: ['', 'Test Account', 'a.b', 'é', 'a\0b', 'a\n', '😀', 'a'.repeat(101), ' ', 'a\u202e'],
  password: ['', '1234', 'x'.repeat(101), '12345\0', '12345\n', '12345\u0085', '12345\ud800', '😀😀😀😀'],
};

const allowedTexts: Readonly<Record<string, readonly string[]>> = {
  username: ['a', 'Z9', 'a'.repeat(25)],
  alias: ['a', '-', '_', '0', 'a'.repeat(100)],
  password: ['12345', 'x'.repeat(100), 'p ss w', 'pässwörd', '😀😀😀😀😀', '"\\/<>&'],
};

async function assertRefused(world: SimulatedWorld, path: string, body: object, parameter: string) {
  const answer = await world.call('POST', path, { body });
  assert.equal(answer.status, 400, JSON.stringify(body));
  assert.deepEqual(Object.keys(answer.body), ['api_id', 'error', 'error_code']);
  assert.ok(answer.body.error.startsWith(`${parameter} must be `), answer.body.error);
  return answer.body.error as string;
}

eachDatabase('Parameters of SIP endpoints', (open) => {
  for (const [parameter, refused] of Object.entries(refusedTexts)) {
    test(`${parameter}: wrong types, lengths, characters and encodings are refused by name`, async () => {
      const world = await openSimulatedWorld({ database: open });
      const { body } = await world.call('POST', 'Endpoint/', { body: valid });
      for (const value of [...noTexts, ...refused]) {
        const error = await assertRefused(world, 'Endpoint/', { ...valid, [parameter]: value }, parameter);
        if (parameter === 'password' && typeof value === 'string' && value !== '') {
          assert.ok(!error.includes(value), 'a password is never repeated');
        }
        if (parameter === 'username') continue;
        await assertRefused(world, `Endpoint/${body.endpoint_id}/`, { [parameter]: value }, parameter);
      }
      assert.equal((await world.call('GET', 'Endpoint/')).body.meta.total_count, 1);
    });

    test(`${parameter}: every allowed value is accepted`, async () => {
      const world = await openSimulatedWorld({ database: open });
      for (const value of allowedTexts[parameter]!) {
        const created = await world.call('POST', 'Endpoint/', { body: { ...valid, [parameter]: value } });
        assert.equal(created.status, 201, value);
        const read = await world.call('GET', `Endpoint/${created.body.endpoint_id}/`);
        assert.equal(read.status, 200);
      }
    });

    test(`${parameter}: the refusal of a missing value names it`, async () => {
      const world = await openSimulatedWorld({ database: open });
      const body = Object.fromEntries(Object.entries(valid).filter(([name]) => name !== parameter));
      const answer = await world.call('POST', 'Endpoint/', { body });
      assert.deepEqual([answer.status, answer.body.error], [400, `${parameter} parameter is missing`]);
    });
  }

  test('limit and offset: numbers and numeric texts in range, nothing else', async () => {
    const world = await openSimulatedWorld({ database: open });
    for (const query of ['limit=1', 'limit=20', 'offset=0', 'offset=999999999', 'limit=007', 'unknown=1']) {
      assert.equal((await world.call('GET', `Endpoint/?${query}`)).status, 200, query);
    }
    const bad = [
      '0',
      '21',
      '-1',
      '1.5',
      '1e1',
      '',
      'x',
      'NaN',
      '%20',
      '0x10',
      '9'.repeat(400),
      '%F0%9F%98%80',
    ];
    for (const value of bad) {
      const { status, body } = await world.call('GET', `Endpoint/?limit=${value}`);
      assert.equal(status, 400, value);
      assert.match(body.error, /^limit must be a whole number from 1 to 20, not /);
    }
    for (const value of ['-1', '1.5', '', 'x', '1000000001', '9'.repeat(400)]) {
      assert.equal((await world.call('GET', `Endpoint/?offset=${value}`)).status, 400, value);
    }
    for (const query of ['limit=1&limit=2', 'limit=%00', 'limit=%ff', 'limit=%', 'offset=%zz']) {
      assert.equal((await world.call('GET', `Endpoint/?${query}`)).status, 400, query);
    }
  });

  test('unknown identifiers of any form are not found', async () => {
    const world = await openSimulatedWorld({ database: open });
    const odd = [
      '0',
      'x',
      '12345678901234',
      '..%2F..',
      '%27%20OR%201=1--',
      '%F0%9F%98%80',
      'a'.repeat(2000),
      'null',
    ];
    for (const id of odd) {
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        assert.equal((await world.call(method, `Endpoint/${id}/`)).status, 404, `${method} ${id}`);
      }
    }
  });

  test('no body causes a 5xx answer, and only a valid body creates an endpoint', async () => {
    const world = await openSimulatedWorld({ database: open });
    const field = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.jsonValue(),
      fc.constantFrom('alice', 'secret'),
    );
    const body = fc.record(
      {
        username: field,
        password: field,
        alias: field,
        app_id: field,
        ['__proto__']: field,
        constructor: field,
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    let created = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, fc.jsonValue()), async (sent) => {
        const answer = await world.node.platform.http.inject({
          method: 'POST',
          url: `/v1/Account/${world.main.authId}/Endpoint/`,
          headers: {
            authorization: `Basic ${btoa(`${world.main.authId}:${world.main.authToken}`)}`,
            'content-type': 'application/json',
          },
          payload: JSON.stringify(sent),
        });
        assert.ok([201, 400].includes(answer.statusCode), answer.body);
        if (answer.statusCode === 201) created += 1;
        assert.match(answer.json().api_id, /^[0-9a-f-]{36}$/);
      }),
      { numRuns: 150 },
    );
    assert.equal((await world.call('GET', 'Endpoint/')).body.meta.total_count, created);
  });
});
