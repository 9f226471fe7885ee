import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { reading } from './tables.ts';
import { openRecordingsWorld } from './testing/recordings-world.ts';

eachDatabase('The peaks of a recording', (open) => {
  test('are there from its end on, as many as requested, and go with the recording', async () => {
    const world = await openRecordingsWorld(open);
    const recording = await world.record();
    const peaks = (query = '') => world.call('GET', `Recording/${recording}/Peaks/${query}`);
    world.say(recording, 1_500);
    assert.equal((await peaks()).status, 404);
    await world.stop(recording);
    const { status, body } = await peaks();
    assert.deepEqual([status, body.pair_ms, body.duration_ms], [200, 100, 1_500]);
    const [pairs] = body.channels;
    assert.equal(pairs.length, 2 * 15);
    for (const [at, value] of pairs.entries()) {
      assert.ok(at % 2 === 0 ? value <= 0 && value >= -127 : value >= 0 && value <= 127, `${at}: ${value}`);
    }
    const few = (await peaks('?pairs=4')).body;
    assert.deepEqual([few.pair_ms, few.channels[0].length], [400, 2 * 4]);
    assert.equal(Math.min(...few.channels[0]), Math.min(...pairs));
    assert.equal((await peaks('?pairs=0')).status, 400);
    assert.equal((await world.call('DELETE', `Recording/${recording}/`)).status, 204);
    assert.equal((await peaks()).status, 404);
    const left = await reading(world.world.node.database.read)
      .selectFrom('recording_peaks')
      .selectAll()
      .execute();
    assert.deepEqual(left, []);
  });

  test('are seen by their account, and by no other', async () => {
    const world = await openRecordingsWorld(open);
    const [owner, other] = [await world.world.subaccount(), await world.world.subaccount()];
    const recording = await world.record({ account: owner.authId });
    world.say(recording, 500);
    await world.stop(recording);
    const path = `Recording/${recording}/Peaks/`;
    assert.equal((await world.call('GET', path, { as: owner })).status, 200);
    assert.equal((await world.call('GET', path)).status, 200);
    assert.equal((await world.call('GET', path, { as: other })).status, 404);
  });
});
