import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Carrier, CarrierPrefix } from './carrier.ts';
import { callerIdFor, chooseCarriers, routeTable } from './choose-carriers.ts';

function carrier(
  name: string,
  ...prefixes: readonly (Partial<CarrierPrefix> & { prefix: string })[]
): Carrier {
  return {
    name,
    host: `${name}.example`,
    port: undefined,
    transport: 'udp',
    registration: undefined,
    prefixes: prefixes.map((each) => ({ priority: 1, weight: 1, ...each })),
    callerId: { rule: 'keep' },
    caps: { callsPerSecond: 1, concurrentCalls: 1, spendPerHour: undefined },
    probeSeconds: 0,
    ringingWithinSeconds: 8,
    addresses: [],
  };
}

const named = (carriers: readonly Carrier[]) => carriers.map(({ name }) => name);

describe('the carriers of a number', () => {
  const table = routeTable([
    carrier('world', { prefix: '' }),
    carrier('backup', { prefix: '1', priority: 2 }),
    carrier('america', { prefix: '1', priority: 1 }),
    carrier('caribbean', { prefix: '1876' }),
  ]);

  it('are those of its longest prefix', () => {
    assert.deepEqual(named(chooseCarriers(table, '+18765550100', Math.random)), ['caribbean']);
    assert.deepEqual(named(chooseCarriers(table, '+4930123456', Math.random)), ['world']);
  });

  it('are in the order of their priority', () => {
    assert.deepEqual(named(chooseCarriers(table, '+12025550100', Math.random)), ['america', 'backup']);
  });

  it('are nobody where no prefix fits', () => {
    assert.deepEqual(
      chooseCarriers(routeTable([carrier('a', { prefix: '44' })]), '+4930123456', Math.random),
      [],
    );
  });

  it('of one priority come first as often as their weight says', () => {
    const pair = routeTable([
      carrier('heavy', { prefix: '', weight: 3 }),
      carrier('light', { prefix: '', weight: 1 }),
    ]);
    // A generator with a known sequence: the share is 3 of 4 within what 4,000 draws leave to chance.
    let seed = 1;
    const chance = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    let heavy = 0;
    for (let n = 0; n < 4000; n++) if (chooseCarriers(pair, '+1', chance)[0]?.name === 'heavy') heavy++;
    assert.ok(heavy > 2850 && heavy < 3150, `${heavy} of 4000`);
  });
});

describe('the caller id at a carrier', () => {
  it('is kept, replaced, or kept where its prefix is allowed', () => {
    assert.equal(callerIdFor({ rule: 'keep' }, 'alice'), 'alice');
    assert.equal(callerIdFor({ rule: 'replace', number: '+12025550000' }, 'alice'), '+12025550000');
    const allow = { rule: 'allow', prefixes: ['1202'], number: undefined } as const;
    assert.equal(callerIdFor(allow, '+12025550111'), '+12025550111');
    assert.equal(callerIdFor(allow, '12025550111'), '12025550111');
  });

  it('refuses the call where it is neither allowed nor replaced', () => {
    const allow = { rule: 'allow', prefixes: ['1202'], number: undefined } as const;
    assert.equal(callerIdFor(allow, '+4930123456'), undefined);
    assert.equal(callerIdFor(allow, '1202alice'), undefined);
    assert.equal(callerIdFor({ ...allow, number: '+12025550000' }, '+4930123456'), '+12025550000');
  });
});
