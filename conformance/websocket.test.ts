import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { WebSocketPhone } from './support/web-socket-phone.ts';

describe('SIP over WebSocket at /sip of the HTTP port', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  const phones: WebSocketPhone[] = [];

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(async () => {
    await platform.untilQuiet();
    // The server ends although sockets are open: it closes them.
    const late = await phone('late');
    await late.register();
    assert.equal(await platform.stop(), 0);
  });

  afterEach(() => {
    for (const each of phones.splice(0)) each.vanish();
  });

  const url = () => `${platform.httpUrl.replace(/^http/, 'ws')}/sip`;

  async function phone(name: string): Promise<WebSocketPhone & { username: string; endpointId: string }> {
    const password = `secret-${name}`;
    const endpoint = await platform.createEndpoint(name, password);
    const options = { url: url(), username: endpoint.username, password, domain: 'sip.localhost' };
    const connected = await WebSocketPhone.connect(options);
    phones.push(connected);
    return Object.assign(connected, endpoint);
  }

  const registered = (endpointId: string, is: boolean) =>
    platform.until(
      `sip_registered ${is}`,
      `Endpoint/${endpointId}/`,
      (body) => body.sip_registered === String(is),
    );

  it('a phone registers with digest, keeps alive, and a tab that is closed is registered no more', async () => {
    const alice = await phone('alice');
    assert.equal(await alice.register(), 200);
    const endpoint = await registered(alice.endpointId, true);
    assert.match(endpoint.sip_contact, /^sip:.*\.invalid;transport=ws/);
    assert.equal(await alice.keepAlive(), '\r\n');
    assert.equal((await platform.metrics('jackfield_sip_connections')).jackfield_sip_connections, 1);
    alice.vanish();
    await registered(alice.endpointId, false);
  });

  it('a refused upgrade is answered with a code, like every error of the port', async () => {
    for (const [path, subprotocol, status, code] of [
      ['/sip', 'xmpp', 400, 'invalid-parameter'],
      ['/elsewhere', 'sip', 404, 'not-found'],
    ] as const) {
      const refused = new WebSocket(url().replace(/\/sip$/, path), subprotocol);
      const [, response] = await once(refused, 'unexpected-response');
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const body = JSON.parse(Buffer.concat(chunks).toString());
      assert.deepEqual([response.statusCode, body.error_code], [status, code]);
      assert.match(body.api_id, /^[0-9a-f-]{36}$/);
      assert.match(response.headers['content-type'], /^application\/json/);
    }
  });

  it('a wrong password is refused', async () => {
    const { username } = await platform.createEndpoint('mallory', 'right');
    const options = { url: url(), username, password: 'wrong', domain: 'sip.localhost' };
    const mallory = await WebSocketPhone.connect(options);
    phones.push(mallory);
    assert.equal(await mallory.register(), 401);
  });

  it('one phone calls another: the INVITE reaches the socket of the binding, and BYE goes through both', async () => {
    const [bob, carol] = [await phone('bob'), await phone('carol')];
    assert.deepEqual([await bob.register(), await carol.register()], [200, 200]);
    carol.answersAt(await freePort());
    const call = bob.dial(carol.username, await freePort());
    await bob.events.until('an answer', (event) => event.type === 'answered' || event.type === 'ended');
    assert.deepEqual(
      bob.events.all.map(({ type }) => type),
      ['ringing', 'answered'],
    );
    assert.match(carol.events.all[0]?.from ?? '', new RegExp(bob.username));
    call.hangUp();
    const ended = await carol.events.until('the end', (event) => event.type === 'ended');
    assert.equal(ended.by, 'remote-bye');
    await bob.events.until('the end', (event) => event.type === 'ended');
  });

  it('the API calls a phone into a multiparty call and hangs up', async () => {
    const dave = await phone('dave');
    assert.equal(await dave.register(), 200);
    dave.answersAt(await freePort());
    const room = 'MultiPartyCall/name_websocket/';
    const participant = { role: 'agent', from: '+12025550000', to: dave.username };
    assert.equal((await platform.api('POST', `${room}Participant/`, participant)).status, 201);
    await platform.until('a participant who has joined', `${room}Participant/`, (body) =>
      body.objects?.some(({ status }: { status: string }) => status === 'joined'),
    );
    assert.equal((await platform.api('DELETE', room)).status, 204);
    assert.equal((await dave.events.until('the end', (event) => event.type === 'ended')).by, 'remote-bye');
  });

  it('a client without the subprotocol sip, or at another path, is refused in HTTP', async () => {
    for (const [path, protocol, status] of [
      ['/sip', 'xmpp', 400],
      ['/other', 'sip', 404],
    ] as const) {
      const socket = new WebSocket(`${new URL(path, url())}`, protocol);
      socket.on('error', () => undefined);
      const [, response] = await once(socket, 'unexpected-response');
      response.resume();
      assert.equal(response.statusCode, status);
    }
  });
});
