import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RouteTarget, TargetFailure } from '@jackfield/ports';
import type { SipEdgeDeps } from '../sip-edge.ts';
import { edgeWorld, phoneAt } from '../testing/edge-world.ts';

/** No phone listens here. */
const silent = { protocol: 'udp', host: '10.0.0.7', port: 5060 } as const;
const phone = { protocol: 'udp', host: phoneAt.address, port: phoneAt.port } as const;
const alpha = 'sip.alpha.example';
const toAlpha: RouteTarget = { target: { uri: `sip:bob@${alpha}` }, ringingWithinMs: 8000, carrier: 'alpha' };

/** An edge whose only route has these targets; `addresses` are those of `alpha` in DNS. */
async function routedWorld(addresses: readonly (typeof silent | typeof phone)[], ...targets: RouteTarget[]) {
  const failures: string[] = [];
  const failed = (at: number, { because }: TargetFailure): void => void failures.push(`${at} ${because}`);
  const locate: NonNullable<SipEdgeDeps['locate']> = (_uri, found) => found(addresses);
  const w = await edgeWorld({
    locate,
    routes: [{ owner: 'carriers', routeOf: () => ({ targets, failed }) }],
  });
  w.dial();
  return { ...w, failures };
}

describe('a carrier with several addresses in DNS', () => {
  it('is called at its second one when the first has been silent for the time of a carrier', async () => {
    const w = await routedWorld([silent, phone], toAlpha);
    await w.clock.advance(7_900);
    assert.equal(w.invites.length, 0);
    await w.clock.advance(200);
    assert.equal(w.invites.length, 1);
    w.invites[0]!.ring();
    await w.clock.advance(100);
    assert.deepEqual(w.types(), ['leg-ringing']);
    assert.deepEqual(w.failures, []);
    w.edge.telephony.hangUp('leg-1');
    await w.leavesNothing();
  });

  it('loses the call to the next carrier when each of its addresses has been silent', async () => {
    const beta: RouteTarget = { target: { uri: `sip:bob@${phoneAt.address}` }, carrier: 'beta' };
    const w = await routedWorld([silent, { ...silent, port: 5070 }], toAlpha, beta);
    await w.clock.advance(15_900);
    assert.equal(w.invites.length, 0);
    await w.clock.advance(200);
    assert.equal(w.invites.length, 1);
    assert.deepEqual(w.failures, ['0 silent']);
    w.edge.telephony.hangUp('leg-1');
    await w.leavesNothing();
  });

  it('is called there at once while the first one is known to be silent', async () => {
    const w = await routedWorld([silent, phone], toAlpha);
    await w.clock.advance(8_100);
    w.edge.telephony.hangUp('leg-1');
    await w.clock.advance(40_000);
    w.dial({ leg: 'leg-2' });
    await w.clock.advance(100);
    assert.equal(w.invites.length, 2);
    w.edge.telephony.hangUp('leg-2');
    await w.leavesNothing();
  });

  it('loses the call when it responds with 100 alone: another address of it is not called', async () => {
    const w = await routedWorld([phone, { ...silent, port: 5070 }], toAlpha);
    await w.clock.advance(8_100);
    assert.deepEqual(w.failures, ['0 silent']);
    assert.deepEqual(w.types(), ['leg-ended']);
    await w.leavesNothing();
  });
});

describe('the last URI of a trunk, which may be silent as long as the call rings', () => {
  it('is called at its second address, and is waited for there', async () => {
    const w = await routedWorld([silent, phone], { ...toAlpha, mayBeSilent: true });
    await w.clock.advance(8_100);
    assert.equal(w.invites.length, 1);
    await w.clock.advance(20_000);
    w.invites[0]!.ring();
    await w.clock.advance(100);
    assert.deepEqual(w.types(), ['leg-ringing']);
    w.edge.telephony.hangUp('leg-1');
    await w.leavesNothing();
  });
});
