import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { loudestToneDb, partOf, readWav, type Sound } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import type { PlatformProcess } from './support/platform-process.ts';
import { type RegisteredPhone, RegisteredPhones } from './support/registered-phones.ts';

const skip = postgresMissing() ?? natsMissing() ?? missing('baresip', 'sox');

const [agentHz, customerHz, coachHz] = [440, 700, 1200];
const audible = -20;
/** A phone on a busy machine leaves gaps, whose edges hold a little of each frequency. */
const inaudible = -35;
const toneLengthS = 0.5;
/** The shortest stretch that counts as heard. */
const shortS = 0.2;
const overTcp = { transport: 'tcp' } as const;
/** Of audio, before and behind the death of the node. */
const partS = 2;

/** Real processes and real phones. */
describe('a supervisor who coaches while a node is killed', { skip, timeout: 240_000 }, () => {
  let cluster: Cluster;
  let phones: RegisteredPhones;

  before(async () => {
    cluster = await Cluster.start();
    phones = new RegisteredPhones();
  });
  after(() =>
    cleanUp(
      () => phones?.stop(),
      () => cluster?.stop(),
    ),
  );

  const heardBy = async ({ phone }: RegisteredPhone): Promise<Sound> => readWav(await phone.heard());
  const secondsOf = ({ samples, sampleRate }: Sound): number => samples.length / sampleRate;

  /** Resolves when the phone has heard the coach behind this second of its call. */
  async function coached(agent: RegisteredPhone, fromS: number): Promise<void> {
    for (;;) {
      const heard = await heardBy(agent).catch(() => undefined);
      if (heard !== undefined && secondsOf(heard) >= fromS + partS) {
        const part = partOf(heard, fromS, Number.POSITIVE_INFINITY);
        if (loudestToneDb(part, coachHz, toneLengthS) > audible) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  it('no customer hears the coach when the node with their connections dies: before, meanwhile and until the end', async () => {
    const [home, second, dying]: PlatformProcess[] = await Promise.all(
      ['one', 'two', 'three'].map((name) => cluster.join(name)),
    );
    assert.ok(home && second && dying);
    const agent = await phones.start(second, 'agent', agentHz, overTcp);
    const customer = await phones.start(dying, 'customer', customerHz, overTcp);
    const coach = await phones.start(dying, 'coach', coachHz, overTcp);
    await addToRoom(home, 'coached', agent.username);
    await addToRoom(home, 'coached', customer.username, { role: 'customer' });
    await addToRoom(home, 'coached', coach.username, { role: 'supervisor', coach_mode: true });
    await joinedRoom(home, 'coached', 3);
    await coached(agent, 0);

    await cluster.kill(dying);
    const takenOver = ({ message }: Record<string, unknown>) =>
      /left is ended or taken over/.test(String(message));
    await Promise.any([home, second].map(({ log }) => log.until('the takeover', takenOver)));
    assert.equal((await second.api('GET', 'Call/?status=live')).body.calls.length, 3);
    await coached(agent, secondsOf(await heardBy(agent)));

    // To the home of their calls, over new connections.
    for (const { phone } of [agent, customer, coach]) phone.hangUp();
    await Promise.all([agent, customer, coach].map(({ phone }) => phone.closed()));
    const [heard, coachHeard] = [await heardBy(customer), await heardBy(coach)];
    assert.ok(loudestToneDb(heard, coachHz, shortS) < inaudible, 'the customer never hears the coach');
    assert.ok(loudestToneDb(heard, agentHz, toneLengthS) > audible, 'the customer hears the agent');
    assert.ok(loudestToneDb(coachHeard, customerHz, toneLengthS) > audible, 'the coach hears the customer');
    await home.untilQuiet(40_000);
  });
});
