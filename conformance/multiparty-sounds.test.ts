import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import type { BaresipPhone } from './support/baresip-phone.ts';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { heardUntil, lengthOf, readWav, type Sound, toneLevelDb } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RegisteredPhones } from './support/registered-phones.ts';
import { toneFile } from './support/tone-file.ts';

const skip = missing('baresip', 'sox');
const audible = -35;
const inaudible = -55;

// Tones of phones and of files: far apart, and no sum and no difference of each other.
const [annHz, bobHz] = [700, 900];
const tones = {
  wait: 1200,
  agentHold: 1560,
  customerHold: 1980,
  enter: 2340,
  exit: 2620,
  news: 3020,
} as const;
type Tone = keyof typeof tones;

/** Sounds of multiparty calls from a customer's server, as foreign phones hear them. */
describe('sounds of multiparty calls', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let server: CallbackReceiver;
  let directory: string;
  const urls = new Map<Tone, string>();
  const phones = new RegisteredPhones();

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sounds-'));
    platform = await PlatformProcess.start();
    server = await CallbackReceiver.start();
    for (const [name, hz] of Object.entries(tones)) {
      // MP3 for long music, WAV for short music.
      const isMusic = name === 'wait' || name === 'customerHold';
      const path = join(directory, `${name}.${isMusic ? 'mp3' : 'wav'}`);
      const type = isMusic ? 'audio/mpeg' : 'audio/wav';
      urls.set(name as Tone, server.serve(`/${name}`, { type, body: await toneFile(path, hz, 1.5) }));
    }
  });

  after(() =>
    cleanUp(
      () => platform.untilQuiet(),
      () => server.stop(),
      () => platform.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  afterEach(() => phones.stop());

  const baresip = (name: string, toneHz: number) => phones.start(platform, name, toneHz);

  const add = (room: string, to: string, more: object = {}) => addToRoom(platform, room, to, more);
  const joined = (room: string, count: number) => joinedRoom(platform, room, count);

  const order = async (method: string, path: string, body?: object) => {
    const answer = await platform.api(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  /** Waits until the recording of a phone has this much of a tone. */
  const hears = (phone: BaresipPhone, hz: number, seconds: number) =>
    heardUntil(phone, `${hz} Hz for ${seconds} s`, (sound) => secondsOf(sound, hz) >= seconds);

  const failures = (room: string) =>
    platform.until('the failure in the event stream', 'Event/?type=sound.failed', (body) =>
      (body.objects ?? []).some(
        (each: { type: string; data: { problem?: string } }) =>
          each.type === 'sound.failed' && each.data.problem?.includes(room),
      ),
    );

  it('wait music before the start, hold music of the role on hold, the sound of entering at the join', async () => {
    const [ann, bob] = [await baresip('ann', annHz), await baresip('bob', bobHz)];
    // The URL of the music returns a document: its prompts repeat.
    const document = `<Response><Play>${urls.get('agentHold')}</Play><Wait length="1"/></Response>`;
    await add('music', ann.username, {
      start_mpc_on_enter: false,
      wait_music_url: urls.get('wait'),
      agent_hold_music_url: server.serve('/hold.xml', document),
      customer_hold_music_url: urls.get('customerHold'),
    });
    await ann.phone.established();
    // Longer than the file, which then starts again.
    await hears(ann.phone, tones.wait, 3);
    await add('music', bob.username, {
      role: 'customer',
      enter_sound: urls.get('enter'),
      exit_sound: urls.get('exit'),
    });
    await joined('music', 2);
    await hears(ann.phone, tones.enter, 1);
    await hears(bob.phone, tones.enter, 1);
    const started = secondsOf(await hears(ann.phone, bobHz, 1), tones.wait);

    const room = 'MultiPartyCall/name_music/';
    const { objects } = await order('GET', `${room}Participant/`);
    const idOf = (role: string) =>
      objects.find((each: { role: string }) => each.role === role)?.member_id as string;
    await order('POST', `${room}Participant/${idOf('customer')}/`, { hold: true });
    await hears(bob.phone, tones.customerHold, 2);
    await order('POST', `${room}Participant/${idOf('agent')}/`, { hold: true });
    const held = secondsOf(await hears(ann.phone, tones.agentHold, 0.5), bobHz);
    const later = await hears(ann.phone, tones.agentHold, 2);
    assert.ok(secondsOf(later, bobHz) - held < 0.2, 'who is on hold hears nothing of the room');
    await order('POST', `${room}Participant/all/`, { hold: false });

    const spoken = await order('POST', `${room}Member/${idOf('agent')}/Play/`, { urls: urls.get('news') });
    assert.deepEqual(spoken.mpcMemberId, [idOf('agent')]);
    await hears(ann.phone, tones.news, 1);
    bob.phone.hangUp();
    const heard = await hears(ann.phone, tones.exit, 1);
    await order('DELETE', room);
    await ann.phone.closed();
    assert.ok(Math.abs(secondsOf(heard, tones.wait) - started) < 0.1, 'no wait music after the start');
    assert.ok(secondsOf(heard, tones.customerHold) < 0.1, 'the music of another role');
    const customer = await readWav(await bob.phone.heard());
    for (const other of ['wait', 'agentHold', 'news'] as const) {
      assert.ok(secondsOf(customer, tones[other]) < 0.1, `the customer hears ${other}`);
    }
  });

  it('a sound that cannot be fetched or decoded is silence and an event; no participant waits for it', async () => {
    const [ann, bob] = [await baresip('ann', annHz), await baresip('bob', bobHz)];
    const broken = server.serve('/broken', { type: 'audio/wav', body: new Uint8Array(500) });
    await add('silence', ann.username, {
      start_mpc_on_enter: false,
      wait_music_url: 'http://127.0.0.1:9/unreachable',
    });
    await ann.phone.established();
    await failures('/unreachable');
    await heardUntil(ann.phone, 'silence instead of music', (sound) => silentSeconds(sound) > 0.3);
    await add('silence', bob.username, { enter_sound: broken });
    await joined('silence', 2);
    const heard = await hears(ann.phone, bobHz, 1);
    await failures('/broken');
    for (const hz of Object.values(tones)) assert.ok(secondsOf(heard, hz) < 0.1, `${hz} Hz is heard`);
    await order('DELETE', 'MultiPartyCall/name_silence/');
  });
});

const windowS = 0.05;

/** The total time of a tone, in windows of 50 ms. */
function secondsOf(sound: Sound, hz: number): number {
  return windows(sound).filter((at) => toneLevelDb(sound, hz, at, at + windowS) > audible).length * windowS;
}

function silentSeconds(sound: Sound): number {
  const isSilent = (at: number) => {
    const from = Math.floor(at * sound.sampleRate);
    const samples = sound.samples.subarray(from, from + windowS * sound.sampleRate);
    return samples.every((sample) => Math.abs(sample) < 32768 * 10 ** (inaudible / 20));
  };
  return windows(sound).filter(isSilent).length * windowS;
}

function windows(sound: Sound): readonly number[] {
  const count = Math.floor(lengthOf(sound) / windowS);
  return Array.from({ length: count }, (_, index) => index * windowS);
}
