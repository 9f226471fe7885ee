import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredCall, incomingCall, onEmbeddedDatabase } from '@jackfield/testkit';
import { type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';

const room = 'MultiPartyCall/name_room/';
const exitUrl = 'https://customer.example.com/exit';
const waits = '<Response><Wait length="3600" silence="true"/></Response>';
const loggedErrors = ['step not saved; it was undone', 'request failed: internal fault'];

/** The status of a request to move the call; 500 is no fault of these tests. */
async function move(world: MultipartyWorld, leg: string): Promise<number> {
  const { authId, authToken } = world.main;
  const answered = world.node.platform.http.inject({
    method: 'POST',
    url: `/v1/Account/${authId}/${room}Participant/`,
    headers: { authorization: `Basic ${btoa(`${authId}:${authToken}`)}` },
    payload: { role: 'customer', call_uuid: leg },
  });
  await world.advance(1000);
  return (await answered).statusCode;
}

onEmbeddedDatabase('A leg whose handover to a multiparty call is not saved', (open) => {
  test('a moved call has ended or is where it was, and is no participant', async () => {
    for (const [commit, isEnded] of [
      [0, false],
      [1, true],
    ] as const) {
      const world = await openMultipartyWorld(open, { loggedErrors });
      await world.join('room', { stay_alone: true });
      const leg = await answeredCall(world);
      world.failCommits(1, { after: commit });
      assert.equal(await move(world, leg), 500);
      assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 1);
      assert.equal(await world.endOf(leg), isEnded ? '5010 Internal Error, Error' : null);
      assert.equal(await move(world, leg), isEnded ? 404 : 201);
      await world.remove(room);
      await world.advance(1000);
      assert.equal(world.telephony.census().legs, 0);
    }
  });

  test('a moved call is hung up at once, also where the next steps are not saved either', async () => {
    const world = await openMultipartyWorld(open, {
      loggedErrors: [...loggedErrors, ...Array(3).fill(loggedErrors[0])],
    });
    await world.join('room', { stay_alone: true });
    const leg = await answeredCall(world);
    world.failCommits(4, { after: 1 });
    assert.equal(await move(world, leg), 500);
    assert.ok(world.isHungUp(leg));
    const ended = world.remove(room);
    await world.advance(5000);
    assert.equal((await ended).status, 204);
    assert.equal(await world.endOf(leg), '5010 Internal Error, Error');
    assert.equal(world.telephony.census().legs, 0);
  });

  test('a call that was to begin with a moved call does not exist', async () => {
    const world = await openMultipartyWorld(open, { loggedErrors });
    const leg = await answeredCall(world);
    // After the first numbers of members, and the call itself.
    world.failCommits(1, { after: 2 });
    assert.equal(await move(world, leg), 500);
    assert.equal((await world.get(room)).status, 404);
    assert.equal(world.telephony.census().legs, 0);
  });

  test('a borrowed leg returns to its document, which gets its keys, and the end of the call does not reach it', async () => {
    const world = await openMultipartyWorld(open, { loggedErrors: loggedErrors.slice(0, 1) });
    await world.join('room', { stay_alone: true });
    world.customer.serve(
      exitUrl,
      `<Response><GetDigits action="${exitUrl}/digits" numDigits="1" timeout="60"/></Response>`,
    );
    world.customer.serve(`${exitUrl}/digits`, waits);
    const element = `<MultiPartyCall role="Customer" onExitActionUrl="${exitUrl}">room</MultiPartyCall>`;
    const nextUrl = 'https://customer.example.com/next';
    world.customer.serve(nextUrl, () => {
      // After the answer of the leg, and the new participant.
      world.failCommits(1, { after: 2 });
      return `<Response>${element}</Response>`;
    });
    const leg = await incomingCall(
      world,
      `<Response><Wait length="1"/><Redirect>${nextUrl}</Redirect></Response>`,
    );
    await world.advance(5000);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 1);
    world.telephony.press(leg, '5');
    await world.advance(1000);
    const requests = world.customer.requests.filter(({ url }) => url.startsWith(exitUrl));
    assert.deepEqual(
      requests.map(({ url, fields }) => [url, fields.Digits]),
      [
        [exitUrl, undefined],
        [`${exitUrl}/digits`, '5'],
      ],
    );
    await world.remove(room);
    await world.advance(1000);
    assert.equal(world.isHungUp(leg), false);
  });
});
