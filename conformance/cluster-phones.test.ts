import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { loudestToneDb, partOf, readWav, type Sound } from './support/heard.ts';
import { missing } from './support/installed.ts';
import type { PlatformProcess } from './support/platform-process.ts';
import { RegisteredPhones } from './support/registered-phones.ts';

const skip = postgresMissing() ?? natsMissing() ?? missing('baresip', 'sox');

/** A phone's own tone at −12 dBFS arrives about as loud. */
const audible = -20;
const toneLengthS = 0.5;
const overTcp = { transport: 'tcp' } as const;

/** Real processes, and real phones: over TCP a phone can be called through its own connection alone. */
describe('phones that are connected to different nodes', { skip, timeout: 240_000 }, () => {
  let cluster: Cluster;
  let one: PlatformProcess;
  let two: PlatformProcess;
  let phones: RegisteredPhones;

  before(async () => {
    cluster = await Cluster.start();
    [one, two] = await Promise.all([cluster.join('one'), cluster.join('two')]);
    phones = new RegisteredPhones();
  });
  after(() =>
    cleanUp(
      () => phones?.stop(),
      () => cluster?.stop(),
    ),
  );

  const lastSeconds = (sound: Sound, seconds: number): Sound => {
    const end = sound.samples.length / sound.sampleRate;
    return partOf(sound, Math.max(0, end - seconds), end);
  };

  it('one calls the other, and the call goes on with its audio when the node of the called one is killed', async () => {
    const ann = await phones.start(one, 'ann', 440, overTcp);
    const bob = await phones.start(two, 'bob', 700, overTcp);
    ann.phone.dial(`sip:${bob.username}@${one.sipAddress};transport=tcp`);
    await Promise.all([ann.phone.established(), bob.phone.established()]);
    const legs = async (node: PlatformProcess) =>
      (await node.metrics('jackfield_sip_legs')).jackfield_sip_legs;
    assert.deepEqual([await legs(one), await legs(two)], [2, 0]);

    await cluster.kill(two);
    await one.log.until(
      'the takeover',
      ({ message }) => /left is ended or taken over/.test(String(message)),
      {
        limitMs: 60_000,
      },
    );
    const { body } = await one.api('GET', 'Call/?status=live');
    assert.equal(body.calls.length, 2);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    // Its BYE goes to the home of the call, over a new connection.
    bob.phone.hangUp();
    await Promise.all([ann.phone.closed(), bob.phone.closed()]);
    const [annHeard, bobHeard] = [
      await readWav(await ann.phone.heard()),
      await readWav(await bob.phone.heard()),
    ];
    assert.ok(loudestToneDb(bobHeard, 440, toneLengthS) > audible, 'Bob hears Ann');
    assert.ok(
      loudestToneDb(lastSeconds(annHeard, 3), 700, toneLengthS) > audible,
      'after the death of the node',
    );
    await one.untilQuiet(40_000);
  });
});
