import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { edgeWorld, offer, phoneAt, soon } from '../testing/edge-world.ts';

/** An address that no phone may name. */
const closed = '198.51.100.1';

describe('the audio of a dialled phone that names a closed address', () => {
  const answer = { body: offer.replaceAll(phoneAt.address, closed), contentType: 'application/sdp' };

  async function dialled() {
    const world = await edgeWorld({ audioMayReach: (address) => address !== closed });
    world.dial();
    await world.clock.advance(soon);
    return { ...world, invite: world.invites[0]! };
  }

  it('goes to the source of its signalling before the answer', async () => {
    const { clock, invite, media, types, edge } = await dialled();
    invite.ring(183, { content: answer });
    await clock.advance(soon);
    assert.ok(types().includes('leg-early'));
    assert.deepEqual(
      media.connected.map(({ address }) => address),
      [phoneAt.address],
    );
    edge.telephony.hangUp('leg-1');
    await clock.advance(70_000);
  });

  it('goes to the source of its signalling after the answer', async () => {
    const { clock, invite, media, leavesNothing } = await dialled();
    invite.accept(answer);
    await clock.advance(soon);
    assert.deepEqual(
      media.connected.map(({ address }) => address),
      [phoneAt.address],
    );
    invite.hangUp();
    await leavesNothing();
  });
});
