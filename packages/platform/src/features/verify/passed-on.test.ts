import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSimulatedMessageGateway, eachDatabase } from '@jackfield/testkit';
import { openVerifyWorld } from './testing/verify-world.ts';

eachDatabase('Sessions of a subaccount that is deleted without cascade', (open) => {
  /** An app of a subaccount, which both accounts may use. */
  async function openWorld() {
    const gateway = createSimulatedMessageGateway();
    const verify = await openVerifyWorld(open, { gateway });
    const { world } = verify;
    const branch = await world.subaccount();
    const app = { alias: 'shop', voice_fallback: true };
    const { app_uuid } = (await world.call('POST', 'Verify/App/', { body: app, as: branch })).body;
    return {
      ...verify,
      gateway,
      branch,
      app_uuid: app_uuid as string,
      pass: async () => (await world.call('DELETE', `Subaccount/${branch.authId}/`)).status,
      countOfBranch: async () =>
        (await verify.get(`Verify/Session/?subaccount=${branch.authId}`)).body.sessions.length,
    };
  }

  test('belong to the main account, which sends their codes again', async () => {
    const { begin, branch, app_uuid, pass, check, codeFor, countOfBranch } = await openWorld();
    const session = await begin({ app_uuid }, branch);
    assert.equal(await pass(), 204);
    assert.equal(await countOfBranch(), 0);
    assert.equal(await begin({ app_uuid }), session);
    assert.equal((await check(session, await codeFor())).status, 200);
  });

  test('keep their codes where the main account verifies the same number by the same app', async () => {
    const verify = await openWorld();
    const { world, gateway, branch, app_uuid, begin, check, codeFor, pass, countOfBranch } = verify;
    const ofBranch = await begin({ app_uuid }, branch);
    const codeOfBranch = await codeFor();
    const ofMain = await begin({ app_uuid });
    const codeOfMain = await codeFor();
    assert.equal(await pass(), 204);
    gateway.receipt({ message: 'm-1', status: 'delivered', errorCode: null });
    await world.advance(0);
    const { body } = await verify.get(`Verify/Session/${ofBranch}/`);
    assert.deepEqual([body.status, body.attempt_details[0].status], ['in-progress', 'delivered']);
    assert.equal(await begin({ app_uuid }), ofMain);
    assert.equal((await check(ofBranch, codeOfBranch)).status, 200);
    assert.equal((await check(ofMain, codeOfMain)).status, 200);
    assert.equal(await countOfBranch(), 0);
  });
});
