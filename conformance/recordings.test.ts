import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { type S3Server, startS3Server } from '@jackfield/testkit/s3-server';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { patienceMs } from './support/patience.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { channelOf, inspect, loudestDb, tonesOn } from './support/recorded.ts';
import { RegisteredPhones } from './support/registered-phones.ts';

const skip = missing('baresip', 'sox');
// Far apart: a tone that begins or breaks off within 50 ms is heard at frequencies near it as well, 200 Hz away above −45 dB.
const [annHz, bobHz, sueHz] = [700, 1300, 1900];
const tones = [annHz, bobHz, sueHz];
const basic = (platform: PlatformProcess) =>
  `Basic ${Buffer.from(`${platform.authId}:${platform.authToken}`).toString('base64')}`;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Multiparty calls of foreign phones; sox reads the files. */
describe('recordings of multiparty calls', { skip, timeout: 240_000 }, () => {
  let platform: PlatformProcess;
  let receiver: CallbackReceiver;
  let directory: string;
  const phones = new RegisteredPhones();

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'recordings-'));
    platform = await PlatformProcess.start();
    receiver = await CallbackReceiver.start();
  });

  after(() =>
    cleanUp(
      () => platform.untilQuiet(),
      () => receiver.stop(),
      () => platform.stop(),
      () => rm(directory, { recursive: true, force: true }),
    ),
  );

  afterEach(() => phones.stop());

  /** A phone in the multiparty call, and its member_id. */
  async function joined(room: string, name: string, toneHz: number, more: object = {}): Promise<string> {
    const { username } = await phones.start(platform, name, toneHz);
    const { status, body } = await platform.api('POST', `${mpc(room)}Participant/`, {
      role: 'agent',
      from: '+12025550000',
      to: username,
      stay_alone: true,
      enter_sound: 'none',
      exit_sound: 'none',
      status_callback_url: receiver.url,
      recording_callback_url: receiver.url,
      ...more,
    });
    assert.equal(status, 201, JSON.stringify(body));
    const [{ call_uuid: leg }] = body.calls;
    const path = `${mpc(room)}Participant/?call_uuid=${leg}`;
    const list = await platform.until(name, path, ({ objects }) => objects?.[0]?.status === 'joined');
    // Its voice comes a moment after its answer.
    await wait(400);
    return list.objects[0].member_id;
  }

  const mpc = (room: string) => `MultiPartyCall/name_${room}/`;

  async function record(
    path: string,
    fields: object,
  ): Promise<{ readonly id: string; readonly url: string }> {
    const { status, body } = await platform.api('POST', `${path}Record/`, fields);
    assert.equal(status, 202, JSON.stringify(body));
    return { id: body.recording_id, url: body.recording_url };
  }

  /** The file, once its recording is complete. */
  async function fileOf({ id, url }: { readonly id: string; readonly url: string }): Promise<string> {
    await platform.until('the end', `Recording/${id}/`, (body) => Number(body.recording_duration_ms) >= 0);
    const path = join(directory, url.slice(url.lastIndexOf('/') + 1));
    await writeFile(path, await platform.download(url));
    return path;
  }

  /** The names of the events of a call in the order of their arrival: recordings and the end alone. */
  const reported = (uuid: string) =>
    receiver.received.all
      .filter(({ fields, name }) => fields.get('MPCUUID') === uuid && /Recording|MPCEnd/.test(name))
      .map(({ name, fields }) => `${name} ${fields.get('SequenceNumber') ?? ''}`.trim());

  it('each has a voice on the channel that the API names, from when it comes to when it goes; the mix has all', async () => {
    const room = 'channels';
    const ann = await joined(room, 'ann', annHz);
    const whole = await record(mpc(room), { file_format: 'mp3' });
    const each = await record(`${mpc(room)}Participant/${ann}/`, { file_format: 'wav' });
    await wait(1500);
    const bob = await joined(room, 'bob', bobHz, { role: 'customer' });
    await wait(1500);
    // Coaches: ann alone hears her, and the recording has her voice all the same (docs/interface/multiparty-calls.md#recording).
    const sue = await joined(room, 'sue', sueHz, { role: 'supervisor', coach_mode: true });
    await wait(1500);
    await platform.api('DELETE', `${mpc(room)}Participant/${bob}/`);
    await wait(1500);
    const { mpc_uuid: uuid, recording } = (await platform.api('GET', mpc(room))).body;
    assert.equal(recording, 'recording');
    assert.equal((await platform.api('DELETE', mpc(room))).status, 204);

    const file = await fileOf(each);
    const { body } = await platform.api('GET', `Recording/${each.id}/`);
    const channels: { channel: number; member_id: string; from_ms: number; to_ms: number }[] = body.channels;
    assert.deepEqual(
      channels.map(({ channel, member_id }) => [channel, member_id]),
      [
        [1, ann],
        [2, bob],
        [3, sue],
      ],
    );
    const { channels: count, seconds } = inspect(file);
    assert.equal(count, 10, 'as many as may be in the call');
    assert.equal(Math.round(seconds * 1000), Number(body.recording_duration_ms));
    for (const { channel, from_ms, to_ms } of channels) {
      const sound = await channelOf(file, channel);
      const [own, others] = [tones[channel - 1]!, tones.filter((_, index) => index !== channel - 1)];
      const [from, to] = [from_ms / 1000, to_ms / 1000];
      assert.deepEqual(tonesOn(sound, [own], from + 0.6, to - 0.3), [own], `channel ${channel}`);
      assert.ok(to - from > 1.2, 'long enough to be heard');
      for (const tone of others) assert.deepEqual(tonesOn(sound, [tone], 0, seconds), []);
      // A tick, and the delay of the network and the jitter buffer.
      if (from > 0) assert.deepEqual(tonesOn(sound, [own], 0, from), []);
      if (to < seconds) assert.deepEqual(tonesOn(sound, [own], to + 0.1, seconds), []);
    }
    assert.deepEqual(tonesOn(await channelOf(file, 4), tones, 0, seconds), []);

    const mix = await channelOf(await fileOf(whole), 1);
    const end = channels[1]!.to_ms / 1000;
    const sueCame = channels[2]!.from_ms / 1000;
    assert.deepEqual(tonesOn(mix, tones, sueCame + 0.6, end - 0.3), tones);

    await receiver.received.until(
      'the end of the call',
      ({ name, fields }) => name === 'MPCEnd' && fields.get('MPCUUID') === uuid,
    );
    const names = reported(uuid);
    assert.equal(names.at(-1), 'MPCEnd', 'the callback comes after those of the recordings');
    assert.deepEqual(
      [...names].sort(),
      [
        'MPCEnd',
        'MPCRecordingCompleted 2',
        'MPCRecordingInitiated 1',
        'ParticipantRecordingCompleted 2',
        'ParticipantRecordingInitiated 1',
      ],
      'each exactly once',
    );
  });

  it('MP3 of a participant: its voice on the left, everybody else on the right; participant: one voice alone', async () => {
    const room = 'sides';
    const ann = await joined(room, 'ann2', annHz);
    await joined(room, 'bob2', bobHz);
    const { status, body } = await platform.api('POST', `MultiPartyCall/${room}/Participant/${ann}/Record/`, {
      record_track_type: 'both',
    });
    assert.equal(status, 202);
    await wait(2000);
    assert.equal((await platform.api('DELETE', `${mpc(room)}Participant/${ann}/Record/`)).status, 204);
    const [both, alone] = await Promise.all(
      body.recordings.map((each: { recording_id: string; recording_url: string }) =>
        fileOf({ id: each.recording_id, url: each.recording_url }),
      ),
    );
    assert.deepEqual([inspect(both!).channels, inspect(alone!).channels], [2, 1]);
    assert.deepEqual(tonesOn(await channelOf(both!, 1), tones, 0.5, 1.5), [annHz]);
    assert.deepEqual(tonesOn(await channelOf(both!, 2), tones, 0.5, 1.5), [bobHz]);
    assert.deepEqual(tonesOn(await channelOf(alone!, 1), tones, 0.5, 1.5), [annHz]);
    assert.equal((await platform.api('DELETE', mpc(room))).status, 204);
  });

  it('nothing of a pause is in the file, and its events carry the fields of recording callbacks', async () => {
    const room = 'paused';
    await joined(room, 'ann3', annHz);
    const bob = await joined(room, 'bob3', bobHz, { mute: true });
    const startedAt = performance.now();
    const recording = await record(mpc(room), { file_format: 'wav' });
    await wait(1200);
    assert.equal((await platform.api('POST', `${mpc(room)}Record/Pause/`)).status, 204);
    const pausedAt = performance.now();
    await platform.api('POST', `${mpc(room)}Participant/${bob}/`, { mute: false });
    await wait(1500);
    await platform.api('POST', `${mpc(room)}Participant/${bob}/`, { mute: true });
    // Bob's audio is still on its way.
    await wait(200);
    const resumedAt = performance.now();
    assert.equal((await platform.api('POST', `${mpc(room)}Record/Resume/`)).status, 204);
    await wait(1200);
    assert.equal((await platform.api('DELETE', `${mpc(room)}Record/`)).status, 204);
    // Without the pause of 1.7 s.
    const mostSeconds = (pausedAt - startedAt + performance.now() - resumedAt) / 1000 + 0.2;
    const file = await fileOf(recording);
    const sound = await channelOf(file, 1);
    const { seconds } = inspect(file);
    assert.ok(seconds > 2 && seconds < mostSeconds, `${seconds} s, at most ${mostSeconds} s`);
    assert.deepEqual(tonesOn(sound, [annHz], 0.5, seconds - 0.2), [annHz]);
    const leak = loudestDb(sound, bobHz, 0, seconds);
    assert.ok(leak < -45, `bob is in the file at ${leak.toFixed(0)} dB`);

    const { mpc_uuid: uuid } = (await platform.api('GET', mpc(room))).body;
    const completed = await receiver.received.until(
      'the end of the recording',
      ({ name, fields }) => name === 'MPCRecordingCompleted' && fields.get('RecordingUUID') === recording.id,
    );
    assert.deepEqual(reported(uuid), [
      'MPCRecordingInitiated 1',
      'MPCRecordingPaused 2',
      'MPCRecordingResumed 3',
      'MPCRecordingCompleted 4',
    ]);
    const { fields } = completed;
    assert.equal(fields.get('MPCName'), room);
    assert.equal(fields.get('RecordingFormat'), 'wav');
    assert.equal(fields.get('RecordingURL'), recording.url);
    assert.equal(fields.get('RecordingDuration'), String(Math.round(seconds)));
    for (const time of ['EventTimestamp', 'RecordingStartTime', 'RecordingEndTime'])
      assert.match(fields.get(time) ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00$/);
    assert.equal((await platform.api('DELETE', mpc(room))).status, 204);
  });

  it('kill -9 leaves a file that sox plays, and the callback of its end is sent after the restart, before that of the call', async () => {
    const room = 'killed';
    await joined(room, 'ann4', annHz, { record: true, record_file_format: 'wav' });
    const mine = `Recording/?mpc_name=${room}`;
    const list = await platform.until('the recording', mine, ({ objects }) => objects?.length === 1);
    const { recording_id: id, recording_url: url, mpc_uuid: uuid } = list.objects[0];
    const path = join(platform.dataDir, 'recordings', `${id}.wav`);
    await wait(2500);
    await platform.killAndRestart();
    const { seconds } = inspect(path);
    assert.ok(seconds > 1, `${seconds} s`);
    const port = new URL(platform.httpUrl).host;
    const file = await fileOf({ id, url: url.replace(new URL(url).host, port) });
    assert.deepEqual(tonesOn(await channelOf(file, 1), tones, 0.6, seconds - 0.2), [annHz]);
    await receiver.received.until(
      'the end of the call',
      ({ name, fields }) => name === 'MPCEnd' && fields.get('MPCUUID') === uuid,
    );
    assert.deepEqual(reported(uuid), ['MPCRecordingInitiated 1', 'MPCRecordingCompleted 2', 'MPCEnd']);
    await phones.stop();
  });
});

describe('recordings in an S3-compatible store', { skip: missing('sox'), timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let store: S3Server;
  let directory: string;
  let port: number;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'store-'));
    port = await freePort();
    store = await startS3Server(directory, port);
    platform = await PlatformProcess.start({
      JACKFIELD_RECORDINGS_S3_URL: store.access.url,
      JACKFIELD_RECORDINGS_S3_BUCKET: store.access.bucket,
      JACKFIELD_RECORDINGS_S3_KEY: store.access.key,
      JACKFIELD_RECORDINGS_S3_SECRET: store.access.secret,
    });
  });

  after(async () => {
    // First: it would keep this process alive if the platform had not started.
    await store.close();
    await platform.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** A recording of a second of the tone of a sandbox phone. */
  async function recorded(): Promise<{ readonly id: string; readonly url: string }> {
    const room = 'MultiPartyCall/name_stored/';
    await platform.api('POST', `${room}Participant/`, {
      role: 'agent',
      from: '+12025550000',
      to: '+12025550109',
      enter_sound: 'none',
    });
    await platform.until(
      'the phone',
      `${room}Participant/`,
      ({ objects }) => objects?.[0]?.status === 'joined',
    );
    const { body } = await platform.api('POST', `${room}Record/`, { file_format: 'wav' });
    await wait(1200);
    await platform.api('DELETE', room);
    const path = `Recording/${body.recording_id}/`;
    await platform.until('the end', path, ({ recording_duration_ms: ms }) => Number(ms) >= 0);
    return { id: body.recording_id, url: body.recording_url };
  }

  const onDisk = (id: string) => existsSync(join(platform.dataDir, 'recordings', `${id}.wav`));

  async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const limit = Date.now() + patienceMs;
    while (!(await isSo())) {
      if (Date.now() > limit) throw new Error(`${what} did not come`);
      await wait(50);
    }
  }

  async function inBucket(id: string): Promise<boolean> {
    const names = await readdir(directory, { recursive: true });
    return names.some((name) => name.includes(id));
  }

  it('a complete file moves to the store, leaves the disk, is served in parts to clients with credentials, and is deleted there', async () => {
    const { id, url } = await recorded();
    await until('the upload', () => !onDisk(id));
    assert.ok(await inBucket(id));
    const bytes = await platform.download(url);
    await writeFile(join(directory, 'whole.wav'), bytes);
    assert.ok(inspect(join(directory, 'whole.wav')).seconds > 0.8);
    const path = `${platform.httpUrl}${new URL(url).pathname}`;
    const headers = { authorization: basic(platform) };
    const part = await fetch(path, { headers: { ...headers, range: 'bytes=100-199' } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get('content-range'), `bytes 100-199/${bytes.length}`);
    assert.deepEqual(new Uint8Array(await part.arrayBuffer()), bytes.slice(100, 200));
    assert.equal((await fetch(path)).status, 401);
    const beyond = await fetch(path, { headers: { ...headers, range: `bytes=${bytes.length}-` } });
    assert.equal(beyond.status, 416);
    const head = await fetch(path, { method: 'HEAD', headers });
    assert.equal(head.headers.get('content-length'), String(bytes.length));
    assert.equal((await platform.api('DELETE', `Recording/${id}/`)).status, 204);
    assert.equal(await inBucket(id), false);
  });

  it('while the store is gone the file stays and is served; it is taken there later, also after a kill -9', async () => {
    await store.close();
    const { id, url } = await recorded();
    await platform.log.until('a warning', ({ message }) =>
      /could not be moved to its store/.test(String(message)),
    );
    assert.ok(onDisk(id));
    const bytes = await platform.download(url);
    assert.ok(bytes.length > 10_000);
    await platform.killAndRestart();
    assert.ok(onDisk(id));
    store = await startS3Server(directory, port);
    await until('the upload', () => !onDisk(id));
    const again = await platform.download(url.replace(new URL(url).host, new URL(platform.httpUrl).host));
    assert.deepEqual(again, bytes);
  });
});
