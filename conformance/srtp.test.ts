import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type BaresipOptions, BaresipPhone } from './support/baresip-phone.ts';
import { type CertificateOnDisk, createCertificate } from './support/certificates.ts';
import { cleanUp } from './support/clean-up.ts';
import {
  heardTone,
  heardToneDb,
  heardUntil,
  lengthOf,
  loudestToneDb,
  readWav,
  toneLevelDb,
} from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RtpSocket } from './support/rtp-socket.ts';

const skip = missing('openssl', 'baresip', 'sox');
/** A tone at −12 dBFS arrives about as loud; a tone that must not be heard is at least 40 dB below. */
const audible = -20;
const inaudible = -60;
const suites = 'SRTP AES_CM_128_HMAC_SHA1_80';

describe('baresip over TLS with SRTP, keys in SDP', { skip, timeout: 180_000 }, () => {
  let certificate: CertificateOnDisk;
  let platform: PlatformProcess;
  const phones: BaresipPhone[] = [];
  const trusted = getCACertificates('default');

  before(async () => {
    certificate = createCertificate('DNS:sip.localhost,DNS:localhost,IP:127.0.0.1');
    setDefaultCACertificates([...trusted, readFileSync(certificate.certFile, 'utf8')]);
    platform = await PlatformProcess.start({
      JACKFIELD_SIPS_PORT: '0',
      JACKFIELD_TLS_CERT: certificate.certFile,
      JACKFIELD_TLS_KEY: certificate.keyFile,
      JACKFIELD_PUBLIC_URL: 'https://localhost:8080',
      JACKFIELD_LOG_LEVEL: 'debug',
    });
  });

  after(() =>
    cleanUp(
      () => platform.untilQuiet(),
      async () => assert.equal(await platform.stop(), 0),
      () => certificate.remove(),
      () => setDefaultCACertificates(trusted),
    ),
  );

  afterEach(async () => {
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
  });

  async function phone(name: string, toneHz: number, options: Partial<BaresipOptions> = {}) {
    const password = `secret-${name}`;
    const endpoint = await platform.createEndpoint(name, password);
    const isSecure = options.transport !== 'udp';
    const started = await BaresipPhone.start({
      registrar: isSecure ? `127.0.0.1:${platform.sipsPort}` : platform.sipAddress,
      username: endpoint.username,
      password,
      toneHz,
      transport: 'tls',
      ...(isSecure ? { authorityFile: certificate.certFile } : {}),
      ...options,
    });
    phones.push(started);
    await started.registered();
    const registrar = isSecure ? `127.0.0.1:${platform.sipsPort};transport=tls` : platform.sipAddress;
    return { phone: started, uri: (user: string) => `sip:${user}@${registrar}`, ...endpoint };
  }

  type Phone = Awaited<ReturnType<typeof phone>>;

  async function call(caller: Phone, callee: Phone): Promise<void> {
    caller.phone.dial(caller.uri(callee.username));
    await Promise.all([caller.phone.established(), callee.phone.established()]);
  }

  async function hangUp(caller: Phone, callee: Phone): Promise<void> {
    caller.phone.hangUp();
    await Promise.all([caller.phone.closed(), callee.phone.closed()]);
  }

  /** The records of the last call's legs, the caller's first. */
  async function records() {
    await platform.untilQuiet();
    const { body } = await platform.api('GET', 'Call/?limit=2');
    const legs = body.objects as {
      call_uuid: string;
      call_direction: string;
      media_encryption: string | null;
      quality: {
        codec: string;
        mos: number;
        packets_received: number;
        packets_lost: number;
        packets_sent: number;
      } | null;
    }[];
    return legs.sort((one, other) => one.call_direction.localeCompare(other.call_direction));
  }

  /** Waits until the level of a tone in the last half second that a phone has heard is right. */
  function untilLastHeard({ phone: listener }: Phone, toneHz: number, isRight: (levelDb: number) => boolean) {
    return heardUntil(listener, `${toneHz} Hz as it must be at last`, (sound) => {
      const end = lengthOf(sound);
      return end >= 0.5 && isRight(heardToneDb(sound, toneHz, end - 0.5, end));
    });
  }

  for (const [callers, callees] of [
    ['srtp', 'srtp'],
    ['srtp-mand', 'srtp-mand'],
    ['srtp-mandf', 'srtp-mand'],
  ] as const) {
    it(`phones with mediaenc=${callers} and ${callees} hear each other, and their call records say how`, async () => {
      const alice = await phone('alice', 440, { srtp: callers });
      const bob = await phone('bob', 700, { srtp: callees });
      await call(alice, bob);
      // 150 packets, of which a phone that its machine does not run for a while sends fewer.
      await Promise.all([heardTone(alice.phone, 700, 3), heardTone(bob.phone, 440, 3)]);
      await hangUp(alice, bob);
      for (const { media_encryption, quality } of await records()) {
        assert.equal(media_encryption, suites);
        assert.equal(quality?.codec, 'PCMU');
        assert.ok(quality.mos > 4 && quality.packets_received > 90, JSON.stringify(quality));
        assert.ok(quality.packets_lost <= 2, JSON.stringify(quality));
      }
    });
  }

  for (const isCaller of [true, false]) {
    it(`a phone with SRTP ${isCaller ? 'calls' : 'is called by'} a phone in the clear on UDP, and they hear each other`, async () => {
      const alice = await phone('alice', 440, { srtp: 'srtp-mand' });
      const bob = await phone('bob', 700, { transport: 'udp' });
      const [caller, callee] = isCaller ? [alice, bob] : [bob, alice];
      await call(caller, callee);
      await Promise.all([heardTone(alice.phone, 700), heardTone(bob.phone, 440)]);
      await hangUp(caller, callee);
      const legs = (await records()).map(({ media_encryption }) => media_encryption);
      assert.deepEqual(legs, isCaller ? [suites, 'none'] : ['none', suites]);
    });
  }

  it('a phone on TLS that knows no SRTP is called in the clear', async () => {
    const alice = await phone('alice', 440);
    const bob = await phone('bob', 700, { srtp: 'srtp-mand' });
    await call(bob, alice);
    await Promise.all([heardTone(alice.phone, 700), heardTone(bob.phone, 440)]);
    await hangUp(bob, alice);
    assert.deepEqual(
      (await records()).map(({ media_encryption }) => media_encryption),
      [suites, 'none'],
    );
  });

  it('a phone that holds and takes back is heard again, and gets audio again', async () => {
    const alice = await phone('alice', 440, { srtp: 'srtp-mand' });
    const bob = await phone('bob', 700, { srtp: 'srtp-mand' });
    await call(alice, bob);
    // This phone writes nothing of what it hears after a hold.
    await untilLastHeard(alice, 700, (levelDb) => levelDb > audible);
    await untilLastHeard(bob, 440, (levelDb) => levelDb > audible);
    const heldAt = performance.now();
    alice.phone.hold();
    await untilLastHeard(bob, 440, (levelDb) => levelDb < inaudible);
    await seconds(1);
    alice.phone.resume();
    const resumedAtS = lengthOf(await untilLastHeard(bob, 440, (levelDb) => levelDb > audible));
    const heldS = (performance.now() - heldAt) / 1000;
    await heardUntil(bob.phone, '440 Hz for two seconds more', (sound) => {
      const end = lengthOf(sound);
      return end >= resumedAtS + 2 && heardToneDb(sound, 440, resumedAtS, end) > audible;
    });
    await hangUp(alice, bob);
    const legs = await records();
    for (const { media_encryption, quality } of legs) {
      assert.equal(media_encryption, suites);
      assert.ok(quality!.packets_lost <= 2, JSON.stringify(quality));
    }
    const [toAlice, toBob] = legs.map(({ quality }) => quality!.packets_sent) as [number, number];
    assert.ok(
      toBob - toAlice > 50,
      `nothing to a phone that holds for 1.5 s: ${toAlice} to Alice, ${toBob} to Bob`,
    );
    // Alice got all but what came in the hold: the two seconds after it as well.
    assert.ok(toBob - toAlice < (heldS + 0.5) * 50, `${toAlice} of ${toBob} packets, ${heldS} s of hold`);
  });

  it('packets that are not signed with the key of a leg are not heard, are counted, and move no audio', async () => {
    const alice = await phone('alice', 440, { srtp: 'srtp-mand' });
    const bob = await phone('bob', 700, { srtp: 'srtp-mand' });
    const before = await platform.metrics('jackfield_media_ended_legs');
    await call(alice, bob);
    const strangers: RtpSocket[] = [];
    for (let port = platform.rtpPorts.first; port < platform.rtpPorts.last; port += 2) {
      const stranger = await RtpSocket.open();
      strangers.push(stranger);
      stranger.speak(1800, port);
    }
    await Promise.all(strangers.map((stranger) => stranger.spoken(125)));
    for (const stranger of strangers) {
      assert.deepEqual(stranger.heard, []);
      stranger.close();
    }
    // On a busy machine the phones began to speak after the strangers.
    await Promise.all([heardTone(alice.phone, 700, 1.5), heardTone(bob.phone, 440, 1.5)]);
    await hangUp(alice, bob);
    for (const [listener, toneHz] of [
      [alice, 700],
      [bob, 440],
    ] as const) {
      const heard = await readWav(await listener.phone.heard());
      assert.ok(loudestToneDb(heard, toneHz, 1.5) > audible);
      assert.ok(toneLevelDb(heard, 1800, 0, 2.5) < inaudible);
    }
    await platform.untilQuiet();
    const name = 'jackfield_media_ended_legs_unauthenticated_dropped_total';
    const counted = await platform.metrics('jackfield_media_ended_legs');
    assert.ok((counted[name] ?? 0) - (before[name] ?? 0) >= 200, JSON.stringify(counted));
  });

  it('no key is in the log', async () => {
    for (const line of platform.log.all) assert.doesNotMatch(JSON.stringify(line), /inline:|a=crypto/i);
  });
});

const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));
