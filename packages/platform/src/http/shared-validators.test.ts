import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSimulatedWorld } from '@jackfield/testkit';
import { compileWaiting, sharedValidators } from './shared-validators.ts';

const options = { customOptions: { coerceTypes: false as const } };
const name = (minLength: number) => ({
  type: 'object',
  properties: { name: { type: 'string', minLength } },
});

test('equal schemas of two interfaces have one validator, and each other schema has its own', () => {
  const first = sharedValidators({}, options);
  const second = sharedValidators({}, { ...options });
  const route = (schema: object) => ({ schema, method: 'POST', url: '/', httpPart: 'body' });
  const validator = first(route(name(2)));
  assert.equal(second(route(name(2))), validator);
  assert.notEqual(second(route(name(3))), validator);
  assert.deepEqual(
    [validator({ name: 'ab' }), validator({ name: 'a' }), second(route(name(3)))({ name: 'ab' })],
    [true, false, false],
  );
});

test('validators are not shared between interfaces whose validation has other settings', () => {
  const strict = sharedValidators({}, options);
  const coercing = sharedValidators({}, { customOptions: { coerceTypes: true } });
  const schema = { type: 'object', properties: { count: { type: 'integer' } } };
  assert.equal(strict({ schema })({ count: '1' }), false);
  assert.equal(coercing({ schema })({ count: '1' }), true);
});

test('a schema is compiled by its first use, and its errors are those of the last use', () => {
  const compile = sharedValidators({}, { customOptions: { allErrors: true } });
  const unused = compile({ schema: name(4) });
  const wrong = compile({ schema: { type: 'wrong' } });
  assert.throws(() => wrong({}), /invalid/);
  assert.throws(() => wrong({}), /wrong/, 'a refused schema stays refused');
  assert.equal(unused({ name: 'abc' }), false);
  assert.match(unused.errors?.[0]?.message ?? '', /4 characters/);
  assert.equal(unused({ name: 'abcd' }), true);
  assert.equal(unused.errors, null);
});

test('Ajv accepts the schema of every route, also of those that no request has used', async () => {
  const world = await openSimulatedWorld({ phones: 'none' });
  await world.api('GET', 'Endpoint/');
  assert.ok(compileWaiting() > 0, 'requests of no test need all schemas');
  assert.equal(compileWaiting(), 0);
  await world.close();
});
