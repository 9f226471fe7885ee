import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callEnds } from '@jackfield/ports';
import { causeOfEnd, statusOfEnd } from './cause-of-end.ts';

describe('the cause of an end', () => {
  it('names each final response by its own cause', () => {
    const causes = [486, 603, 600, 404, 480, 503, 500, 302, 499, 606].map(
      (sipStatus) => causeOfEnd('outbound', { by: 'rejected', sipStatus }, null).code,
    );
    assert.deepEqual(causes, [3010, 3110, 3100, 3050, 2010, 3090, 3080, 5020, 3020, 3110]);
  });

  it('is a destination out of service where the last flow of a phone has failed, and its caller gets 480', () => {
    const end = causeOfEnd('outbound', { by: 'rejected', sipStatus: 430 }, null);
    assert.deepEqual([end.code, statusOfEnd(end)], [2010, 480]);
  });

  it('has the source Carrier when the network of the carrier failed, and the callee otherwise', () => {
    const end = (sipStatus: number) =>
      causeOfEnd('outbound', { by: 'rejected', sipStatus, carrier: 'alpha' }, null);
    assert.deepEqual(
      [end(503), end(500), end(401), end(407), end(486), end(600)].map(({ code, source }) => [code, source]),
      [
        [3090, 'Carrier'],
        [3080, 'Carrier'],
        [3020, 'Carrier'],
        [3020, 'Carrier'],
        [3010, 'Call recipient'],
        [3100, 'Call recipient'],
      ],
    );
  });

  it('names the cap of the carriers that refused the call, and its caller gets the status of the same meaning', () => {
    const refusals = [
      'calls-per-second',
      'concurrent-calls',
      'spend-per-hour',
      'caller-id',
      'no-route',
    ] as const;
    const ends = refusals.map((refusal) => causeOfEnd('outbound', { by: 'not-carried', refusal }, null));
    assert.deepEqual(
      ends.map(({ code }) => code),
      [1020, 5030, 1010, 3030, 5020],
    );
    assert.deepEqual(ends.map(statusOfEnd), [503, 503, 403, 403, 404]);
  });

  it('is a loop when it was forwarded too often (RFC 3261 §16.3) or met itself, and its caller gets that status', () => {
    for (const sipStatus of [482, 483]) {
      const end = causeOfEnd('outbound', { by: 'rejected', sipStatus }, null);
      assert.deepEqual([end.code, end.name, statusOfEnd(end)], [2060, 'Loop Detected', 483]);
    }
  });

  it('is the ordered one when 487 confirms our CANCEL', () => {
    const service = callEnds(6010, 'Service');
    assert.equal(causeOfEnd('outbound', { by: 'rejected', sipStatus: 487 }, service), service);
  });

  it('is the other side’s when it was quicker than our order', () => {
    const end = causeOfEnd('outbound', { by: 'rejected', sipStatus: 486 }, callEnds(6010, 'Service'));
    assert.equal(end.code, 3010);
  });

  it('reaches a waiting caller as 480 when its document, its room or its time is over', () => {
    for (const code of [4010, 4020, 4030, 6000] as const) {
      assert.equal(statusOfEnd(callEnds(code, 'Answer XML')), 480);
    }
  });

  it('reaches a waiting caller as the response that means the same', () => {
    assert.deepEqual(
      [3010, 3110, 2020, 2000, 6010, 5010].map((code) => statusOfEnd({ code, name: '', source: 'Service' })),
      [486, 603, 480, 404, 480, 500],
    );
  });
});
