import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, openSimulatedWorld } from '@jackfield/testkit';

eachDatabase('The links of a list', (open) => {
  test('repeat the parameters that the operation knows, and no others', async () => {
    const world = await openSimulatedWorld({ database: open });
    for (const app_name of ['menu-one', 'menu-two']) {
      const body = { app_name, answer_url: 'http://127.0.0.1:8000/answer' };
      assert.equal((await world.call('POST', 'Application/', { body })).status, 201);
    }
    const { body } = await world.call('GET', 'Application/?app_name=menu&limit=1&cache_buster=7');
    const path = `/v1/Account/${world.main.authId}/Application/`;
    assert.equal(body.meta.next, `${path}?app_name=menu&limit=1&offset=1`);
  });
});
