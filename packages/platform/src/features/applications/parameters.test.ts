import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { anyCharacter } from '@jackfield/testkit/any-character';
import fc from 'fast-check';

const valid = { app_name: 'ivr', answer_url: 'https://example.com/' };

/** Values that no text parameter accepts. */
const noTexts: readonly unknown[] = [null, true, false, 0, 1.5, -1, [], ['a'], {}, { a: 1 }];
const noUrls = [
  'x',
  'example.com',
  '//example.com',
  'ftp://example.com/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'http://',
  'https:///a',
  'http:example.com',
  ' http://example.com',
  'http://example.com ',
  'http://exa mple.com',
  'http://example.com/\0',
  'http://example.com/\n',
  'http://example.com/\ud800',
  `http://example.com/${'a'.repeat(2030)}`,
];
const urls = [
  'http://a',
  'HTTPS://EXAMPLE.COM:8443/a?b=c&d=%20#ct=500&rc=3',
  'http://[2001:db8::1]/',
  'https://bücher.example/ü',
  `http://example.com/${'a'.repeat(2029)}`,
];
const noMethods = [...noTexts, '', 'PUT', 'POSTS', ' POST', 'G\u0130T'];
const noBooleans = [null, 0, 1, '', 'yes', 'tru', ' true', [], {}];

const refusedValues: Readonly<Record<string, readonly unknown[]>> = {
  app_name: [...noTexts, '', 'a b', 'a.b', 'é', 'a\0', 'a\n', '😀', 'a'.repeat(101), ' '],
  answer_url: [...noTexts, '', ...noUrls],
  hangup_url: [...noTexts, ...noUrls],
  fallback_answer_url: [...noTexts, ...noUrls],
  message_url: [...noTexts, ...noUrls],
  answer_method: noMethods,
  hangup_method: noMethods,
  fallback_method: noMethods,
  message_method: noMethods,
  default_number_app: noBooleans,
  default_endpoint_app: noBooleans,
  public_uri: noBooleans,
  log_incoming_messages: noBooleans,
  subaccount: [...noTexts, '', 'SA', 'XXAAAAAAAAAAAAAAAAAA', 'SAaaaaaaaaaaaaaaaaaa', 'SA\0AAAAAAAAAAAAAAAAA'],
};

const methods = ['GET', 'POST', 'get', 'Post'];
const booleans = [true, false, 'true', 'FALSE'];
const allowedValues: Readonly<Record<string, readonly unknown[]>> = {
  app_name: ['a', '-', '_', '0', 'Z'.repeat(100)],
  answer_url: urls,
  hangup_url: ['', ...urls],
  fallback_answer_url: ['', ...urls],
  message_url: ['', ...urls],
  answer_method: methods,
  hangup_method: methods,
  fallback_method: methods,
  message_method: methods,
  default_number_app: booleans,
  default_endpoint_app: booleans,
  public_uri: booleans,
  log_incoming_messages: booleans,
};

async function assertRefused(world: SimulatedWorld, path: string, body: object, parameter: string) {
  const answer = await world.call('POST', path, { body });
  assert.equal(answer.status, 400, JSON.stringify(body));
  assert.deepEqual(Object.keys(answer.body), ['api_id', 'error', 'error_code']);
  assert.ok(answer.body.error.startsWith(`${parameter} must be `), answer.body.error);
}

/** How a parameter is shown that was sent as `value`. */
function shownAs(parameter: string, value: unknown): readonly [string, unknown] {
  if (parameter.endsWith('_method')) return [parameter, String(value).toUpperCase()];
  if (parameter === 'hangup_url') return [parameter, value || valid.answer_url];
  if (!booleans.includes(value as string)) return [parameter, value];
  const name = parameter === 'default_number_app' ? 'default_app' : parameter;
  return [name, String(value).toLowerCase() === 'true'];
}

eachDatabase('Parameters of applications', (open) => {
  test('wrong types, lengths, characters and encodings are refused by name, and change nothing', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { app_id } = (await world.call('POST', 'Application/', { body: valid })).body;
    const path = `Application/${app_id}/`;
    const before = (await world.call('GET', path)).body;
    for (const [parameter, refused] of Object.entries(refusedValues)) {
      for (const value of refused) {
        await assertRefused(world, 'Application/', { ...valid, [parameter]: value }, parameter);
        await assertRefused(world, path, { app_name: 'changed', [parameter]: value }, parameter);
      }
    }
    assert.deepEqual({ ...(await world.call('GET', path)).body, api_id: before.api_id }, before);
    assert.equal((await world.call('GET', 'Application/')).body.meta.total_count, 1);
  });

  test('every allowed value is accepted and shown, by creation and by update', async () => {
    const world = await openSimulatedWorld({ database: open });
    const updated = (await world.call('POST', 'Application/', { body: valid })).body.app_id;
    for (const [parameter, allowed] of Object.entries(allowedValues)) {
      for (const value of allowed) {
        const body = { ...valid, [parameter]: value };
        const [name, shown] = shownAs(parameter, value);
        const created = await world.call('POST', 'Application/', { body });
        assert.equal(created.status, 201, JSON.stringify(body));
        const read = async (id: string) => (await world.call('GET', `Application/${id}/`)).body;
        assert.deepEqual((await read(created.body.app_id))[name], shown, parameter);
        assert.equal((await world.call('POST', `Application/${updated}/`, { body })).status, 202);
        assert.deepEqual((await read(updated))[name], shown, parameter);
      }
    }
  });

  test('a missing name or answer_url is named', async () => {
    const world = await openSimulatedWorld({ database: open });
    for (const parameter of ['app_name', 'answer_url']) {
      const body = Object.fromEntries(Object.entries(valid).filter(([name]) => name !== parameter));
      const answer = await world.call('POST', 'Application/', { body });
      assert.deepEqual([answer.status, answer.body.error], [400, `${parameter} parameter is missing`]);
    }
  });

  test('filters and pages out of range or out of the alphabet are refused', async () => {
    const world = await openSimulatedWorld({ database: open });
    for (const query of ['app_name=a', 'subaccount=x', 'limit=20', 'offset=0', 'unknown=1']) {
      assert.equal((await world.call('GET', `Application/?${query}`)).status, 200, query);
    }
    const wrong = {
      app_name: ['', '%25', 'a%20b', "'", '%0A', '%F0%9F%98%80', 'a'.repeat(101)],
      subaccount: ['', '%0A', 'a'.repeat(21)],
      limit: ['0', '21', '-1', '1.5', '', 'x', '9'.repeat(400)],
      offset: ['-1', '1.5', '', 'x', '1000000001'],
    };
    for (const [parameter, values] of Object.entries(wrong)) {
      for (const value of values) {
        const { status, body } = await world.call('GET', `Application/?${parameter}=${value}`);
        assert.equal(status, 400, `${parameter}=${value}`);
        assert.ok(body.error.startsWith(`${parameter} must be `), body.error);
      }
    }
    for (const query of ['app_name=a&app_name=b', 'app_name=%00', 'subaccount=%ff', 'app_name=%']) {
      assert.equal((await world.call('GET', `Application/?${query}`)).status, 400, query);
    }
  });

  test('unknown identifiers of any form are not found', async () => {
    const world = await openSimulatedWorld({ database: open });
    const odd = [
      '0',
      'x',
      '12345678901234567',
      '..%2F..',
      '%27%20OR%201=1--',
      '%F0%9F%98%80',
      'a'.repeat(2000),
    ];
    for (const id of odd) {
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        assert.equal((await world.call(method, `Application/${id}/`)).status, 404, `${method} ${id}`);
      }
    }
  });

  test('no body and no query is answered with a fault of the server, and only a valid request creates', async () => {
    const world = await openSimulatedWorld({ database: open });
    const first = (await world.call('POST', 'Application/', { body: valid })).body.app_id;
    const value = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.jsonValue(),
      fc.constantFrom('ivr', 'https://example.com/', 'GET', 'true', true, first, world.main.authId),
    );
    const names = [...Object.keys(refusedValues), 'cascade', 'new_endpoint_application', '__proto__'];
    const body = fc.record(Object.fromEntries(names.map((name) => [name, value])), {
      requiredKeys: [],
      noNullPrototype: true,
    });
    const plausible = fc
      .tuple(fc.constantFrom(...names), value)
      .map(([name, one]) => ({ ...valid, [name]: one }));
    // The first application stays, so that later requests can change it.
    const operation = fc.constantFrom<readonly ['POST' | 'GET' | 'DELETE', string]>(
      ['POST', ''],
      ['POST', ''],
      ['POST', `${first}/`],
      ['GET', ''],
      ['GET', `${first}/`],
      ['DELETE', '1/'],
    );
    const query = fc.dictionary(
      fc.constantFrom(...names, 'limit', 'offset'),
      fc.string({ unit: anyCharacter }),
    );
    let created = 1;
    await fc.assert(
      fc.asyncProperty(
        operation,
        fc.oneof(body, plausible, fc.jsonValue()),
        query,
        async ([method, path], sent, asked) => {
          const { statusCode, body: text } = await world.node.platform.http.inject({
            method,
            url: `/v1/Account/${world.main.authId}/Application/${path}`,
            query: asked,
            headers: {
              authorization: `Basic ${btoa(`${world.main.authId}:${world.main.authToken}`)}`,
              'content-type': 'application/json',
            },
            payload: JSON.stringify(sent),
          });
          assert.ok([200, 201, 202, 400, 404].includes(statusCode), `${method} ${path} ${text}`);
          assert.match(JSON.parse(text).api_id, /^[0-9a-f-]{36}$/);
          if (statusCode === 201) created += 1;
        },
      ),
      { numRuns: 300 },
    );
    assert.ok(created > 1, 'the plausible ones are tried too');
    assert.equal((await world.call('GET', 'Application/')).body.meta.total_count, created);
  });
});
