import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { openVerifyWorld, recipient } from '../testing/verify-world.ts';

onEmbeddedDatabase('Receipts of verifications', (open) => {
  test('a receipt has recipient, time and channel of a verification, and the public key verifies it', async () => {
    const { world, ...verify } = await openVerifyWorld(open);
    const session = await verify.begin();
    const path = `Verify/Session/${session}/Receipt/`;
    const early = await verify.get(path);
    assert.deepEqual([early.status, early.body.error], [409, 'only a verified session has a receipt']);
    await world.advance(2_000);
    await verify.check(session, await verify.codeFor());
    const { body } = await verify.get(path);
    assert.equal(body.keys_url, 'https://api.example.com/.well-known/jwks.json');

    const served = await world.node.platform.http.inject({ method: 'GET', url: '/.well-known/jwks.json' });
    const keys = served.json() as JSONWebKeySet;
    assert.deepEqual(Object.keys(keys.keys[0]!).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    // Read with another implementation of JWS and EdDSA.
    const { payload } = await compactVerify(body.receipt, createLocalJWKSet(keys));
    const claims = JSON.parse(new TextDecoder().decode(payload));
    const { body: shown } = await verify.get(`Verify/Session/${session}/`);
    assert.deepEqual(claims, {
      iss: 'https://api.example.com',
      aud: world.main.authId,
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
    const { world, ...verify } = await openVerifyWorld(open);
    const session = await verify.begin();
    await verify.check(session, await verify.codeFor());
    const path = `Verify/Session/${session}/Receipt/`;
    assert.equal((await verify.get(path, await world.subaccount())).status, 404);
    assert.equal((await verify.get('Verify/Session/nothing/Receipt/')).status, 404);
    const { receipt } = (await verify.get(path)).body;
    await world.restart();
    assert.equal((await verify.get(path)).body.receipt, receipt);
  });
});
