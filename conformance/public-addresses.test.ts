import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { TurnServer } from './support/turn-server.ts';
import { WebSocketPhone } from './support/web-socket-phone.ts';

const own = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'));

/** coturn answers STUN as well: over an address of an interface it sees that address, over loopback another. */
describe('a platform that asks coturn for its public address', {
  skip: missing('turnserver') || (own === undefined ? 'there is no interface but loopback' : false),
  timeout: 120_000,
}, () => {
  let stun: TurnServer;
  let platform: PlatformProcess;

  before(async () => {
    stun = await TurnServer.start('a-secret-that-is-not-used', own!.address);
    platform = await PlatformProcess.start({
      JACKFIELD_HTTP_HOST: '0.0.0.0',
      JACKFIELD_SIP_HOST: '127.0.0.1',
      JACKFIELD_STUN_SERVER: `${own!.address}:${stun.port}`,
      JACKFIELD_PUBLIC_ADDRESS: '127.0.0.3@127.0.0.96/29',
      JACKFIELD_WEBRTC_PORT: 'off',
    });
  });

  after(() =>
    cleanUp(
      () => platform?.untilQuiet(),
      () => platform?.stop(),
      () => stun?.stop(),
    ),
  );

  async function offerFor(localAddress: string): Promise<string> {
    const name = `at${localAddress.replaceAll('.', '')}`;
    const { username } = await platform.createEndpoint(name, 'secret');
    const { port } = new URL(platform.httpUrl);
    const phone = await WebSocketPhone.connect({
      url: `ws://127.0.0.1:${port}/sip`,
      username,
      password: 'secret',
      domain: 'sip.localhost',
      localAddress,
    });
    assert.equal(await phone.register(), 200);
    const body = { from: '+12025550000', to: username, role: 'agent' };
    assert.equal((await platform.api('POST', `MultiPartyCall/name_${name}/Participant/`, body)).status, 201);
    const { offer = '' } = await phone.events.until('the call', ({ type }) => type === 'invited');
    assert.equal((await platform.api('DELETE', `MultiPartyCall/name_${name}/`)).status, 204);
    phone.vanish();
    return offer;
  }

  it('logs what the server sees, and names it in SDP', async () => {
    const discovered = platform.log.all.find(({ message }) => message === 'public address discovered');
    assert.equal(discovered?.address, own!.address);
    assert.match(await offerFor('127.0.0.90'), new RegExp(`^c=IN IP4 ${own!.address}\r?$`, 'm'));
  });

  it('names the address of a network to its phones', async () => {
    assert.match(await offerFor('127.0.0.97'), /^c=IN IP4 127\.0\.0\.3\r?$/m);
  });
});
