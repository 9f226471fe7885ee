import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { openVerifyWorld, recipient } from '../testing/verify-world.ts';

onEmbeddedDatabase('Receipts of verifications', (open) => {
  test('a receipt has recipient, time and channel of a verification, and the public key verifies it', async () => {
    const world = await openVerifyWorld(open);
    const session = await world.begin();
    const path = `Verify/Session/${session}/Receipt/`;
    const early = await world.get(path);
    assert.deepEqual([early.status, early.body.error], [409, 'only a verified session has a receipt']);
    await world.clock.advance(2_000);
    await world.check(session, await world.codeFor());
    const { body } = await world.get(path);
    assert.equal(body.keys_url, 'https://jackfield.example/.well-known/jwks.json');

    const served = await world.api.app.inject({ method: 'GET', url: '/.well-known/jwks.json' });
    const keys = served.json() as JSONWebKeySet;
    assert.deepEqual(Object.keys(keys.keys[0]!).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    // Read with another implementation of JWS and EdDSA.
    const { payload } = await compactVerify(body.receipt, createLocalJWKSet(keys));
    const claims = JSON.parse(new TextDecoder().decode(payload));
    const { body: shown } = await world.get(`Verify/Session/${session}/`);
    assert.deepEqual(claims, {
      iss: 'https://jackfield.example',
      aud: world.api.main.authId,
      sub: recipient,
      jti: session,
      iat: Math.floor(world.clock.now() / 1000),
      channel: 'sms',
      attempt_uuid: shown.attempt_details[0].attempt_uuid,
      app_uuid: shown.app_uuid,
      requested_at: Math.floor(world.clock.now() / 1000) - 2,
    });
    assert.equal(decodeProtectedHeader(body.receipt).typ, 'verification+jwt');
    const [head, , signature] = body.receipt.split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: '+14155550000' })).toString('base64url');
    await assert.rejects(compactVerify(`${head}.${forged}.${signature}`, createLocalJWKSet(keys)));
  });

  test('a receipt is visible to the accounts that see the session, and its key survives a restart', async () => {
    const world = await openVerifyWorld(open);
    const session = await world.begin();
    await world.check(session, await world.codeFor());
    const path = `Verify/Session/${session}/Receipt/`;
    assert.equal((await world.get(path, await world.api.subaccount())).status, 404);
    assert.equal((await world.get('Verify/Session/nothing/Receipt/')).status, 404);
    const { receipt } = (await world.get(path)).body;
    const again = await world.crash();
    assert.equal((await again.get(path)).body.receipt, receipt);
  });
});
