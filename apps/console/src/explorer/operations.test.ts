import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiDocument, filledRequest, operationsOf } from './operations.ts';

const document: ApiDocument = {
  paths: {
    '/healthz': { get: { summary: 'Health' } },
    '/v1/Account/{auth_id}/Call/{call_uuid}/Play/': {
      post: {
        operationId: 'playOnCall',
        summary: 'Play on a call',
        tags: ['Calls'],
        parameters: [
          { name: 'auth_id', in: 'path', required: true },
          { name: 'call_uuid', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'Idempotency-Key', in: 'header' },
          { name: 'loop', in: 'query', schema: { type: 'boolean' } },
        ],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Play' } } } },
      },
    },
  },
  components: {
    schemas: { Play: { properties: { urls: { type: 'string' } }, required: ['urls'] } as object },
  },
};

test('an operation below the account has its parameters of path, query and body in one form', () => {
  const [play, ...others] = operationsOf(document);
  assert.deepEqual(others, []);
  assert.deepEqual([play?.id, play?.method, play?.path], ['playOnCall', 'POST', 'Call/{call_uuid}/Play/']);
  assert.deepEqual(Object.keys(play?.schema.properties ?? {}), ['call_uuid', 'loop', 'urls']);
  assert.deepEqual(play?.schema.required, ['call_uuid', 'urls']);
});

test('the values of the form go to the path, the query or the body', () => {
  const [play] = operationsOf(document);
  assert.deepEqual(filledRequest(play!, { call_uuid: 'a/b', loop: true, urls: 'x' }), {
    path: 'Call/a%2Fb/Play/',
    query: { loop: 'true' },
    body: { urls: 'x' },
  });
});
