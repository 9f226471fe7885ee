import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fakeTimeLibrary } from './support/fake-time.ts';
import { PlatformProcess } from './support/platform-process.ts';

const library = fakeTimeLibrary();

describe('the wall clock of a real process is stepped', {
  skip: library === undefined ? 'libfaketime is not installed' : false,
  timeout: 180_000,
}, () => {
  let directory: string;
  let platform: PlatformProcess;
  const write = (by: string) => writeFile(join(directory, 'step'), `${by}\n`);

  /** Sets the wall clock; resolves when the process has seen it, as it does at the next request. */
  async function step(by: string, offsetMs: number): Promise<void> {
    await write(by);
    await platform.until('the step', 'Call/?status=live', () => {
      const seen = platform.log.all.findLast(({ message }) => message === 'The wall clock was stepped.');
      return Math.abs(Number(seen?.offsetMs ?? 0) - offsetMs) < 60_000;
    });
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-clock-'));
    await write('+0');
    platform = await PlatformProcess.start({
      LD_PRELOAD: library!,
      FAKETIME_TIMESTAMP_FILE: join(directory, 'step'),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
  });

  after(async () => {
    await platform?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function add(room: string, to: string, more: object = {}): Promise<string> {
    const { status, body } = await platform.api('POST', `MultiPartyCall/name_${room}/Participant/`, {
      role: 'agent',
      from: '+12025550000',
      to,
      ...more,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.calls[0].call_uuid;
  }

  const joined = (room: string) =>
    platform.until(
      'the phone',
      `MultiPartyCall/name_${room}/Participant/`,
      (body) => body.objects?.some(({ status }: { status: string }) => status === 'joined') === true,
    );
  const ended = (call: string) =>
    platform.until('the end of the call', `Call/${call}/`, (body) => typeof body.end_time === 'string');

  for (const [by, stepMs] of [
    ['+1d', 86_400_000],
    ['-1h', -3_600_000],
  ] as const) {
    it(`${by}: a live call is billed for the time that it lasted, and the next one has dates of the new time`, async () => {
      await step('+0', 0);
      const began = performance.now();
      const call = await add('stepped', '+12025550101');
      await joined('stepped');
      await step(by, stepMs);
      const next = await add('next', '+12025550101');
      await joined('next');
      assert.equal((await platform.api('DELETE', 'MultiPartyCall/name_stepped/')).status, 204);
      assert.equal((await platform.api('DELETE', 'MultiPartyCall/name_next/')).status, 204);
      const [record, after] = [await ended(call), await ended(next)];
      const lastedSeconds = (performance.now() - began) / 1000;
      for (const { bill_duration, answer_time, end_time } of [record, after]) {
        assert.ok(bill_duration >= 1 && bill_duration <= lastedSeconds + 1, JSON.stringify(record));
        assert.ok(Date.parse(end_time) >= Date.parse(answer_time));
      }
      const apartMs = Date.parse(after.end_time) - (Date.now() + stepMs);
      assert.ok(Math.abs(apartMs) < 60_000, `${after.end_time} is ${apartMs} ms from the wall clock`);
    });

    it(`${by}: a phone that rings is given up at its ring_timeout`, async () => {
      await step('+0', 0);
      const call = await add('ringing', '+12025550103', { ring_timeout: 5 });
      await step(by, stepMs);
      const { hangup_cause_code } = await ended(call);
      assert.equal(hangup_cause_code, 6010);
    });
  }
});
