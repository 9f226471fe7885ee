import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, openSimulatedWorld } from '@jackfield/testkit';
import { Type } from 'typebox';
import { accepted } from '../kernel/result.ts';
import { route } from './index.ts';
import { openShell } from './testing/shell.ts';

const aThing = { operation: 'See a thing', schema: {}, success: 200, run: async () => accepted({}) } as const;

eachDatabase('Documents', (open) => {
  test('the OpenAPI document shows each path of the routes, and no other', async () => {
    const thing = route({ ...aThing, method: 'GET', path: 'Thing/' });
    const one = route({
      ...aThing,
      method: 'DELETE',
      path: 'Thing/:thing_id/',
      operation: 'Remove a thing',
      schema: { params: Type.Object({ thing_id: Type.String() }) },
    });
    const receipts = { methods: ['GET'], path: '/receipts', run: () => accepted(undefined) } as const;
    const features = [{ name: 'Things', routes: [thing, one], open: [receipts] }];
    const { app } = await openShell(open, { features });
    const document = (await app.inject('/openapi.json')).json();
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(Object.keys(document.paths), [
      '/v1/Account/{auth_id}/',
      '/v1/Account/{auth_id}/Thing/',
      '/v1/Account/{auth_id}/Thing/{thing_id}/',
    ]);
  });

  test('the OpenAPI document shows each operation with its statuses', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const document = (await world.node.platform.http.inject('/openapi.json')).json();
    const create = document.paths['/v1/Account/{auth_id}/Endpoint/'].post;
    assert.deepEqual(Object.keys(create.responses), [
      '201',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
    const { properties, required } = create.requestBody.content['application/json'].schema;
    assert.deepEqual(required, ['username', 'password', 'alias']);
    assert.equal(properties.username.maxLength, 25);
    const operations = Object.values(
      document.paths as Record<string, Record<string, { operationId: string }>>,
    )
      .flatMap((path) => Object.values(path))
      .map(({ operationId }) => operationId);
    assert.ok(operations.length > 100, `${operations.length} operations`);
    assert.equal(new Set(operations).size, operations.length);
  });

  test('each tag of the OpenAPI document has an operation', async () => {
    const { app } = await openShell(open, { features: [{ name: 'Receipts', routes: [], open: [] }] });
    const { tags, paths } = (await app.inject('/openapi.json')).json();
    const used = Object.values(paths as Record<string, Record<string, { tags: string[] }>>)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => operation.tags);
    for (const { name } of tags) assert.ok(used.includes(name), name);
    assert.ok(tags.length > 0);
  });

  test('the page of the documents loads nothing from another host', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { http } = world.node.platform;
    const { statusCode, headers } = await http.inject('/docs');
    assert.deepEqual([statusCode, headers.location], [301, '/docs/']);
    const page = await http.inject('/docs/');
    assert.equal(page.statusCode, 200);
    assert.match(page.body, /<script src="js\/scalar\.js">/);
    assert.doesNotMatch(
      page.body.replace(/https?:\/\/(www\.)?w3\.org[^"]*/g, ''),
      /(src|href)="(https?:)?\/\//,
    );
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /https?:|\*/);
    const script = await http.inject('/docs/js/scalar.js');
    assert.deepEqual([script.statusCode, script.body.length > 100_000], [200, true]);
  });
});
