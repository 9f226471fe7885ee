import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fromMulaw } from '@jackfield/stream-kit';
import { type Sound, toneLevelDb } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RtpSocket } from './support/rtp-socket.ts';
import { Sipp } from './support/sipp.ts';

const skip = missing('sipp');
const password = 'silent-secret';
/** It plays 1 kHz: in speech there is every frequency, now and again as loud as a sprayer that is heard for a moment. */
const tone = '+12025550109';
const room = 'MultiPartyCall/name_silent/';
/** Of the sprayers: far from that tone, and where the music on hold has little. */
const sprayedHz = 3100;
/** Longer than the 5 s of silence after which another port of the latched address may take over. */
const silenceMs = 6000;
const inaudible = -60;
/** Two seconds, of each sprayer and then to each phone. */
const sprayedFrames = 100;

describe('phones that send nothing', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  const running: Sipp[] = [];
  const sockets: RtpSocket[] = [];

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(async () => {
    for (const socket of sockets) socket.close();
    await Promise.all(running.map((sipp) => sipp.stop()));
    try {
      await platform.untilQuiet();
    } finally {
      await platform.stop();
    }
  });

  async function open(address?: string): Promise<RtpSocket> {
    const socket = await RtpSocket.open(address);
    sockets.push(socket);
    return socket;
  }

  async function add(to: string): Promise<string> {
    const { status, body } = await platform.api('POST', `${room}Participant/`, {
      role: 'agent',
      from: '+12025550000',
      to,
      enter_sound: 'none',
      exit_sound: 'none',
      stay_alone: true,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.calls[0].call_uuid;
  }

  /** A phone in the multiparty call whose audio the test sends or withholds. */
  async function join(name: string) {
    const { username } = await platform.createEndpoint(name, password);
    const common = { remote: platform.sipAddress, user: username, password };
    const registered = await Sipp.start({ ...common, scenario: 'register' });
    running.push(registered);
    assert.deepEqual(await registered.finished(), { code: 0, errors: '' });
    const listener = await open();
    const keys = { rtp_port: String(listener.port) };
    const { port } = registered;
    const phone = await Sipp.start({ ...common, scenario: 'answer-hung-up-by-us', port, keys });
    running.push(phone);
    const call = await add(username);
    return { phone, listener, call, port: await listener.peer() };
  }

  it('a phone that is silent, muted or held keeps its leg: a sprayer of every media port from another address hears nothing and is not heard', async () => {
    const silent = await join('silent');
    const muted = await join('muted');
    const held = await join('held');
    for (const { listener, port } of [muted, held]) listener.speak(440, port);
    await during(400);
    for (const { listener } of [muted, held]) listener.fallSilent();
    await add(tone);
    const { body } = await platform.api('GET', `${room}Participant/`);
    const member = body.objects.find((each: { call_uuid: string }) => each.call_uuid === held.call);
    const hold = await platform.api('POST', `${room}Participant/${member.member_id}/`, { hold: true });
    assert.equal(hold.status, 202, JSON.stringify(hold.body));
    await during(silenceMs);

    const from = Date.now();
    const { first, last } = platform.rtpPorts;
    const sprayers: RtpSocket[] = [];
    for (let port = first; port <= last; port++) {
      const sprayer = await open('127.0.0.2');
      sprayer.speak(sprayedHz, port);
      sprayers.push(sprayer);
    }
    await sprayers.at(-1)!.spoken(sprayedFrames);
    await Promise.all(
      [silent, muted, held].map(({ listener }) => listener.received(listener.heard.length + sprayedFrames)),
    );
    for (const sprayer of sprayers) sprayer.fallSilent();
    const to = Date.now();

    assert.equal(sprayers.filter(({ heard }) => heard.length > 0).length, 0, 'no sprayer is sent anything');
    for (const { listener } of [silent, muted, held]) {
      const packets = listener.between(from + 200, to);
      assert.ok(packets.length > 60, `${packets.length} packets still reach the phone itself`);
      assert.ok(toneLevelDb(soundOf(packets), sprayedHz) < inaudible, 'and no sprayer is heard in them');
    }
    assert.equal((await platform.api('DELETE', room)).status, 204);
    for (const { phone } of [silent, muted, held]) {
      assert.deepEqual(await phone.finished(), { code: 0, errors: '' });
    }
  });
});

function soundOf(packets: readonly { readonly payload: Uint8Array }[]): Sound {
  return { sampleRate: 8000, samples: fromMulaw(Buffer.concat(packets.map(({ payload }) => payload))) };
}

/** The audio of a call takes its time: this is the length of the call under test, not a wait for something to happen. */
function during(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
