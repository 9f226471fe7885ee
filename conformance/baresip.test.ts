import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type BaresipOptions, BaresipPhone } from './support/baresip-phone.ts';
import { cleanUp } from './support/clean-up.ts';
import { heardUntil, lengthOf, loudestToneDb, readWav, toneLevelDb } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RtpSocket } from './support/rtp-socket.ts';

const skip = missing('baresip', 'sox');
const room = 'MultiPartyCall/name_baresip/';

/** A phone's own tone at −12 dBFS arrives about as loud; a tone that must not be heard is at least 40 dB below. */
const audible = -20;
const inaudible = -60;

describe('baresip phones in a multiparty call', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  const phones: BaresipPhone[] = [];

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(() =>
    cleanUp(
      () => platform.untilQuiet(),
      () => platform.stop(),
    ),
  );

  afterEach(async () => {
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
  });

  async function phone(name: string, toneHz: number, options: Partial<BaresipOptions> = {}) {
    const password = `secret-${name}`;
    const endpoint = await platform.createEndpoint(name, password);
    const started = await BaresipPhone.start({
      registrar: platform.sipAddress,
      username: endpoint.username,
      password,
      toneHz,
      ...options,
    });
    phones.push(started);
    return { phone: started, ...endpoint };
  }

  async function add(username: string, role: string, more: object = {}) {
    const { status, body } = await platform.api('POST', `${room}Participant/`, {
      role,
      from: '+12025550000',
      to: username,
      enter_sound: 'none',
      exit_sound: 'none',
      ...more,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.calls[0].call_uuid as string;
  }

  const joined = (count: number) =>
    platform.until(`${count} participants`, `${room}Participant/`, (body) => body.objects?.length === count);

  /** Waits until a phone has heard each of these tones for two seconds, and is in its call for three. */
  const hears = (phone: BaresipPhone, ...tones: readonly number[]) =>
    heardUntil(
      phone,
      `${tones.join(' and ')} Hz`,
      (sound) => lengthOf(sound) >= 3 && tones.every((hz) => loudestToneDb(sound, hz, 2) > audible),
    );

  it('register with digest, are put into one call by the API, and each hears the other’s tone', async () => {
    const alice = await phone('alice', 440);
    const bob = await phone('bob', 700, { transport: 'tcp', codec: 'pcma' });
    await Promise.all([alice.phone.registered(), bob.phone.registered()]);

    const { body: endpoint } = await platform.api('GET', `Endpoint/${alice.endpointId}/`);
    assert.equal(endpoint.sip_registered, 'true');
    assert.match(endpoint.sip_user_agent, /baresip/);
    assert.match(endpoint.sip_contact, /^sip:.*@127\.0\.0\.1:\d+/);
    assert.match(endpoint.sip_expires, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

    await add(alice.username, 'agent');
    await add(bob.username, 'customer');
    await Promise.all([alice.phone.established(), bob.phone.established()]);
    await joined(2);
    await Promise.all([hears(alice.phone, 700), hears(bob.phone, 440)]);
    assert.equal((await platform.api('DELETE', room)).status, 204);
    await Promise.all([alice.phone.closed(), bob.phone.closed()]);

    const aliceHeard = await readWav(await alice.phone.heard());
    const bobHeard = await readWav(await bob.phone.heard());
    assert.ok(loudestToneDb(aliceHeard, 700, 2) > audible, 'Alice hears Bob');
    assert.ok(toneLevelDb(aliceHeard, 440, 1, 3) < inaudible, 'Alice does not hear herself');
    assert.ok(loudestToneDb(bobHeard, 440, 2) > audible, 'Bob hears Alice');
    assert.ok(toneLevelDb(bobHeard, 700, 1, 3) < inaudible, 'Bob does not hear himself');
  });

  for (const codec of ['g722', 'opus'] as const) {
    it(`a phone of ${codec} and two of G.711 hear one another, each at its own rate`, async () => {
      const wide = await phone('wide', 440, { codec });
      const bob = await phone('bob', 700);
      const carol = await phone('carol', 1200, { codec: 'pcma' });
      const all = [wide, bob, carol];
      await Promise.all(all.map((each) => each.phone.registered()));
      for (const each of all) await add(each.username, 'agent');
      await Promise.all(all.map((each) => each.phone.established()));
      await joined(3);
      const heard = [hears(wide.phone, 700, 1200), hears(bob.phone, 440), hears(carol.phone, 440)];
      await Promise.all(heard);
      assert.equal((await platform.api('DELETE', room)).status, 204);
      await Promise.all(all.map((each) => each.phone.closed()));

      const [wideHeard, bobHeard, carolHeard] = await Promise.all(
        all.map(async (each) => readWav(await each.phone.heard())),
      );
      assert.ok(wideHeard && bobHeard && carolHeard);
      assert.equal(wideHeard.sampleRate, codec === 'g722' ? 16_000 : 48_000);
      assert.ok(loudestToneDb(wideHeard, 700, 2) > audible, `${codec} hears Bob`);
      assert.ok(loudestToneDb(wideHeard, 1200, 2) > audible, `${codec} hears Carol`);
      assert.ok(toneLevelDb(wideHeard, 440, 1, 3) < inaudible, `${codec} does not hear itself`);
      for (const heard of [bobHeard, carolHeard]) {
        assert.ok(loudestToneDb(heard, 440, 2) > audible, `G.711 hears ${codec}`);
      }
      assert.ok(toneLevelDb(bobHeard, 700, 1, 3) < inaudible, 'Bob does not hear himself');
    });
  }

  it('a coaching supervisor is heard by the agent alone', async () => {
    const agent = await phone('agent', 440);
    const customer = await phone('customer', 700);
    const coach = await phone('coach', 1200);
    const all = [agent, customer, coach];
    await Promise.all(all.map((each) => each.phone.registered()));

    await add(agent.username, 'agent');
    await add(customer.username, 'customer');
    await add(coach.username, 'supervisor', { coach_mode: true });
    await Promise.all(all.map((each) => each.phone.established()));
    await joined(3);
    await Promise.all([hears(agent.phone, 1200), hears(customer.phone, 440), hears(coach.phone, 440, 700)]);
    assert.equal((await platform.api('DELETE', room)).status, 204);
    await Promise.all(all.map((each) => each.phone.closed()));

    const [agentHeard, customerHeard, coachHeard] = await Promise.all(
      all.map(async (each) => readWav(await each.phone.heard())),
    );
    assert.ok(agentHeard && customerHeard && coachHeard);
    assert.ok(loudestToneDb(agentHeard, 1200, 2) > audible, 'the agent hears the coach');
    assert.ok(toneLevelDb(customerHeard, 1200) < inaudible, 'the customer never hears the coach');
    assert.ok(loudestToneDb(customerHeard, 440, 2) > audible, 'the customer hears the agent');
    assert.ok(loudestToneDb(coachHeard, 440, 2) > audible, 'the coach hears the agent');
    assert.ok(loudestToneDb(coachHeard, 700, 2) > audible, 'the coach hears the customer');
  });

  it('audio that strangers send into every RTP port is heard in no call', async () => {
    const alice = await phone('alice', 440);
    const bob = await phone('bob', 700);
    await Promise.all([alice.phone.registered(), bob.phone.registered()]);
    await add(alice.username, 'agent');
    await add(bob.username, 'customer');
    await Promise.all([alice.phone.established(), bob.phone.established()]);
    await joined(2);
    // These strangers share the address of the phones: before a phone has sent, another port of its address may pass for it
    // (packages/media/src/rtp/latch.ts). From another address see silent-phones.test.ts.
    await seconds(1);
    const strangers: RtpSocket[] = [];
    for (let port = platform.rtpPorts.first; port < platform.rtpPorts.last; port += 2) {
      const stranger = await RtpSocket.open();
      stranger.speak(1000, port);
      strangers.push(stranger);
    }
    await seconds(3);
    await Promise.all([hears(alice.phone, 700), hears(bob.phone, 440)]);
    for (const stranger of strangers) stranger.close();
    assert.equal((await platform.api('DELETE', room)).status, 204);
    await Promise.all([alice.phone.closed(), bob.phone.closed()]);

    const aliceHeard = await readWav(await alice.phone.heard());
    const bobHeard = await readWav(await bob.phone.heard());
    for (const sound of [aliceHeard, bobHeard]) assert.ok(toneLevelDb(sound, 1000) < inaudible);
    assert.ok(loudestToneDb(aliceHeard, 700, 2) > audible, 'Alice hears Bob all the same');
    assert.ok(loudestToneDb(bobHeard, 440, 2) > audible, 'Bob hears Alice all the same');
    assert.ok(
      strangers.every(({ heard }) => heard.length === 0),
      'and no stranger hears anything',
    );
  });

  it('a wrong password is refused and the endpoint stays unregistered', async () => {
    const { username, endpointId } = await platform.createEndpoint('mallory', 'right-password');
    const mallory = await BaresipPhone.start({
      registrar: platform.sipAddress,
      username,
      password: 'wrong-password',
      toneHz: 440,
    });
    phones.push(mallory);
    await mallory.refused();
    const { body } = await platform.api('GET', `Endpoint/${endpointId}/`);
    assert.equal(body.sip_registered, 'false');
    assert.equal(body.sip_contact, undefined);
  });

  it('a phone calls the echo phone of the sandbox and hears its own tone come back', async () => {
    const { phone: alice } = await phone('echo', 500);
    await alice.registered();
    alice.dial(`sip:+12025550100@${platform.sipAddress}`);
    await alice.established();
    await hears(alice, 500);
    alice.hangUp();
    await alice.closed();
    assert.ok(loudestToneDb(await readWav(await alice.heard()), 500, 1.5) > audible);
  });
});

/** The audio of a call takes its time: this is the length of the call under test, not a wait for something to happen. */
function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000));
}
