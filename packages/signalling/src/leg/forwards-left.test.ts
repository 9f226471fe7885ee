import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LegNotice } from '@jackfield/ports';
import { createHeaders, type IncomingInvite } from '@jackfield/sip';
import { edgeWorld } from '../testing/edge-world.ts';
import { forwardsLeftOf } from './forwards-left.ts';

/** An edge that dials every caller back for the same call, and a telephone system that calls it again: a loop. */
async function circle(firstForwards: number | undefined, isGoingRound: boolean) {
  const arrived: number[] = [];
  const answers: string[] = [];
  const world = await edgeWorld(
    {},
    {
      invited(invite) {
        const left = forwardsLeftOf(invite.request);
        arrived.push(left);
        if (!isGoingRound) invite.reject(486);
        else if (left === 0) invite.reject(483);
        else call(left - 1, invite);
      },
    },
  );
  const { edge } = world;
  const parents = new Map<string, string>();
  const statuses: (number | undefined)[] = [];
  edge.telephony.listen((notice: LegNotice) => {
    if (notice.type === 'leg-offered') {
      const leg = `for-${notice.leg}`;
      parents.set(leg, notice.leg);
      world.dial({ leg, forwards: notice.leg });
    }
    if (notice.type !== 'leg-ended') return;
    const parent = parents.get(notice.leg);
    if (parent === undefined) return;
    statuses.push(notice.end.sipStatus);
    edge.telephony.hangUp(parent, notice.end.sipStatus);
  });

  function call(maxForwards: number | undefined, invite?: IncomingInvite): void {
    world.call(maxForwards === undefined ? {} : { maxForwards }, {
      ended(reason) {
        const status = reason.by === 'rejected' ? reason.status : 500;
        if (invite === undefined) answers.push(String(status));
        else invite.reject(status);
      },
    });
  }

  call(firstForwards);
  await world.clock.advance(60_000);
  const { legs } = edge.census();
  await edge.close();
  return { arrived, answers, statuses, legs };
}

describe('Max-Forwards of a call (RFC 7332)', () => {
  it('RFC 7332 §3: a leg that is dialled for another has its Max-Forwards less one', async () => {
    assert.deepEqual((await circle(17, false)).arrived, [16]);
    assert.deepEqual((await circle(undefined, false)).arrived, [69]);
  });

  it('RFC 3261 §16.3: a call with Max-Forwards 0 is refused with 483, and no INVITE is sent', async () => {
    const { arrived, answers, statuses, legs } = await circle(0, false);
    assert.deepEqual(
      { arrived, answers, statuses, legs },
      { arrived: [], answers: ['483'], statuses: [483], legs: 0 },
    );
  });

  it('a loop through a telephone system ends with 483 at the first caller, and leaves no state', async () => {
    const { arrived, answers, legs } = await circle(9, true);
    assert.deepEqual(arrived, [8, 6, 4, 2, 0]);
    assert.deepEqual([answers, legs], [['483'], 0]);
  });

  it('RFC 3261 §16.6: a request without the field counts as one with 70', () => {
    assert.equal(forwardsLeftOf({ headers: createHeaders([]) }), 70);
    assert.equal(forwardsLeftOf({ headers: createHeaders([['Max-Forwards', '0068']]) }), 68);
  });
});
