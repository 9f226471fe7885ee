import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fromLinear } from '@jackfield/stream-kit';
import { BaresipPhone } from './support/baresip-phone.ts';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { StreamServer } from './support/stream-server.ts';

const skip = missing('python3', 'baresip', 'sox');
const password = 'secret-of-a-phone';
/** A second of a tone of −26 dB, then a second and a half of silence. */
const bursts = ['synth', '1', 'sine', '440', 'gain', '-26', 'pad', '0', '1.5', 'repeat', '30'];

/**
 * Frames above the default of `voice_activity_level`, −52 dB of full scale, are speech. A frame that is lost while the tone ends fades
 * away, and one near the limit may count as either: the detector also keeps a distance to the noise of the line.
 */
const [mayBeSpeechDb, isSpeechDb] = [-54, -48];
/** Three loud frames of the last four begin speech, and 300 ms of others end it (docs/guides/streams.md). */
const [onsetFrames, silenceFrames] = [3, 15];

interface Change {
  readonly track: string;
  readonly state: string;
  readonly timestamp: string;
}

/** Where speech begins and ends in the audio that a stream carried, when frames above this level are loud. */
function changesOf(frames: ReturnType<StreamServer['frames']>, leastDb: number): Change[] {
  const found: Change[] = [];
  const loud: boolean[] = [];
  let [isSpeaking, quietFrames] = [false, 0];
  for (const { event, media } of frames) {
    if (event !== 'media' || media.track !== 'inbound') continue;
    const samples = fromLinear(Buffer.from(media.payload, 'base64'));
    const power = samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length;
    loud.push(power > (32_767 * 10 ** (leastDb / 20)) ** 2);
    const recent = loud.at(-1) ? loud.slice(-4).filter(Boolean).length : 0;
    // A loud frame alone is a click.
    quietFrames = recent > 1 ? 0 : quietFrames + 1;
    const isChanged = isSpeaking ? quietFrames >= silenceFrames : recent >= onsetFrames;
    if (!isChanged) continue;
    isSpeaking = !isSpeaking;
    found.push({ track: 'inbound', state: isSpeaking ? 'start' : 'stop', timestamp: media.timestamp });
  }
  return found;
}

/**
 * Start and stop of each burst that has the length that the phone gave it, and the distance from the last burst, within three frames. A
 * machine that stands still takes a part of what the phone said with it.
 */
function wholeBursts(heard: readonly Change[]): (readonly [start: Change, stop: Change])[] {
  const time = ({ timestamp }: Change) => Number(timestamp);
  return heard.flatMap((stop, at) => {
    const [before, start] = [heard[at - 2], heard[at - 1]];
    if (before === undefined || start === undefined || stop.state !== 'stop') return [];
    const [burst, period] = [time(stop) - time(start), time(stop) - time(before)];
    // Reported from its third loud frame to its fifteenth quiet one.
    return Math.abs(burst - 1_240) <= 60 && Math.abs(period - 2_500) <= 60 ? [[start, stop] as const] : [];
  });
}

/** The change of the same kind that is nearest in time. */
function nearest(changes: readonly Change[], { state, timestamp }: Change): number {
  const distance = (at: number) => Math.abs(at - Number(timestamp));
  const times = changes.filter((each) => each.state === state).map((each) => Number(each.timestamp));
  return times.toSorted((a, b) => distance(a) - distance(b))[0] ?? Number.NaN;
}

/** The real server, a WebSocket server in another language, a foreign phone. */
describe('voice activity of a stream', { skip, timeout: 120_000 }, () => {
  let platform: PlatformProcess;
  let customer: CallbackReceiver;
  let sockets: StreamServer;
  let phone: BaresipPhone | undefined;
  let directory = '';

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'voice-activity-'));
    platform = await PlatformProcess.start();
    customer = await CallbackReceiver.start();
    sockets = await StreamServer.start();
  });

  after(() =>
    cleanUp(
      () => phone?.stop(),
      () => platform.untilQuiet(),
      () => sockets.stop(),
      () => customer.stop(),
      () => platform.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  /** The username of a phone that answers and plays the bursts. */
  async function callee(): Promise<string> {
    const soundFile = join(directory, 'bursts.wav');
    const made = spawnSync('sox', ['-n', '-r', '8000', '-c', '1', '-b', '16', soundFile, ...bursts]);
    assert.equal(made.status, 0, String(made.stderr));
    const { username } = await platform.createEndpoint('bob', password);
    phone = await BaresipPhone.start({
      registrar: platform.sipAddress,
      username,
      password,
      toneHz: 0,
      soundFile,
    });
    await phone.registered();
    return username;
  }

  it('follows its thresholds: one stream reports each burst, one joins them, one hears none, one has no activity', async () => {
    const username = await callee();
    const answer_url = customer.serve('/answer', '<Response><Wait length="60" silence="true"/></Response>');
    const { body: call } = await platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: username,
      answer_url,
    });
    await customer.asked('/answer');

    const start = async (path: string, fields: object) => {
      const resource = `Call/${call.request_uuid}/Stream/`;
      const { status, body } = await platform.api('POST', resource, {
        service_url: sockets.url(path),
        audio_track: 'both',
        ...fields,
      });
      assert.equal(status, 202, JSON.stringify(body));
      return sockets.connected(path);
    };
    const on = { voice_activity: true };
    const each = await start('/each', { ...on, voice_activity_silence: 300 });
    const joined = await start('/joined', { ...on, voice_activity_silence: 5000 });
    const deaf = await start('/deaf', { ...on, voice_activity_level: -20 });
    const unasked = await start('/unasked', {});

    const framesOf = (connection: number) =>
      sockets
        .frames(connection)
        .flatMap(({ event, speech }) => (event === 'speech' ? [speech as Change] : []));
    await sockets.frame(each, 'speech', () => wholeBursts(framesOf(each)).length >= 2);
    assert.equal((await platform.api('DELETE', `Call/${call.request_uuid}/`)).status, 204);
    for (const connection of [each, joined, deaf, unasked]) await sockets.closed(connection);

    const heard = framesOf(each);
    for (const [at, { track, state }] of heard.entries())
      assert.deepEqual([track, state], ['inbound', at % 2 === 0 ? 'start' : 'stop'], JSON.stringify(heard));
    const [early, late] = [mayBeSpeechDb, isSpeechDb].map((level) => changesOf(sockets.frames(each), level));
    for (const change of wholeBursts(heard).flat()) {
      const [from = 0, to = 0] = [nearest(early!, change), nearest(late!, change)].toSorted((a, b) => a - b);
      const isBetween = from <= Number(change.timestamp) && Number(change.timestamp) <= to;
      assert.ok(isBetween, `${change.state} at ${change.timestamp}, not from ${from} to ${to}`);
    }
    assert.deepEqual(
      framesOf(joined).map(({ state }) => state),
      ['start'],
    );
    assert.deepEqual(framesOf(deaf), []);
    assert.deepEqual(framesOf(unasked), []);
  });
});
