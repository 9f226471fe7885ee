import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PrefixRoutes, prefixRoutes, type RoutePrefix, routesFor } from './prefix-routes.ts';

interface Taker {
  readonly name: string;
  readonly prefixes: readonly RoutePrefix[];
}

function taker(name: string, ...prefixes: readonly (Partial<RoutePrefix> & { prefix: string })[]): Taker {
  return { name, prefixes: prefixes.map((each) => ({ priority: 1, weight: 1, ...each })) };
}

const named = (table: PrefixRoutes<Taker>, number: string) =>
  routesFor(table, number, Math.random).map((route) => route.taker.name);

describe('the routes of a number', () => {
  const table = prefixRoutes([
    taker('world', { prefix: '' }),
    taker('backup', { prefix: '1', priority: 2 }),
    taker('america', { prefix: '1', priority: 1 }),
    taker('caribbean', { prefix: '1876' }),
  ]);

  it('are those of its longest prefix', () => {
    assert.deepEqual(named(table, '+18765550100'), ['caribbean']);
    assert.deepEqual(named(table, '+4930123456'), ['world']);
  });

  it('are in the order of their priority', () => {
    assert.deepEqual(named(table, '+12025550100'), ['america', 'backup']);
  });

  it('are none when no prefix matches', () => {
    assert.deepEqual(named(prefixRoutes([taker('a', { prefix: '44' })]), '+4930123456'), []);
  });

  it('of one priority come first in proportion to their weights', () => {
    const pair = prefixRoutes([
      taker('heavy', { prefix: '', weight: 3 }),
      taker('light', { prefix: '', weight: 1 }),
    ]);
    // A generator with a known sequence: the share is 3 of 4, within the deviation of 4,000 draws.
    let seed = 1;
    const chance = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    let heavy = 0;
    for (let n = 0; n < 4000; n++) if (routesFor(pair, '+1', chance)[0]?.taker.name === 'heavy') heavy++;
    assert.ok(heavy > 2850 && heavy < 3150, `${heavy} of 4000`);
  });
});
