import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eachDatabase, onEmbeddedDatabase } from '@jackfield/testkit';
import type { NewRecording, RecordingsFeature } from './index.ts';
import { exampleCallFields, exampleUuid } from './testing/example-recording.ts';
import { closeWorldsAfterEach, openRecordingsWorld, publicUrl, until } from './testing/recordings-world.ts';

/** As at a start after the process was killed; resolves with the number of recordings that were taken over. */
async function restored(feature: RecordingsFeature): Promise<number> {
  const left = await feature.endIncarnation({ number: 0, token: '0', diedAt: (since) => since });
  await feature.restore();
  return left;
}

closeWorldsAfterEach();

const callback: NonNullable<NewRecording['callback']> = {
  url: 'https://example.com/recorded',
  method: 'POST',
  fields: exampleCallFields,
  resource: 'call/call-1',
};

eachDatabase('Recordings', (open) => {
  test('an announced recording sends a numbered callback for each change, and for its end after a crash', async () => {
    const world = await openRecordingsWorld(open);
    const { feature, clock } = world;
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
    feature.changeMembers(recording, [member]);
    world.say(recording, 3000);
    await world.runner.idle();
    await clock.advance(2000);
    feature.pause(recording);
    await world.runner.idle();
    await clock.advance(5000);
    feature.resume(recording);
    await world.runner.idle();
    await until(() => world.events.length === 3);
    // The state on disk at the kill.
    await until(() => world.sizeOf(`${recording}.wav`) > 44);
    const again = await world.crash();
    assert.equal(await restored(again.feature), 1);
    const callbacks = [...world.events, ...again.events];
    assert.deepEqual(
      callbacks.map(({ payload, callback, resource }) => [
        payload.EventName,
        payload.SequenceNumber,
        callback,
        resource,
      ]),
      ['Initiated', 'Paused', 'Resumed', 'Completed'].map((event, index) => [
        `MPCRecording${event}`,
        index + 1,
        target,
        'multiparty-call/mpc-1',
      ]),
    );
    assert.deepEqual(
      callbacks.map(({ payload }) => [payload.RecordingDuration, payload.RecordingEndTime === '']),
      [
        [0, true],
        [2, true],
        [2, true],
        [3, false],
      ],
    );
    const { payload } = callbacks[1]!;
    assert.match(String(payload.RecordingURL), new RegExp(`/Recording/${recording}\\.wav$`));
    assert.match(String(payload.RecordingResourceURL), new RegExp(`/Recording/${recording}/$`));
    assert.deepEqual(
      [payload.RecordingUUID, payload.RecordingFormat, payload.MPCName],
      [recording, 'wav', 'support'],
    );
    const { body } = await again.api.call('GET', `Recording/${recording}/`);
    assert.deepEqual(body.channels, [
      { channel: 1, member_id: '7', call_uuid: 'leg-7', role: 'agent', from_ms: 0, to_ms: 3000 },
    ]);
  });

  test('each change notifies the owner and emits an event; the callback goes with the end alone', async () => {
    const world = await openRecordingsWorld(open);
    const { feature, clock, api } = world;
    const began = clock.now();
    const recording = await world.record({ callback, format: 'mp3' });
    world.say(recording, 2600);
    await clock.advance(1000);
    feature.retrack(recording, [{ said: ['other'], heard: [] }]);
    feature.pause(recording);
    await clock.advance(5000);
    feature.resume(recording);
    await clock.advance(1600);
    await world.stop(recording);

    const url = `${publicUrl}/v1/Account/${api.main.authId}/Recording/${recording}.mp3`;
    assert.equal(feature.urlOf({ recording, account: api.main.authId, format: 'mp3' }), url);
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
        },
      ],
    ]);
    assert.deepEqual(
      world.commands.map((command) => [command.do, 'paused' in command ? command.paused : undefined]),
      [
        ['capture', undefined],
        ['capture', undefined],
        ['pause-capture', true],
        ['pause-capture', false],
        ['end-capture', undefined],
      ],
    );
    const account = api.main.authId;
    const about = { account, mainAccount: account, resource: 'call/call-1' };
    const named = { RecordUrl: url, RecordingID: recording };
    assert.deepEqual(
      world.events.map(({ type, callback: target }) => [type, target]),
      [
        ['recording.started', undefined],
        ['recording.paused', undefined],
        ['recording.resumed', undefined],
        ['recording.completed', { url: callback.url, method: 'POST' }],
      ],
    );
    assert.deepEqual(world.events.at(-1), {
      ...about,
      type: 'recording.completed',
      payload: {
        ...callback.fields,
        ...named,
        RecordingDuration: 3,
        RecordingDurationMs: 2600,
        RecordingStartMs: began,
        RecordingEndMs: began + 7600,
      },
      callback: { url: callback.url, method: 'POST' },
    });
    // Inputs after the end change nothing.
    feature.stop(recording);
    feature.pause(recording);
    await world.runner.idle();
    assert.equal(world.events.length, 4);
    assert.equal(world.runner.census().recording?.sessions, 0);
  });

  test('a recording ends at its max length by itself', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record({ maxSeconds: 10 });
    world.say(recording, 500);
    await world.clock.advance(9_999);
    assert.equal(world.notices.length, 1);
    await world.clock.advance(1);
    await until(() => world.notices.length === 2);
    const last = world.notices.at(-1)?.[1];
    assert.ok(last?.type === 'recording-over' && last.because === 'max-length' && last.durationMs === 500);
    assert.equal(world.clock.pending, 0);
  });

  test('after a crash each live recording ends once, with the audio in its file', async () => {
    const before = await openRecordingsWorld(open);
    const whole = await before.record({ callback });
    before.say(whole, 2000);
    const lost = await before.record({ callback });
    const ended = await before.record();
    await before.stop(ended);
    await until(() => before.events.length === 4);
    const stats = async () => (await before.recorder.stats())?.writtenBytes ?? 0;
    while ((await stats()) < 32_000) await new Promise(setImmediate);
    rmSync(join(before.directory, `${lost}.wav`));
    // The last header was not written.
    truncateSync(join(before.directory, `${whole}.wav`), 44 + 1501 * 16);

    const after = await before.crash();
    assert.equal(await restored(after.feature), 2);
    const byId = (recording: string) =>
      after.events.filter(({ payload }) => payload.RecordingID === recording);
    const [completed, ...others] = byId(whole);
    assert.deepEqual(
      [completed?.type, completed?.payload.RecordingDurationMs, others],
      ['recording.completed', 1501, []],
    );
    assert.deepEqual(completed?.callback, { url: callback.url, method: 'POST' });
    const [failed] = byId(lost);
    assert.deepEqual([failed?.type, failed?.payload.RecordingDurationMs], ['recording.failed', 0]);
    assert.match(String(failed?.payload.RecordingError), /ended before anything was written/);
    assert.equal(failed?.payload.RecordingErrorCode, 'interrupted');
    assert.equal(after.events.length, 2);
    const { bytes } = await after.file(`${whole}.wav`);
    assert.equal(bytes.readUInt32LE(40), 1501 * 16);

    const again = await after.crash();
    assert.equal(await restored(again.feature), 0);
    assert.deepEqual(again.events, []);
  });

  test('a file that cannot be written fails its recording alone, with the reason', async () => {
    const world = await openRecordingsWorld(open);
    const recording = randomUUID();
    mkdirSync(join(world.directory, `${recording}.wav`));
    await world.record({ recording, callback });
    const [[, notice] = []] = world.notices;
    assert.ok(
      notice?.type === 'recording-over' && notice.outcome === 'failed' && notice.because === 'failed',
    );
    assert.deepEqual(
      world.events.map(({ type, payload }) => [type, payload.RecordingError, payload.RecordingErrorCode]),
      [['recording.failed', 'there is a file of this name already', 'disk-failed']],
    );
    const other = await world.record();
    world.say(other, 100, 2);
    await until(() => world.notices.length === 3);
    assert.equal(world.events.at(-1)?.type, 'recording.failed');
    const third = await world.record();
    await world.stop(third);
    assert.equal(world.events.at(-1)?.type, 'recording.completed');
  });

  test('records and files are removed at the end of the retention time', async () => {
    const day = 86_400_000;
    const world = await openRecordingsWorld(open, { keepRecordingsMs: 30 * day, pruneEveryMs: day / 2 });
    await restored(world.feature);
    const began = world.clock.now();
    const old = await world.record();
    await world.stop(old);
    await world.clock.advance(20 * day);
    const young = await world.record();
    await world.stop(young);
    await world.clock.advance(9 * day);
    assert.equal(world.files().length, 2);
    while (world.files().length > 1) {
      // The timer of the next turn starts at the end of this turn.
      await until(() => world.clock.pending === 1);
      await world.clock.advance(day / 4);
    }
    assert.deepEqual(world.files(), [`${young}.wav`]);
    assert.ok(world.clock.now() - began < 35 * day);
    const { body } = await world.api.call('GET', 'Recording/');
    assert.equal(body.meta.total_count, 1);
  });

  test('the deletion of a subaccount removes its recordings and their files, live ones included', async () => {
    const world = await openRecordingsWorld(open);
    await restored(world.feature);
    const branch = await world.api.subaccount();
    const own = { account: branch.authId };
    const ended = await world.record(own);
    await world.stop(ended);
    const live = await world.record(own);
    const ours = await world.record();
    await world.stop(ours);
    await world.database.transact((write) => world.feature.resources.remove(write, branch.authId));
    await until(() => world.notices.filter(([, { type }]) => type === 'recording-over').length === 3);
    await world.clock.advance(1500);
    await until(() => world.files().length === 1);
    assert.deepEqual(world.files(), [`${ours}.wav`]);
    const { body } = await world.api.call('GET', 'Recording/');
    assert.deepEqual(
      body.objects.map((each: { recording_id: string }) => each.recording_id),
      [ours],
    );
    assert.equal(
      world.events.filter(({ payload }) => payload.RecordingID === live).at(-1)?.type,
      'recording.completed',
    );
  });

  test('a removal that was committed before a crash removes its file soon after the next start', async () => {
    const before = await openRecordingsWorld(open);
    const recording = await before.record();
    await before.stop(recording);
    await before.database.transact((write) => before.feature.resources.remove(write, before.api.main.authId));
    const after = await before.crash();
    assert.equal(after.files().length, 1);
    await restored(after.feature);
    await after.clock.advance(1_000);
    await until(() => after.files().length === 0);
  });

  test('recordings of a subaccount can pass to the main account', async () => {
    const world = await openRecordingsWorld(open);
    const branch = await world.api.subaccount();
    const recording = await world.record({ account: branch.authId });
    await world.stop(recording);
    await world.database.transact((write) =>
      world.feature.resources.passOn(write, branch.authId, world.api.main.authId),
    );
    const { body } = await world.api.call('GET', `Recording/${recording}/`);
    assert.equal(
      body.recording_url,
      `${publicUrl}/v1/Account/${world.api.main.authId}/Recording/${recording}.wav`,
    );
    assert.equal((await world.file(new URL(body.recording_url).pathname)).status, 200);
  });
});

onEmbeddedDatabase('Recordings', (open) => {
  test('close completes live recordings', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record();
    world.say(recording, 300);
    await world.feature.close();
    assert.equal(world.events.at(-1)?.type, 'recording.completed');
    assert.equal(
      (await world.api.call('GET', `Recording/${recording}/`)).body.recording_duration_ms,
      '300.00000',
    );
  });

  test('a second recording with the name of a live one is refused, and the first goes on', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record();
    await assert.rejects(world.record({ recording }));
    await world.stop(recording);
    await assert.rejects(world.record({ recording }));
    assert.equal(world.events.filter(({ type }) => type === 'recording.completed').length, 1);
  });
});

onEmbeddedDatabase('Recordings and a database that fails', (open) => {
  test('an end is announced once, when it is committed, and not before', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record({ callback });
    world.say(recording, 200);
    world.failCommits(3);
    world.feature.stop(recording);
    while (world.notices.length === 1) {
      assert.deepEqual(
        world.events.map(({ type }) => type),
        ['recording.started'],
      );
      await world.clock.advance(1000);
    }
    assert.deepEqual(
      world.events.map(({ type }) => type),
      ['recording.started', 'recording.completed'],
    );
    const ends = world.notices.filter(([, { type }]) => type === 'recording-over');
    assert.equal(ends.length, 1);
    assert.equal(
      (await world.api.call('GET', `Recording/${recording}/`)).body.recording_duration_ms,
      '200.00000',
    );
  });

  test('after minutes of database failures an opened recording begins, and a stopped one ends', async () => {
    const world = await openRecordingsWorld(open);
    const minutes = async (isOver: () => boolean) => {
      while (!isOver()) {
        await world.clock.advance(1000);
        await world.runner.idle();
      }
    };
    const opening = world.record({ callback });
    await until(() => world.runner.census().recording?.sessions === 1);
    await world.runner.idle();
    // More attempts than the kernel makes for an input.
    world.failCommits(100);
    await minutes(() => world.notices.length === 1);
    const recording = await opening;
    world.failCommits(100);
    world.feature.stop(recording);
    await minutes(() => world.notices.length === 2);
    assert.deepEqual(
      world.events.map(({ type }) => type),
      ['recording.started', 'recording.completed'],
    );
    assert.equal(world.clock.pending, 0);
  });

  test('a recording whose record cannot be written does not begin', async () => {
    const world = await openRecordingsWorld(open);
    world.failCommits(1);
    await assert.rejects(world.record(), /disk is full/);
    assert.deepEqual([world.files(), world.commands, world.events], [[], [], []]);
  });
});
