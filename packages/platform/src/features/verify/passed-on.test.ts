import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SmsOutcome } from '@jackfield/ports';
import { createSimulatedMessageGateway, eachDatabase } from '@jackfield/testkit';
import { openVerifyWorld } from './testing/verify-world.ts';

eachDatabase('Sessions of a deleted subaccount', (open) => {
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
      remove: async (cascade = false) =>
        (await world.call('DELETE', `Subaccount/${branch.authId}/`, { body: { cascade } })).status,
      countOfBranch: async () =>
        (await verify.get(`Verify/Session/?subaccount=${branch.authId}`)).body.sessions.length,
    };
  }

  test('belong to the main account, which sends their codes again', async () => {
    const { begin, branch, app_uuid, remove, check, codeFor, countOfBranch } = await openWorld();
    const session = await begin({ app_uuid }, branch);
    assert.equal(await remove(), 204);
    assert.equal(await countOfBranch(), 0);
    assert.equal(await begin({ app_uuid }), session);
    assert.equal((await check(session, await codeFor())).status, 200);
  });

  test('are called under the main account, on request and where a message does not arrive', async () => {
    const { world, gateway, branch, app_uuid, remove, ...verify } = await openWorld();
    const messages = ['+14155552671', '+14155552672'];
    for (const recipient of messages) await verify.begin({ app_uuid, recipient }, branch);
    assert.equal(await remove(), 204);
    gateway.receipt({ message: 'm-1', status: 'undelivered', errorCode: null });
    await world.advance(0);
    await verify.begin({ app_uuid, recipient: messages[1], channel: 'voice' });
    await world.advance(0);
    const calls = verify.dialled();
    assert.deepEqual(
      calls.map(({ callee }) => callee),
      messages,
    );
    for (const { leg } of calls) {
      assert.equal((await verify.get(`Call/${leg}/?status=live`)).status, 200);
      world.telephony.leave(leg);
    }
    await world.advance(0);
    for (const { leg } of calls) assert.equal((await verify.get(`Call/${leg}/`)).status, 200);
  });

  test('are gone with cascade, and no call follows a message that the gateway refuses later', async () => {
    const { world, gateway, branch, app_uuid, remove, ...verify } = await openWorld();
    const answer = Promise.withResolvers<SmsOutcome>();
    gateway.answerNext(answer.promise);
    const session = await verify.begin({ app_uuid }, branch);
    assert.equal(await remove(true), 204);
    answer.resolve({ accepted: false, errorCode: '11' });
    await world.advance(1_000);
    assert.equal((await verify.get(`Verify/Session/${session}/`)).status, 404);
    assert.deepEqual(verify.dialled(), []);
  });

  test('keep their codes where the main account verifies the same number by the same app', async () => {
    const verify = await openWorld();
    const { world, gateway, branch, app_uuid, begin, check, codeFor, remove, countOfBranch } = verify;
    const ofBranch = await begin({ app_uuid }, branch);
    const codeOfBranch = await codeFor();
    const ofMain = await begin({ app_uuid });
    const codeOfMain = await codeFor();
    assert.equal(await remove(), 204);
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
