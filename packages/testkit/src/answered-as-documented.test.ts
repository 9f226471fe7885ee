import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GivenAnswer, judgeOf } from './answered-as-documented.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });

const judge = judgeOf({
  paths: {
    '/v1/Account/{auth_id}/Thing/': {
      get: {
        operationId: 'listThings',
        responses: {
          200: json(object({ objects: { type: 'array', items: ref('Thing') } })),
          404: json(ref('Error')),
        },
      },
      delete: { operationId: 'deleteThings', responses: { 204: {} } },
    },
    '/v1/Account/{auth_id}/Thing/{thing}/': {
      get: {
        operationId: 'retrieveThing',
        responses: {
          200: json({
            anyOf: [ref('Thing'), object({ open: { type: 'object', additionalProperties: text } })],
          }),
        },
      },
    },
    '/v1/Account/{auth_id}/Thing/{file}': {
      get: {
        operationId: 'fetchThing',
        parameters: [{ in: 'path', name: 'file', schema: { type: 'string', pattern: '[.]wav$' } }],
        responses: { 200: { content: { 'audio/wav': { schema: { type: 'string', format: 'binary' } } } } },
      },
    },
  },
  components: { schemas: { Thing: object({ name: text }), Error: object({ error: text }) } },
});

function judged(path: string, body: unknown, more: Partial<GivenAnswer> = {}): string | undefined {
  return judge({
    method: 'GET',
    url: `/v1/Account/MA1/${path}`,
    status: 200,
    contentType: 'application/json; charset=utf-8',
    text: body === undefined ? '' : JSON.stringify(body),
    ...more,
  });
}

test('an answer as documented has no fault, whichever alternative it is', () => {
  assert.equal(judged('Thing/?limit=1', { objects: [{ name: 'one' }] }), undefined);
  assert.equal(judged('Thing/7', { name: 'one' }), undefined);
  assert.equal(judged('Thing/7/', { open: { any: 'member' } }), undefined);
  assert.equal(judged('Thing/', undefined, { method: 'DELETE', status: 204 }), undefined);
  assert.equal(judged('Thing/a.wav', undefined, { contentType: 'audio/wav', text: 'RIFF' }), undefined);
});

test('a member that the schema does not name is a fault, however deep it stands', () => {
  assert.match(judged('Thing/', { objects: [{ name: 'one', colour: 'red' }] }) ?? '', /colour/);
  assert.match(judged('Thing/', { objects: [], more: 1 }) ?? '', /more/);
  assert.ok(judged('Thing/7/', { name: 'one', open: {} }));
});

test('a member that is missing or of another type is a fault', () => {
  assert.ok(judged('Thing/', { objects: [{}] }));
  assert.ok(judged('Thing/7/', { name: 7 }));
});

test('a status, a type and an operation that are not documented are faults', () => {
  assert.match(judged('Thing/', {}, { status: 202 }) ?? '', /status is not listed/);
  assert.match(judged('Thing/7/', {}, { contentType: 'text/plain' }) ?? '', /text\/plain/);
  assert.match(judged('Other/', {}) ?? '', /no such operation/);
  assert.match(judged('Thing/', { left: 1 }, { method: 'DELETE', status: 204 }) ?? '', /no body/);
});

test('a refusal at a path without an operation has the body of an error', () => {
  assert.equal(judged('Other/', { error: 'there is nothing' }, { status: 404 }), undefined);
  assert.ok(judged('Other/', { message: 'there is nothing' }, { status: 404 }));
});
