import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eachDatabase, onEmbeddedDatabase } from '@jackfield/testkit';
import type { NewRecording } from './index.ts';
import { exampleCallFields, exampleUuid } from './testing/example-recording.ts';
import { openRecordingsWorld, publicUrl, type RecordingsWorld, until } from './testing/recordings-world.ts';

/** Callbacks that the customer got at this URL, after the time to send them. */
async function callbacksAt({ world }: RecordingsWorld, url: string) {
  await world.advance(1_000);
  return world.customer.requests.filter((request) => request.url === url);
}

/** The account is deleted, with all that it has or with its recordings left to the main account. */
async function deleteAccount({ call }: RecordingsWorld, authId: string, cascade: boolean): Promise<void> {
  const { status, body } = await call('DELETE', `Subaccount/${authId}/?cascade=${cascade}`);
  assert.equal(status, 204, JSON.stringify(body));
}

/** Of a unit that fails, as a test brings it about. */
const loggedErrors = ['step not saved; it was undone'];

const callback: NonNullable<NewRecording['callback']> = {
  url: 'https://example.com/recorded',
  method: 'POST',
  fields: exampleCallFields,
  resource: 'call/call-1',
};

eachDatabase('Recordings', (open) => {
  test('an announced recording sends a numbered callback for each change, and for its end after a crash', async () => {
    const world = await openRecordingsWorld(open);
    const { recordings } = world;
    const target = { url: 'https://example.com/recorded', method: 'GET' } as const;
    const recording = await world.record({
      announcement: {
        of: 'MPCRecording',
        callback: target,
        fields: { MPCName: 'support', MPCUUID: exampleUuid },
        resource: 'multiparty-call/mpc-1',
      },
      members: [],
    });
    const member = { channel: 1, memberId: 7, callUuid: 'leg-7', role: 'agent' };
    recordings.changeMembers(recording, [member]);
    world.say(recording, 3000);
    await world.world.advance(2000);
    recordings.pause(recording);
    await world.world.advance(5000);
    recordings.resume(recording);
    await world.world.advance(1000);
    assert.equal((await world.events()).length, 3);
    // The state on disk at the kill.
    await until(() => world.sizeOf(`${recording}.wav`) > 44);
    await world.crash();
    const events = await world.events();
    assert.deepEqual(
      events.map(({ data, resource }) => [data.EventName, data.SequenceNumber, resource]),
      ['Initiated', 'Paused', 'Resumed', 'Completed'].map((event, index) => [
        `MPCRecording${event}`,
        index + 1,
        'multiparty-call/mpc-1',
      ]),
    );
    assert.deepEqual(
      (await callbacksAt(world, target.url)).map(({ method, fields }) => [method, fields.EventName]),
      events.map(({ data }) => ['GET', data.EventName]),
    );
    assert.deepEqual(
      events.map(({ data }) => [data.RecordingDuration, data.RecordingEndTime === '']),
      [
        [0, true],
        [2, true],
        [2, true],
        [3, false],
      ],
    );
    const { data } = events[1]!;
    assert.match(String(data.RecordingURL), new RegExp(`/Recording/${recording}\\.wav$`));
    assert.match(String(data.RecordingResourceURL), new RegExp(`/Recording/${recording}/$`));
    assert.deepEqual([data.RecordingUUID, data.RecordingFormat, data.MPCName], [recording, 'wav', 'support']);
    const { body } = await world.call('GET', `Recording/${recording}/`);
    assert.deepEqual(body.channels, [
      { channel: 1, member_id: '7', call_uuid: 'leg-7', role: 'agent', from_ms: 0, to_ms: 3000 },
    ]);
  });

  test('each change notifies the owner and emits an event; the callback goes with the end alone', async () => {
    const world = await openRecordingsWorld(open);
    const { recordings, main } = world;
    const { advance } = world.world;
    const began = world.world.now();
    const recording = await world.record({ callback, format: 'mp3' });
    world.say(recording, 2600);
    await advance(1000);
    recordings.retrack(recording, [{ said: ['other'], heard: [] }]);
    recordings.pause(recording);
    await advance(5000);
    recordings.resume(recording);
    await advance(1600);
    await world.stop(recording);

    const url = `${publicUrl}/v1/Account/${main.authId}/Recording/${recording}.mp3`;
    assert.equal(recordings.urlOf({ recording, account: main.authId, format: 'mp3' }), url);
    const times = { startedAt: began, endedAt: began + 7600 };
    assert.deepEqual(world.notices, [
      ['owner-1', { type: 'recording-begun', recording }],
      ['owner-1', { type: 'recording-paused', recording }],
      ['owner-1', { type: 'recording-resumed', recording }],
      [
        'owner-1',
        {
          type: 'recording-over',
          recording,
          url,
          outcome: 'completed',
          because: 'stopped',
          durationMs: 2600,
          ...times,
          fault: null,
        },
      ],
    ]);
    assert.deepEqual(
      world.files.commands.map((command) => [command.do, 'paused' in command ? command.paused : undefined]),
      [
        ['capture', undefined],
        ['capture', undefined],
        ['pause-capture', true],
        ['pause-capture', false],
        ['end-capture', undefined],
      ],
    );
    const events = await world.events();
    assert.deepEqual(
      events.map(({ type }) => type),
      ['recording.started', 'recording.paused', 'recording.resumed', 'recording.completed'],
    );
    const { account, resource, data } = events.at(-1)!;
    assert.deepEqual([account, resource], [main.authId, 'call/call-1']);
    const ended = {
      ...callback.fields,
      RecordUrl: url,
      RecordingID: recording,
      RecordingDuration: 3,
      RecordingDurationMs: 2600,
      RecordingStartMs: began,
      RecordingEndMs: began + 7600,
    };
    assert.deepEqual(data, ended);
    const [received, ...others] = await callbacksAt(world, callback.url);
    assert.deepEqual([received?.method, others], ['POST', []]);
    const texts = Object.entries(ended).map(([name, value]) => [name, String(value)]);
    assert.deepEqual(received?.fields, Object.fromEntries(texts));
    // Inputs after the end change nothing.
    recordings.stop(recording);
    recordings.pause(recording);
    await advance(1000);
    assert.equal((await world.events()).length, 4);
    assert.equal(world.live(), 0);
  });

  test('a recording ends at its max length by itself', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record({ maxSeconds: 10 });
    world.say(recording, 500);
    await world.world.advance(9_999);
    assert.equal(world.notices.length, 1);
    await world.world.advance(1);
    await until(() => world.notices.length === 2);
    const last = world.notices.at(-1)?.[1];
    assert.ok(last?.type === 'recording-over' && last.because === 'max-length' && last.durationMs === 500);
    assert.equal(world.world.node.platform.runner.census().recording?.timers, 0);
  });

  test('after a crash each live recording ends once, with the audio in its file', async () => {
    const world = await openRecordingsWorld(open);
    const whole = await world.record({ callback });
    world.say(whole, 2000);
    const lost = await world.record({ callback });
    const ended = await world.record();
    await world.stop(ended);
    const { recorder, directory } = world.files;
    const stats = async () => (await recorder.stats())?.writtenBytes ?? 0;
    while ((await stats()) < 32_000) await new Promise(setImmediate);
    rmSync(join(directory, `${lost}.wav`));
    // The last header was not written.
    truncateSync(join(directory, `${whole}.wav`), 44 + 1501 * 16);
    assert.equal((await world.events()).length, 4);

    await world.crash();
    const events = await world.events();
    assert.equal(events.length, 6);
    const endOf = (recording: string) => events.slice(4).find(({ data }) => data.RecordingID === recording);
    const completed = endOf(whole);
    assert.deepEqual([completed?.type, completed?.data.RecordingDurationMs], ['recording.completed', 1501]);
    const failed = endOf(lost);
    assert.deepEqual([failed?.type, failed?.data.RecordingDurationMs], ['recording.failed', 0]);
    assert.match(String(failed?.data.RecordingError), /ended before anything was written/);
    assert.equal(failed?.data.RecordingErrorCode, 'interrupted');
    const received = await callbacksAt(world, callback.url);
    const ofWhole = received.filter(({ fields }) => fields.RecordingID === whole);
    assert.deepEqual(
      ofWhole.map(({ method, fields }) => [method, fields.RecordingDurationMs]),
      [['POST', '1501']],
    );
    const { bytes } = await world.file(`${whole}.wav`);
    assert.equal(bytes.readUInt32LE(40), 1501 * 16);

    await world.crash();
    assert.equal((await world.events()).length, 6);
  });

  test('a file that cannot be written fails its recording alone, with the reason', async () => {
    const world = await openRecordingsWorld(open);
    const recording = randomUUID();
    mkdirSync(join(world.files.directory, `${recording}.wav`));
    await world.record({ recording, callback });
    const [[, notice] = []] = world.notices;
    assert.ok(
      notice?.type === 'recording-over' && notice.outcome === 'failed' && notice.because === 'failed',
    );
    assert.deepEqual(
      (await world.events()).map(({ type, data }) => [type, data.RecordingError, data.RecordingErrorCode]),
      [['recording.failed', 'a file with this name already exists', 'disk-failed']],
    );
    const lastType = async () => (await world.events()).at(-1)?.type;
    const other = await world.record();
    world.say(other, 100, 2);
    await until(() => world.notices.length === 3);
    assert.equal(await lastType(), 'recording.failed');
    const third = await world.record();
    await world.stop(third);
    assert.equal(await lastType(), 'recording.completed');
  });

  test('records and files are removed at the end of the retention time', async () => {
    const day = 86_400_000;
    const world = await openRecordingsWorld(open, { keepRecordingsMs: 30 * day });
    const { clock } = world.world;
    const began = clock.now();
    const old = await world.record();
    await world.stop(old);
    await clock.leap(20 * day);
    const young = await world.record();
    await world.stop(young);
    await clock.leap(9 * day);
    await world.world.advance(120_000);
    assert.equal(world.files.names().length, 2);
    await clock.leap(day);
    await until(async () => {
      await world.world.advance(60_000);
      return world.files.names().length === 1;
    });
    assert.deepEqual(world.files.names(), [`${young}.wav`]);
    assert.ok(clock.now() - began < 31 * day);
    const { body } = await world.call('GET', 'Recording/');
    assert.equal(body.meta.total_count, 1);
  });

  test('the deletion of a subaccount removes its recordings and their files, live ones included', async () => {
    const world = await openRecordingsWorld(open);
    const branch = await world.world.subaccount();
    const own = { account: branch.authId };
    const ended = await world.record(own);
    await world.stop(ended);
    const live = await world.record(own);
    const ours = await world.record();
    await world.stop(ours);
    await deleteAccount(world, branch.authId, true);
    await until(() => world.notices.filter(([, { type }]) => type === 'recording-over').length === 3);
    await world.world.advance(1500);
    await until(() => world.files.names().length === 1);
    assert.deepEqual(world.files.names(), [`${ours}.wav`]);
    const { body } = await world.call('GET', 'Recording/');
    assert.deepEqual(
      body.objects.map((each: { recording_id: string }) => each.recording_id),
      [ours],
    );
    const events = (await world.events()).filter(({ data }) => data.RecordingID === live);
    assert.equal(events.at(-1)?.type, 'recording.completed');
  });

  test('a removal that was committed before a crash removes its file soon after the next start', async () => {
    const world = await openRecordingsWorld(open);
    const branch = await world.world.subaccount();
    const recording = await world.record({ account: branch.authId });
    await world.stop(recording);
    await deleteAccount(world, branch.authId, true);
    await world.crash();
    assert.equal(world.files.names().length, 1);
    await world.world.advance(1_000);
    await until(() => world.files.names().length === 0);
  });

  test('recordings of a subaccount can pass to the main account', async () => {
    const world = await openRecordingsWorld(open);
    const branch = await world.world.subaccount();
    const recording = await world.record({ account: branch.authId });
    await world.stop(recording);
    await deleteAccount(world, branch.authId, false);
    const { body } = await world.call('GET', `Recording/${recording}/`);
    const { authId } = world.main;
    assert.equal(body.recording_url, `${publicUrl}/v1/Account/${authId}/Recording/${recording}.wav`);
    assert.equal((await world.file(new URL(body.recording_url).pathname)).status, 200);
  });
});

onEmbeddedDatabase('Recordings', (open) => {
  test('the end of the process completes live recordings', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record();
    world.say(recording, 300);
    await world.world.restart({ isGraceful: true });
    assert.equal((await world.events()).at(-1)?.type, 'recording.completed');
    const { body } = await world.call('GET', `Recording/${recording}/`);
    assert.equal(body.recording_duration_ms, '300.00000');
  });

  test('a second recording with the name of a live one is refused, and the first goes on', async () => {
    const world = await openRecordingsWorld(open, { loggedErrors });
    const recording = await world.record();
    await assert.rejects(world.record({ recording }));
    await world.stop(recording);
    await assert.rejects(world.record({ recording }));
    const events = await world.events();
    assert.equal(events.filter(({ type }) => type === 'recording.completed').length, 1);
  });
});

onEmbeddedDatabase('Recordings and a database that fails', (open) => {
  test('an end is announced once, when it is committed, and not before', async () => {
    const world = await openRecordingsWorld(open, { loggedErrors });
    const recording = await world.record({ callback });
    world.say(recording, 200);
    world.failCommits(3);
    const types = async () => (await world.events()).map(({ type }) => type);
    world.recordings.stop(recording);
    while (world.notices.length === 1) {
      assert.deepEqual(await types(), ['recording.started']);
      await world.world.advance(1000);
    }
    assert.deepEqual(await types(), ['recording.started', 'recording.completed']);
    const ends = world.notices.filter(([, { type }]) => type === 'recording-over');
    assert.equal(ends.length, 1);
    assert.equal((await callbacksAt(world, callback.url)).length, 1);
    const { body } = await world.call('GET', `Recording/${recording}/`);
    assert.equal(body.recording_duration_ms, '200.00000');
  });

  test('after minutes of database failures an opened recording begins, and a stopped one ends', async () => {
    const world = await openRecordingsWorld(open, {
      loggedErrors: [...loggedErrors, 'old records not removed; retried later'],
    });
    const minutes = async (isOver: () => boolean) => {
      while (!isOver()) await world.world.advance(1000);
    };
    const opening = world.record({ callback });
    await until(() => world.live() === 1);
    await world.world.node.platform.runner.idle();
    // More attempts than the kernel makes for an input.
    world.failCommits(100);
    await minutes(() => world.notices.length === 1);
    const recording = await opening;
    world.failCommits(100);
    world.recordings.stop(recording);
    await minutes(() => world.notices.length === 2);
    assert.deepEqual(
      (await world.events()).map(({ type }) => type),
      ['recording.started', 'recording.completed'],
    );
    assert.equal(world.live(), 0);
  });

  test('a recording whose record cannot be written does not begin', async () => {
    const world = await openRecordingsWorld(open, { loggedErrors });
    world.failCommits(1);
    await assert.rejects(world.record(), /disk is full/);
    assert.deepEqual([world.files.names(), world.files.commands, await world.events()], [[], [], []]);
  });
});
