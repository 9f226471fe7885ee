import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase, runsWithin } from '@jackfield/testkit';
import fc from 'fast-check';
import { type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';

const rooms = ['a', 'b', 'c'] as const;
/** In each room at the beginning; the first one stays, so that the room lives. */
const membersOfRoom = 3;

type Action =
  | { readonly type: 'move'; readonly leg: number; readonly to: number }
  | { readonly type: 'mute'; readonly room: number; readonly times: number };

const index = fc.nat({ max: rooms.length * membersOfRoom - 1 });
const room = fc.nat({ max: rooms.length - 1 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ type: fc.constant('move' as const), leg: index, to: room }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('mute' as const),
      room,
      times: fc.integer({ min: 1, max: 5 }),
    }),
  },
);

/** The mix of each leg, as the media engine has it: the last table that names a leg decides. */
function mixes({ node }: MultipartyWorld): ReadonlyMap<string, string> {
  const homes = new Map<string, string>();
  const leave = (mix: string) => {
    for (const [leg, home] of homes) if (home === mix) homes.delete(leg);
  };
  for (const command of node.media.orders.commands) {
    if (command.do === 'close-mix') leave(command.mix);
    if (command.do !== 'set-hearing') continue;
    leave(command.mix);
    for (const { leg } of command.members) homes.set(leg, command.mix);
  }
  return homes;
}

onEmbeddedDatabase('Legs that are moved while their rooms change', (open) => {
  test('any moves and changes at once leave each leg in the mix of the one room that has it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(action, { minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
        // A slow machine moves fewer legs.
        runsWithin(20_000, async (bursts) => {
          const world = await openMultipartyWorld(open);
          const legs: string[] = [];
          for (const name of rooms) {
            for (let member = 0; member < membersOfRoom; member++)
              legs.push(await world.join(name, { stay_alone: true }));
          }
          let requests = 0;
          const requested = (each: Action) => {
            if (each.type === 'mute') {
              const path = `MultiPartyCall/name_${rooms[each.room]}/Participant/all/`;
              return Array.from({ length: each.times }, () =>
                world.node.call('POST', path, { body: { mute: requests++ % 2 === 0 } }),
              );
            }
            // The first of each room stays.
            const leg = legs[each.leg % membersOfRoom === 0 ? each.leg + 1 : each.leg];
            const path = `MultiPartyCall/name_${rooms[each.to]}/Participant/`;
            return [world.node.call('POST', path, { body: { role: 'agent', call_uuid: leg } })];
          };
          for (const burst of bursts) {
            const answers = Promise.all(burst.flatMap(requested));
            await world.advance(100);
            for (const { status, body } of await answers)
              assert.ok([201, 202, 404, 409].includes(status), `${status} ${JSON.stringify(body)}`);
          }
          const homes = mixes(world);
          const members: string[] = [];
          for (const name of rooms) {
            const { mpc_uuid: mix } = (await world.get(`MultiPartyCall/name_${name}/`)).body;
            const { objects } = (await world.get(`MultiPartyCall/name_${name}/Participant/`)).body;
            for (const { call_uuid: leg, status } of objects) {
              assert.equal(status, 'joined');
              assert.equal(homes.get(leg), mix, `a member of ${name} is in no other mix`);
              members.push(leg);
            }
          }
          assert.deepEqual(members.toSorted(), legs.toSorted(), 'no leg is lost');
        }),
      ),
      { numRuns: 20 },
    );
  });
});
