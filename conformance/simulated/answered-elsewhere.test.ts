import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedPhone, type SimulatedWorld } from '@jackfield/testkit';
import { SimulatedRoom } from '../support/simulated-room.ts';

const answerUrl = 'https://customer.example.com/answer';
const domain = 'sip.example.com';
const elsewhere = 'SIP;cause=200;text="Call completed elsewhere"';
const alpha = {
  name: 'alpha',
  host: '10.0.2.1',
  prefixes: [{ prefix: '44' }],
  caps: { concurrent_calls: 10 },
  probe_seconds: 0,
};

const callees = (...phones: readonly SimulatedPhone[]) =>
  phones.map(({ username }) => `<User>sip:${username}@${domain}</User>`).join('');

/** The phone calls an application whose document is this Dial. */
async function dials(world: SimulatedWorld, caller: SimulatedPhone, dial: string): Promise<void> {
  world.customer.serve(answerUrl, `<Response>${dial}</Response>`);
  const { body } = await world.api('POST', 'Application/', { app_name: 'dial', answer_url: answerUrl });
  caller.dial(body.app_id);
}

async function hangUp(world: SimulatedWorld, ...phones: readonly SimulatedPhone[]): Promise<void> {
  for (const phone of phones) phone.hangUp();
  await world.until('all calls are over', () =>
    phones.every(({ calls }) => calls.every(({ end }) => end !== undefined)),
  );
}

describe('The CANCEL of a phone that has not answered (RFC 3326)', () => {
  it('says that the call was completed elsewhere when another party of the Dial answers, be it over a carrier', () =>
    inSimulatedWorld({ seed: 320, carriers: [alpha] }, async (world) => {
      const [ann, bob, cid] = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
      const gateway = world.gateway(alpha.name, alpha.host);
      for (const phone of [cid, gateway]) phone.behaviour = { does: 'ring' };
      bob.behaviour = { does: 'answer', ringMs: 2000 };
      await dials(world, ann, `<Dial>${callees(bob, cid)}<Number>+442079460100</Number></Dial>`);
      await world.until('the first has answered', () => bob.call?.isUp === true);
      await world.until('the others are cancelled', () =>
        [cid, gateway].every(({ cancelReasons }) => cancelReasons.length > 0),
      );
      assert.deepEqual([cid.cancelReasons, gateway.cancelReasons], [[elsewhere], [elsewhere]]);
      await hangUp(world, ann, bob);
    }));

  it('says so when another phone of the same endpoint answers', () =>
    inSimulatedWorld({ seed: 321 }, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      const desk = world.gateway(bob.username, '10.0.3.1', { password: 'secret of bob' });
      desk.register();
      await world.until('the second phone is registered', () => desk.isRegistered);
      desk.behaviour = { does: 'ring' };
      bob.behaviour = { does: 'answer', ringMs: 2000 };
      ann.dial(bob.username);
      await world.until('one phone has answered', () => bob.call?.isUp === true);
      await world.until('the other is cancelled', () => desk.cancelReasons.length > 0);
      assert.deepEqual(desk.cancelReasons, [elsewhere]);
      await hangUp(world, ann, bob);
    }));

  it('says so when another phone takes the place in the multiparty call', () =>
    inSimulatedWorld({ seed: 322 }, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      ann.behaviour = { does: 'answer', ringMs: 2000 };
      bob.behaviour = { does: 'ring' };
      const room = new SimulatedRoom(world);
      await room.add(ann, 'agent', {
        to: [ann, bob].map((phone) => `sip:${phone.username}@${domain}`).join('<'),
      });
      await world.until('one phone has answered', () => ann.call?.isUp === true);
      await world.until('the other is cancelled', () => bob.cancelReasons.length > 0);
      assert.deepEqual(bob.cancelReasons, [elsewhere]);
      await room.end();
      await hangUp(world, ann);
    }));

  it('has no reason when the call rang out or its caller hung up: the phone has missed a call', () =>
    inSimulatedWorld({ seed: 323 }, async (world) => {
      const [ann, bob, cid] = [await world.phone('ann'), await world.phone('bob'), await world.phone('cid')];
      for (const phone of [bob, cid]) phone.behaviour = { does: 'ring' };
      await dials(world, ann, `<Dial timeout="5">${callees(bob, cid)}</Dial>`);
      const areCancelled = (times: number) =>
        [bob, cid].every(({ cancelReasons }) => cancelReasons.length === times);
      await world.until('the call rings out', () => areCancelled(1), 10_000);
      await world.until('its caller is free', () => ann.call?.end !== undefined);
      await dials(world, ann, `<Dial>${callees(bob, cid)}</Dial>`);
      await world.until('both ring', () => bob.calls.length === 2 && cid.calls.length === 2);
      ann.hangUp();
      await world.until('both are cancelled', () => areCancelled(2));
      assert.deepEqual(
        [bob.cancelReasons, cid.cancelReasons],
        [
          ['', ''],
          ['', ''],
        ],
      );
    }));
});
