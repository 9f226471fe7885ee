import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  type PhoneCall,
  type SimulatedPhone,
  type SimulatedWorld,
} from '@jackfield/testkit';

const number = '+12025550101';

async function talk(world: SimulatedWorld, caller: SimulatedPhone, callee: SimulatedPhone) {
  const call = caller.dial(callee.username);
  await world.until('the answer', () => call.isUp && callee.call?.isUp === true);
  return { caller: call, callee: callee.call! };
}

const isOver = ({ transferStatuses }: PhoneCall) => {
  const last = transferStatuses.at(-1) ?? 0;
  return last >= 200 && last !== 202;
};

/** The statuses of a REFER to this number, SIP user, or call of the phone. */
async function outcomeOf(world: SimulatedWorld, call: PhoneCall, to: string | PhoneCall) {
  call.transferStatuses.length = 0;
  call.transfer(typeof to === 'string' ? `sip:${to}@sip.example.com` : to);
  await world.until('the outcome of the transfer', () => isOver(call), 60_000);
  return call.transferStatuses;
}

async function hungUp(world: SimulatedWorld, phone: SimulatedPhone): Promise<void> {
  phone.hangUp();
  await world.until('no live call', async () => {
    const { body } = await world.api('GET', 'Call/?status=live');
    return body.calls.length === 0;
  });
}

describe('a REFER by a phone of a subaccount in a call of its main account', () => {
  it('is declined to phones of any account and to numbers, and the call goes on', () =>
    inSimulatedWorld({ seed: 311 }, async (world) => {
      const [branch, other] = [await world.subaccount('branch'), await world.subaccount('other')];
      const main = await world.phone('main');
      const bob = await world.phone('bob', { subaccount: branch.authId });
      const strangers = [
        await world.phone('boss'),
        await world.phone('sid', { subaccount: other.authId }),
        await world.phone('sue', { subaccount: branch.authId }),
      ];
      const call = await talk(world, main, bob);
      for (const to of [...strangers.map(({ username }) => username), number]) {
        assert.deepEqual(await outcomeOf(world, call.callee, to), [603], to);
      }
      assert.ok(call.caller.isUp && call.callee.isUp);
      assert.deepEqual(
        strangers.map(({ invites }) => invites),
        [0, 0, 0],
      );
      await hungUp(world, main);
    }));

  it('is declined when it joins two of these calls', () =>
    inSimulatedWorld({ seed: 312 }, async (world) => {
      const branch = await world.subaccount('branch');
      const [main, boss] = [await world.phone('main'), await world.phone('boss')];
      const bob = await world.phone('bob', { subaccount: branch.authId });
      const first = await talk(world, main, bob);
      const second = await talk(world, boss, bob);
      assert.deepEqual(await outcomeOf(world, first.callee, second.callee), [603]);
      main.hangUp();
      await hungUp(world, boss);
    }));
});

describe('a REFER by a phone in a call of its own account', () => {
  it('moves the other party, of the main account to a phone of a subaccount too, and to that of an endpoint that has passed to the main account', () =>
    inSimulatedWorld({ seed: 313 }, async (world) => {
      const branch = await world.subaccount('branch');
      const [main, boss] = [await world.phone('main'), await world.phone('boss')];
      const bob = await world.phone('bob', { subaccount: branch.authId });
      const sue = await world.phone('sue', { subaccount: branch.authId });
      const own = await talk(world, main, boss);
      assert.equal((await outcomeOf(world, own.callee, bob.username)).at(-1), 200);
      main.hangUp();
      await world.until('the end', () => bob.call?.end !== undefined);

      const left = await talk(world, bob, sue);
      const path = `Subaccount/${branch.authId}/`;
      assert.equal((await world.call('DELETE', path)).status, 204);
      assert.equal((await outcomeOf(world, left.callee, boss.username)).at(-1), 200);
      await hungUp(world, boss);
    }));
});
