import assert from 'node:assert/strict';
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { heardToneDb } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { patienceMs } from './support/patience.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { channelOf, inspect } from './support/recorded.ts';
import { mount, noMount, unmount } from './support/small-disk.ts';

/** A sandbox phone that answers and plays 1 kHz. */
const tonePhone = '+12025550109';
/** Four seconds: a WAV file with both sides of a call grows by 32 KB each second. */
const smallBytes = 128 * 1024;

const skip = missing('sox', 'mount') || noMount();

/** The real server, whose directory of recordings is a file system of 128 KB. */
describe('a full disk', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let receiver: CallbackReceiver;
  let directory: string;

  before(async () => {
    platform = await PlatformProcess.start();
    receiver = await CallbackReceiver.start();
    directory = join(platform.dataDir, 'recordings');
    assert.ok(mount(directory, smallBytes));
  });

  after(() =>
    cleanUp(
      () => platform.api('DELETE', 'Call/'),
      () => platform.untilQuiet(),
      () => receiver.stop(),
      () => unmount(directory),
      () => platform.stop(),
    ),
  );

  async function record(callUuid: string): Promise<string> {
    const { status, body } = await platform.api('POST', `Call/${callUuid}/Record/`, {
      file_format: 'wav',
      callback_url: receiver.url,
    });
    assert.equal(status, 202, JSON.stringify(body));
    return body.recording_id;
  }

  const eventsOf = async (type: string, recording: string) => {
    const { objects } = (await platform.api('GET', `Event/?type=${type}`)).body;
    return objects.filter(({ data }: { data: { RecordingID: string } }) => data.RecordingID === recording);
  };

  it('fails the recording with its reason and leaves a readable file; the call and the next recording go on', async () => {
    const answer_url = receiver.serve('/wait', '<Response><Wait length="100" silence="true"/></Response>');
    const { body } = await platform.api('POST', 'Call/', { from: '+12025550000', to: tonePhone, answer_url });
    await receiver.asked('/wait');
    const call: string = body.request_uuid;
    const recording = await record(call);

    const line = await platform.log.until('the failure', ({ message }) => message === 'recording failed');
    assert.deepEqual([line.recording, line.sentence], [recording, 'the disk is full']);
    const path = join(directory, `${recording}.wav`);
    let events: readonly { readonly data: Record<string, unknown> }[] = [];
    await platform.until('the event', 'Event/?type=recording.failed', async () => {
      events = await eventsOf('recording.failed', recording);
      return events.length > 0;
    });
    assert.deepEqual(
      events.map(({ data }) => data.RecordingError),
      ['the disk is full'],
    );
    const { size } = await stat(path);
    assert.ok(size > smallBytes / 2 && size <= smallBytes, `${size} bytes`);
    const { channels, sampleRate, seconds } = inspect(path);
    assert.deepEqual([channels, sampleRate, seconds * 32_000 <= size], [2, 8000, true]);
    assert.ok(seconds > 2, `${seconds} s`);
    const copy = join(platform.dataDir, 'copy.wav');
    await copyFile(path, copy);
    const sides = await Promise.all([1, 2].map((channel) => channelOf(copy, channel)));
    assert.equal(sides.filter((side) => heardToneDb(side, 1000, 0.5, seconds - 0.2) > -25).length, 1);

    // The call is live, and is recorded as soon as there is space.
    assert.equal((await platform.api('GET', `Call/${call}/?status=live`)).status, 200);
    assert.ok(mount(directory, 8 * 1024 * 1024, 'remount'));
    const second = await record(call);
    const grown = join(directory, `${second}.wav`);
    const limit = Date.now() + patienceMs;
    while ((await stat(grown).catch(() => ({ size: 0 }))).size < smallBytes) {
      assert.ok(Date.now() < limit, 'the second recording does not grow');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal((await platform.api('DELETE', `Call/${call}/Record/`)).status, 204);
    await platform.until(
      'the end',
      `Recording/${second}/`,
      (each) => Number(each.recording_duration_ms) > 3000,
    );
    assert.deepEqual(await eventsOf('recording.failed', second), []);
    assert.equal((await platform.api('DELETE', `Call/${call}/`)).status, 204);
    const faults = platform.log.all.filter(({ level }) => level === 'error' || level === 'fatal');
    assert.deepEqual(faults, []);
  });
});
