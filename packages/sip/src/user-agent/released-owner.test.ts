import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CallListener } from './call-listener.ts';
import { createMemoryLink, createVirtualClock } from './testing/memory-link.ts';

const sdp = { body: 'sdp', contentType: 'application/sdp' };

/** A call that one side makes, the other answers and the first ends; gives the owners of both legs, and what only the called leg has. */
function endedCall(clock: ReturnType<typeof createVirtualClock>) {
  const link = createMemoryLink({ clock, loss: 0, duplicates: 0, jitterMs: 0, seed: 1 });
  let callee: CallListener | undefined;
  let confined: WeakRef<object> | undefined;
  link.bob.onInvite = (invite) => {
    callee = { ended: () => {} };
    const reaches = () => true;
    confined = new WeakRef(reaches);
    invite.confine(reaches);
    invite.listen(callee);
    invite.accept(sdp);
  };
  const caller: CallListener = { ended: () => {} };
  const target = { uri: 'sip:bob@10.0.0.2' };
  const call = link.alice.ua.invite(
    { targets: [target], from: '<sip:a@x>', to: '<sip:b@x>', content: sdp },
    caller,
  );
  clock.advance(1_000);
  call.hangUp();
  clock.advance(1_000);
  const owned = [new WeakRef(caller), new WeakRef(callee!), confined!];
  callee = undefined;
  link.bob.onInvite = () => {};
  link.bob.invites.splice(0);
  return { owned, link };
}

test('An ended call releases its owners, and its called leg, while its transactions last', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { owned, link } = endedCall(createVirtualClock());
  // References to a target of WeakRef are weak from the next turn on.
  await wait(0);
  collect();
  assert.ok(link.alice.ua.census().transactions > 0);
  assert.ok(link.bob.ua.census().transactions > 0);
  assert.deepEqual(
    owned.map((each) => each.deref()),
    [undefined, undefined, undefined],
  );
});
