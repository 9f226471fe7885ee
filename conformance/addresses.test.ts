import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RtpSocket } from './support/rtp-socket.ts';
import { Sipp } from './support/sipp.ts';

const skip = missing('sipp');
const password = 'address-secret';
const talker = '+12025550101';
const own = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'));

/** How a platform may be bound, and the address that it then gives to phones. */
const bindings = [
  { host: '0.0.0.0', reported: '127.0.0.1', environment: { JACKFIELD_PUBLIC_ADDRESS: '127.0.0.1' } },
  { host: '0.0.0.0', reported: own?.address ?? '127.0.0.1', environment: {} },
  ...(own === undefined ? [] : [{ host: own.address, reported: own.address, environment: {} }]),
];

describe('wherever the platform is bound', { skip, timeout: 180_000 }, () => {
  for (const { host, reported, environment } of bindings) {
    it(`bound to ${host} and known as ${reported}, a phone hears one of the sandbox`, async () => {
      const platform = await PlatformProcess.start({
        JACKFIELD_SIP_HOST: host,
        ...environment,
      });
      const listener = await RtpSocket.open();
      const phones: Sipp[] = [];
      try {
        const { username } = await platform.createEndpoint('phone', password);
        const remote = `${host === '0.0.0.0' ? '127.0.0.1' : host}:${platform.sipPort}`;
        const registered = await Sipp.start({ remote, scenario: 'register', user: username, password });
        phones.push(registered);
        assert.deepEqual(await registered.finished(), { code: 0, errors: '' });
        const phone = await Sipp.start({
          remote,
          scenario: 'answer-hang-up',
          user: username,
          password,
          port: registered.port,
          keys: { rtp_port: String(listener.port) },
        });
        phones.push(phone);
        for (const to of [talker, username]) {
          const { status } = await platform.api('POST', 'MultiPartyCall/name_bound/Participant/', {
            role: 'agent',
            from: '+12025550000',
            to,
            enter_sound: 'none',
            exit_sound: 'none',
            stay_alone: true,
          });
          assert.equal(status, 201);
        }
        assert.deepEqual(await phone.finished(), { code: 0, errors: '' });
        // µ-law: 0xff and 0x7f are silence; a voice is anything else.
        const voiced = listener.heard.filter(({ payload }) => payload.some((byte) => (byte & 0x7f) < 0x70));
        assert.ok(voiced.length > 5, `${voiced.length} of ${listener.heard.length} packets carry a voice`);
        await platform.api('DELETE', 'MultiPartyCall/name_bound/');
        await platform.untilQuiet();
      } finally {
        listener.close();
        await Promise.all(phones.map((each) => each.stop()));
        await platform.stop();
      }
    });
  }
});
