import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, openSimulatedWorld } from '@jackfield/testkit';
import { openApi } from './testing/api-world.ts';

eachDatabase('Documents', (open) => {
  test('the OpenAPI document shows each operation with its statuses, and no other path', async () => {
    const world = await openApi(open);
    const document = (await world.app.inject('/openapi.json')).json();
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(Object.keys(document.paths), [
      '/v1/Account/{auth_id}/',
      '/v1/Account/{auth_id}/Subaccount/',
      '/v1/Account/{auth_id}/Subaccount/{subaccount_id}/',
      '/v1/Account/{auth_id}/Application/',
      '/v1/Account/{auth_id}/Application/{app_id}/',
      '/v1/Account/{auth_id}/Endpoint/',
      '/v1/Account/{auth_id}/Endpoint/{endpoint_id}/',
      '/v1/Account/{auth_id}/Endpoint/{endpoint_id}/Registration/',
    ]);
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
    assert.equal(new Set(operations).size, operations.length);
  });

  test('each tag of the OpenAPI document has an operation', async () => {
    const world = await openApi(open, { routes: [{ name: 'Receipts', routes: [], open: [] }] });
    const { tags, paths } = (await world.app.inject('/openapi.json')).json();
    const used = Object.values(paths as Record<string, Record<string, { tags: string[] }>>)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => operation.tags);
    for (const { name } of tags) assert.ok(used.includes(name), name);
    assert.ok(tags.length > 0);
  });

  test('the page of the documents loads nothing from another host', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { http } = world.node.platform;
    const page = await http.inject('/docs/');
    assert.equal(page.statusCode, 200);
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
