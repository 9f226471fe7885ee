import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cleanUp } from './support/clean-up.ts';
import { heardUntil, lengthOf, loudestToneDb, partOf } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { RegisteredPhones } from './support/registered-phones.ts';
import { failThread, reachable } from './support/thread-fault.ts';

const audible = -35;

/** A media thread of the real server fails while phones talk. */
describe('the death of a media worker', { skip: missing('baresip', 'sox'), timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  const phones = new RegisteredPhones();

  before(async () => {
    platform = await PlatformProcess.start({ JACKFIELD_MEDIA_WORKERS: '2', ...reachable });
  });

  after(() =>
    cleanUp(
      () => phones.stop(),
      () => platform.untilQuiet(),
      () => platform.stop(),
    ),
  );

  async function roomOf(name: string, first: number, second: number) {
    const members = await Promise.all(
      [first, second].map((hz) => phones.start(platform, `${name}${hz}`, hz)),
    );
    const legs: string[] = [];
    for (const { username } of members) legs.push(...(await addToRoom(platform, name, username)));
    await joinedRoom(platform, name, 2);
    return { name, members: members.map(({ phone }) => phone), legs, tones: [second, first] };
  }
  type Room = Awaited<ReturnType<typeof roomOf>>;

  const record = async (leg: string) => (await platform.api('GET', `Call/${leg}/`)).body;

  /** Each phone of the room hears the other one in what it hears from now on. */
  const assertTheyHear = ({ name, members, tones }: Room) =>
    Promise.all(
      members.map(async (phone, index) => {
        const from = lengthOf(await heardUntil(phone, `anything in ${name}`, () => true));
        // In some second: the one behind the answer, and one in which the machine stood still, has gaps.
        await heardUntil(
          phone,
          `${tones[index]} Hz in ${name}`,
          (sound) => loudestToneDb(partOf(sound, from, lengthOf(sound)), tones[index]!, 1) > audible,
        );
      }),
    );

  it('its legs end with 5010, those of the other worker go on, and its successor carries the next room', async () => {
    const rooms = [await roomOf('one', 700, 900), await roomOf('two', 1300, 1660)];
    await Promise.all(rooms.map(assertTheyHear));

    await failThread(platform, 'media');
    const died = await platform.log.until('the death', ({ worker }) => worker !== undefined);
    const lost = rooms[Number(died.worker)]!;
    const other = rooms[1 - Number(died.worker)]!;
    await Promise.all(lost.members.map((phone) => phone.closed()));
    for (const leg of lost.legs) {
      const { hangup_cause_code, hangup_source } = await platform.until(
        'its end',
        `Call/${leg}/`,
        ({ end_time }) => typeof end_time === 'string',
      );
      assert.deepEqual([hangup_cause_code, hangup_source], [5010, 'Error']);
    }
    await assertTheyHear(other);
    for (const leg of other.legs) assert.equal((await record(leg)).end_time, null);

    const next = await roomOf('three', 2020, 2380);
    await assertTheyHear(next);
    const load = `jackfield_media_worker_load{worker="${died.worker}"}`;
    const metrics = await platform.metrics('jackfield_media_worker');
    assert.equal(metrics.jackfield_media_worker_deaths_total, 1);
    assert.ok(metrics[load]! > 0, 'the successor has the next room');
    for (const { name } of [other, next]) {
      assert.equal((await platform.api('DELETE', `MultiPartyCall/name_${name}/`)).status, 204);
    }
  });
});
