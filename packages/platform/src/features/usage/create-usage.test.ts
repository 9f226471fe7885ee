import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createUsage } from './create-usage.ts';
import { readRateTable } from './domain/rate-table.ts';
import { amountText } from './domain/rates.ts';

const entry = { prefix: '1', direction: 'both', per_minute: '0.00850' };
const tableOf = (...rates: object[]) => JSON.stringify({ currency: 'USD', rates });

function usageOf(...rates: object[]) {
  const read = readRateTable(tableOf(...rates));
  assert.ok(read.ok, read.ok ? '' : read.problems.join('; '));
  return createUsage(read.table);
}

function problemsOf(text: string): readonly string[] {
  const read = readRateTable(text);
  return read.ok ? [] : read.problems;
}

describe('the rate of a call', () => {
  const usage = usageOf(
    { prefix: '', direction: 'both', per_minute: '0.5' },
    { prefix: '1', direction: 'outbound', per_minute: '0.01' },
    { prefix: '1202', direction: 'outbound', per_minute: '0.02' },
    { prefix: 'sip', direction: 'inbound', per_minute: '0.00300' },
  );

  it('is that of the longest prefix, with or without +', () => {
    assert.equal(usage.rateOf('outbound', '+12025550100').perMinute, 2_000);
    assert.equal(usage.rateOf('outbound', '13105550100').perMinute, 1_000);
    assert.equal(usage.rateOf('outbound', '+4930123456').perMinute, 50_000);
  });

  it('is of its direction', () => {
    assert.equal(usage.rateOf('inbound', '+12025550100').perMinute, 50_000);
  });

  it('of a stream is that of the prefix stream, and zero without such an entry, whatever calls cost', () => {
    const streams = usageOf(
      { prefix: '', direction: 'both', per_minute: '0.5' },
      { prefix: 'stream', direction: 'both', per_minute: '0.00300', increment_seconds: 1 },
    );
    assert.deepEqual(streams.rateOfStreams(), { perMinute: 300, initialSeconds: 60, incrementSeconds: 1 });
    assert.equal(streams.rateOf('outbound', 'alice').perMinute, 0);
    assert.equal(usage.rateOfStreams().perMinute, 0);
  });

  it('is that of sip for a party without a number, and zero without such an entry', () => {
    assert.equal(usage.rateOf('inbound', 'alice').perMinute, 300);
    assert.equal(usage.rateOf('outbound', 'alice').perMinute, 0);
    assert.equal(createUsage({ currency: 'USD', rates: [] }).rateOf('outbound', '+1202').perMinute, 0);
  });
});

describe('the amount of a call', () => {
  const usage = usageOf(entry);
  const rate = usage.rateOf('outbound', '+12025550100');

  it('counts whole minutes unless the table says otherwise', () => {
    assert.deepEqual(usage.amountOf(rate, 61), { billedSeconds: 120, units: 1_700, amount: '0.01700' });
  });

  it('has a first part and steps after it', () => {
    const steps = { perMinute: 850, initialSeconds: 30, incrementSeconds: 6 };
    assert.equal(usage.amountOf(steps, 1).billedSeconds, 30);
    assert.equal(usage.amountOf(steps, 31).billedSeconds, 36);
    assert.equal(usage.amountOf(steps, 36).amount, '0.00510');
  });

  it('is zero for a call that was not answered', () => {
    assert.deepEqual(usage.amountOf(rate, 0), { billedSeconds: 0, units: 0, amount: '0.00000' });
  });

  it('is the exact sum, half a unit rounded up, for every rate and length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000_000 }),
        fc.integer({ min: 1, max: 86_400 }),
        fc.integer({ min: 1, max: 120 }),
        (perMinute, seconds, step) => {
          const bill = usage.amountOf({ perMinute, initialSeconds: step, incrementSeconds: step }, seconds);
          assert.ok(bill.billedSeconds >= seconds && bill.billedSeconds < seconds + step);
          const exact = (BigInt(perMinute) * BigInt(bill.billedSeconds) * 2n + 60n) / 120n;
          assert.equal(BigInt(bill.units), exact);
        },
      ),
    );
  });

  it('is shown with five decimals', () => {
    assert.deepEqual([0, 5, 500, 123_456].map(amountText), ['0.00000', '0.00005', '0.00500', '1.23456']);
  });
});

describe('a rate table that is wrong', () => {
  it('is reported when it is no JSON', () => {
    assert.deepEqual(problemsOf('{\n  "rates": [,]\n}'), ['the rate table is no JSON']);
  });

  it('is reported with each wrong entry', () => {
    const problems = problemsOf(
      tableOf(
        entry,
        { ...entry, prefix: '+44' },
        { ...entry, prefix: '33', per_minute: 0.01 },
        { ...entry, prefix: '34', direction: 'in', increment_seconds: 0 },
        { ...entry, prefix: '35', colour: 'red' },
        7 as never,
      ),
    );
    assert.deepEqual(
      problems.map((each) => each.slice(0, each.indexOf(' '))),
      [
        'rates[1].prefix',
        'rates[2].per_minute',
        'rates[3].direction',
        'rates[3].increment_seconds',
        'rates[4].colour',
        'rates[5]',
      ],
    );
  });

  it('has no prefix twice for one direction', () => {
    assert.match(
      problemsOf(tableOf(entry, { ...entry, direction: 'inbound' }))[0]!,
      /rates\[1\] has the prefix "1" for inbound calls, as rates\[0\] has/,
    );
  });

  it('never throws, whatever JSON it is', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        (value) => void readRateTable(JSON.stringify({ currency: 'USD', rates: value })),
      ),
    );
    fc.assert(fc.property(fc.string(), (text) => void readRateTable(text)));
  });
});
