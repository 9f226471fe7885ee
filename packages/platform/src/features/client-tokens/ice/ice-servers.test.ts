import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import { openSimulatedWorld } from '@jackfield/testkit';
import { credentialSeconds, iceServers } from './ice-servers.ts';

const secrets = createSecrets(new Uint8Array(32).fill(1));

test('RFC 2202 §3: the credentials are those of HMAC-SHA-1', () => {
  const key = 'Jefe';
  const expected = Buffer.from('effcdf6ae5eb2fa2d27416d5f184df9c259a7c79', 'hex').toString('base64');
  assert.equal(secrets.signSha1(key, 'what do ya want for nothing?'), expected);
});

test('a TURN server gets credentials that name the user and their end, as coturn computes them', () => {
  const turn = {
    urls: ['turn:turn.example.com:3478', 'turns:turn.example.com:443?transport=tcp'],
    secret: 'north',
  };
  const [server] = iceServers(turn, secrets, 'MA1', 1_700_000_000);
  const username = `${1_700_000_000 + credentialSeconds}:MA1`;
  assert.deepEqual(server, {
    urls: turn.urls,
    username,
    credential: createHmac('sha1', 'north').update(username).digest('base64'),
  });
  const [later] = iceServers(turn, secrets, 'MA1', 1_700_000_060);
  assert.notEqual(later!.credential, server!.credential);
});

test('without a TURN server the list is empty: no server is needed', async () => {
  const world = await openSimulatedWorld({ phones: 'none' });
  const { status, body } = await world.call('GET', 'IceServers/');
  await world.close();
  assert.deepEqual([status, body.ice_servers, body.ttl], [200, [], 43_200]);
});

test('the list names the account as the user', async () => {
  const turn = { urls: ['turn:192.0.2.9'], secret: 'north' };
  const world = await openSimulatedWorld({ settings: { turn }, phones: 'none' });
  const { body } = await world.call('GET', 'IceServers/');
  await world.close();
  const [{ urls, username, credential }] = body.ice_servers;
  assert.deepEqual(urls, ['turn:192.0.2.9']);
  assert.match(username, new RegExp(`^\\d{10}:${world.main.authId}$`));
  assert.equal(credential, createHmac('sha1', 'north').update(username).digest('base64'));
});
