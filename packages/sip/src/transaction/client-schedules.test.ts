import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { printMessage } from '../message/print-message.ts';
import type { ClientInput } from './effects.ts';
import { startInviteClient, stepInviteClient } from './invite-client.ts';
import { startNonInviteClient, stepNonInviteClient } from './non-invite-client.ts';
import { play } from './testing/play.ts';
import { sampleRequest, sampleResponse, tcp, udp } from './testing/words.ts';
import type { TransactionSetting } from './timers.ts';

const fast: TransactionSetting = { reliable: false, timers: { t1: 100, t2: 400, t4: 500 } };
const answer = (method: string, status: number): ClientInput => ({
  type: 'response',
  response: sampleResponse(method, status),
});

function inviteClient(setting: TransactionSetting, ...inputs: (readonly [number, ClientInput])[]): string[] {
  const invite = sampleRequest('INVITE');
  return play(startInviteClient(invite, printMessage(invite), setting, 0), stepInviteClient, inputs);
}

describe('the times of an INVITE client transaction (RFC 3261 §17.1.1, table 4)', () => {
  const invites = [0, 500, 1500, 3500, 7500, 15_500, 31_500].map((ms) => `INVITE@${ms}`);
  for (const [rule, setting, inputs, expected] of [
    [
      'over UDP seven INVITEs are sent in 32 s, and then it times out',
      udp,
      [],
      [...invites, 'timeout@32000', 'over@32000'],
    ],
    [
      'over TCP one INVITE is sent, and the timeout is the same',
      tcp,
      [],
      ['INVITE@0', 'timeout@32000', 'over@32000'],
    ],
    [
      'a 1xx ends retransmission and the timeout',
      udp,
      [
        [600, answer('INVITE', 180)],
        [90_000, answer('INVITE', 183)],
      ],
      ['INVITE@0', 'INVITE@500', 'deliver 180@600', 'deliver 183@90000'],
    ],
    [
      'over UDP a refusal is acknowledged for 32 s',
      udp,
      [
        [100, answer('INVITE', 486)],
        [32_000, answer('INVITE', 486)],
      ],
      ['INVITE@0', 'ACK@100', 'deliver 486@100', 'ACK@32000', 'over@32100'],
    ],
    [
      'over TCP a refusal ends it at once',
      tcp,
      [[100, answer('INVITE', 486)]],
      ['INVITE@0', 'ACK@100', 'deliver 486@100', 'over@100'],
    ],
    [
      'RFC 6026: each 2xx is delivered for 64*T1, over TCP too',
      tcp,
      [
        [100, answer('INVITE', 200)],
        [32_099, answer('INVITE', 200)],
      ],
      ['INVITE@0', 'deliver 200@100', 'deliver 200@32099', 'over@32100'],
    ],
    [
      'after a 2xx a refusal of another fork is ignored',
      udp,
      [
        [100, answer('INVITE', 200)],
        [200, answer('INVITE', 486)],
      ],
      ['INVITE@0', 'deliver 200@100', 'over@32100'],
    ],
    [
      'after a refusal a 2xx of another fork is ignored',
      udp,
      [
        [100, answer('INVITE', 486)],
        [200, answer('INVITE', 200)],
      ],
      ['INVITE@0', 'ACK@100', 'deliver 486@100', 'over@32100'],
    ],
    [
      'timer D is 32 s also with a short T1',
      fast,
      [[50, answer('INVITE', 600)]],
      ['INVITE@0', 'ACK@50', 'deliver 600@50', 'over@32050'],
    ],
    [
      'an abandoned one stops at once',
      udp,
      [[700, { type: 'abandon' }]],
      ['INVITE@0', 'INVITE@500', 'over@700'],
    ],
  ] as const) {
    it(rule, () => assert.deepEqual(inviteClient(setting, ...inputs), expected));
  }
});

describe('the times of a non-INVITE client transaction (RFC 3261 §17.1.2)', () => {
  const run = (setting: TransactionSetting, ...inputs: (readonly [number, ClientInput])[]): string[] =>
    play(startNonInviteClient(printMessage(sampleRequest('BYE')), setting, 0), stepNonInviteClient, inputs);
  const at = (...times: number[]): string[] => times.map((ms) => `BYE@${ms}`);

  for (const [rule, setting, inputs, expected] of [
    [
      'intervals double up to T2, eleven requests in 32 s',
      udp,
      [],
      [
        ...at(0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500),
        'timeout@32000',
        'over@32000',
      ],
    ],
    ['over TCP one request is sent', tcp, [], ['BYE@0', 'timeout@32000', 'over@32000']],
    [
      'after a 1xx the interval is T2, and the timeout stays',
      udp,
      [[600, answer('BYE', 100)]],
      [
        'BYE@0',
        'BYE@500',
        'deliver 100@600',
        ...at(1500, 5500, 9500, 13_500, 17_500, 21_500, 25_500, 29_500),
        'timeout@32000',
        'over@32000',
      ],
    ],
    [
      'repeated answers are absorbed for T4',
      udp,
      [
        [100, answer('BYE', 200)],
        [5000, answer('BYE', 200)],
      ],
      ['BYE@0', 'deliver 200@100', 'over@5100'],
    ],
    [
      'over TCP an answer ends it at once',
      tcp,
      [[100, answer('BYE', 481)]],
      ['BYE@0', 'deliver 481@100', 'over@100'],
    ],
    [
      'the bounds follow T1, T2 and T4',
      fast,
      [],
      [
        ...at(
          0,
          100,
          300,
          700,
          1100,
          1500,
          1900,
          2300,
          2700,
          3100,
          3500,
          3900,
          4300,
          4700,
          5100,
          5500,
          5900,
          6300,
        ),
        'timeout@6400',
        'over@6400',
      ],
    ],
  ] as const) {
    it(rule, () => assert.deepEqual(run(setting, ...inputs), expected));
  }
});

describe('any order of inputs', () => {
  const clientInput: fc.Arbitrary<ClientInput> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .constantFrom(100, 180, 183, 200, 302, 404, 486, 503, 603)
        .map((status) => answer('INVITE', status)),
    },
    { weight: 1, arbitrary: fc.constantFrom<ClientInput>({ type: 'transport-failed' }, { type: 'abandon' }) },
  );
  const times = fc.array(fc.tuple(fc.nat(9000), clientInput), { maxLength: 12 });

  it('delivers one final refusal at most, a 2xx never after it, and ends within 64*T1 or timer D of its last change', () => {
    fc.assert(
      fc.property(times, fc.boolean(), (steps, reliable) => {
        let now = 0;
        const inputs = steps.map(([wait, input]) => {
          now += wait;
          return [now, input] as const;
        });
        const done = inviteClient(reliable ? tcp : udp, ...inputs);
        const delivered = done
          .filter((each) => each.startsWith('deliver'))
          .map((each) => Number(each.slice(8, 11)));
        const finals = delivered.filter((status) => status >= 200);
        const refusals = finals.filter((status) => status >= 300);
        assert.ok(refusals.length <= 1 && (refusals.length === 0 || finals.length === 1), `${done}`);
        // An answer with a final status is acknowledged here only when it is a refusal.
        const acks = done.filter((each) => each.startsWith('ACK')).length;
        assert.ok(refusals.length === 0 ? acks === 0 : acks >= 1, `${done}`);
        assert.ok(done.filter((each) => each.startsWith('INVITE')).length <= (reliable ? 1 : 7));
        const failed = done.filter((each) => /^(timeout|transport-failed)/.test(each)).length;
        assert.ok(failed <= 1 && (failed === 0 || finals.length === 0 || refusals.length === 1), `${done}`);
      }),
    );
  });
});
