import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import type { HearingEdge } from '../domain/hearing-change.ts';
import { multipartyCallsTables } from '../migrations/0001-multiparty-calls.ts';
import { recordingsAndHearing } from '../migrations/0002-recordings-and-hearing.ts';
import { openHearingByListener } from '../migrations/0004-open-hearing-by-listener.ts';
import { reading } from '../tables.ts';
import { saveHearing } from './hearing-history.ts';

/** All participants hear each other; the last one coaches. */
function edgesOf(participants: number): readonly HearingEdge[] {
  const all = Array.from({ length: participants }, (_, member) => member + 1);
  return all.flatMap((listener) =>
    all.flatMap((speaker) =>
      listener === speaker ? [] : [{ listener, speaker, isCoach: speaker === participants }],
    ),
  );
}

eachDatabase('The history of hearing in large calls', (open) => {
  test('a call of 120 begins, loses one and ends, each in one transaction; no other edge is closed', async () => {
    const database = await open([multipartyCallsTables, recordingsAndHearing, openHearingByListener]);
    const all = edgesOf(120);
    const isOfOne = ({ listener, speaker }: HearingEdge) => listener === 7 || speaker === 7;
    const rest = all.filter((edge) => !isOfOne(edge));
    const change = (
      mpc: string,
      at: number,
      opened: readonly HearingEdge[],
      closed: readonly HearingEdge[],
    ) => database.transact((write) => saveHearing(write, mpc, { at, opened, closed }));
    await change('other', 1, all.slice(0, 3), []);
    await change('large', 1, all, []);
    await change('large', 2, [], all.filter(isOfOne));
    const counted = async (mpc: string) => {
      const rows = await reading(database.read)
        .selectFrom('multiparty_hearing')
        .select(['to_at', ({ fn }) => fn.countAll().as('edges')])
        .where('mpc_uuid', '=', mpc)
        .groupBy('to_at')
        .orderBy('edges')
        .execute();
      return rows.map(({ to_at, edges }) => [to_at, Number(edges)]);
    };
    assert.deepEqual(await counted('large'), [
      [2, 238],
      [null, rest.length],
    ]);
    await change('large', 3, [], rest);
    assert.deepEqual(await counted('large'), [
      [2, 238],
      [3, rest.length],
    ]);
    assert.deepEqual(await counted('other'), [[null, 3]]);
  });

  test('an edge of a coach differs from an edge of the same participant outside of coach mode', async () => {
    const database = await open([multipartyCallsTables, recordingsAndHearing, openHearingByListener]);
    const [plain, coaching] = [false, true].map((isCoach) => ({ listener: 1, speaker: 2, isCoach }));
    const change = (at: number, opened: readonly HearingEdge[], closed: readonly HearingEdge[]) =>
      database.transact((write) => saveHearing(write, 'call', { at, opened, closed }));
    await change(1, [plain!], []);
    await change(2, [coaching!], [plain!]);
    await change(3, [plain!], [coaching!]);
    const rows = await reading(database.read)
      .selectFrom('multiparty_hearing')
      .select(['is_coach', 'from_at', 'to_at'])
      .orderBy('from_at')
      .execute();
    assert.deepEqual(
      rows.map(({ is_coach, from_at, to_at }) => [is_coach, from_at, to_at]),
      [
        [0, 1, 2],
        [1, 2, 3],
        [0, 3, null],
      ],
    );
  });

  test('an edge that opened after the last sign of life of its process ends when it began, not before', async () => {
    const database = await open([multipartyCallsTables, recordingsAndHearing, openHearingByListener]);
    const edges = [1, 2].map((listener) => ({ listener, speaker: 3 - listener, isCoach: false }));
    const change = (at: number, opened: readonly HearingEdge[], closed: readonly HearingEdge[]) =>
      database.transact((write) => saveHearing(write, 'call', { at, opened, closed }));
    await change(1, edges.slice(0, 1), []);
    await change(8, edges.slice(1), []);
    await change(6, [], edges);
    const rows = await reading(database.read)
      .selectFrom('multiparty_hearing')
      .select(['from_at', 'to_at'])
      .orderBy('from_at')
      .execute();
    assert.deepEqual(
      rows.map(({ from_at, to_at }) => [from_at, to_at]),
      [
        [1, 6],
        [8, 8],
      ],
    );
  });
});
