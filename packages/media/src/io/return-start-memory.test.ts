import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSpaceStatistics } from 'node:v8';
import { returnStartMemory } from './return-start-memory.ts';

function youngGeneration(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size;
}

test('A thread returns the young generation that its start has let grow', () => {
  // Survivors of a collection let the young generation grow.
  for (let round = 0; round < 8; round++) Array.from({ length: 400_000 }, (_, index) => ({ index }));
  const grown = youngGeneration();
  assert.ok(grown >= 16 * 2 ** 20, String(grown));
  returnStartMemory();
  assert.ok(youngGeneration() <= 4 * 2 ** 20, String(youngGeneration()));
});
