import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServerInput } from './effects.ts';
import { type InviteServerInput, startInviteServer, stepInviteServer } from './invite-server.ts';
import { startNonInviteServer, stepNonInviteServer } from './non-invite-server.ts';
import { play } from './testing/play.ts';
import { tcp, udp } from './testing/words.ts';
import type { TransactionSetting } from './timers.ts';

const respond = (status: number): ServerInput => ({ type: 'respond', status, text: `${status}` });

describe('the times of an INVITE server transaction (RFC 3261 §17.2.1, RFC 6026 §7.1)', () => {
  const run = (setting: TransactionSetting, ...inputs: (readonly [number, InviteServerInput])[]): string[] =>
    play(startInviteServer(setting, 0), stepInviteServer, inputs);

  for (const [rule, setting, inputs, expected] of [
    ['a 100 is due after 200 ms without an answer', udp, [], ['trying-due@200']],
    [
      'an answer within 200 ms needs none',
      udp,
      [
        [199, respond(180)],
        [300, { type: 'request' }],
      ],
      ['180@199', '180@300'],
    ],
    [
      'over UDP a refusal is repeated at doubling intervals up to T2 until 32 s',
      udp,
      [[0, respond(486)]],
      [
        '486@0',
        '486@500',
        '486@1500',
        '486@3500',
        '486@7500',
        '486@11500',
        '486@15500',
        '486@19500',
        '486@23500',
        '486@27500',
        '486@31500',
        'timeout@32000',
        'over@32000',
      ],
    ],
    [
      'over TCP a refusal is sent once and waits for its ACK',
      tcp,
      [[0, respond(486)]],
      ['486@0', 'timeout@32000', 'over@32000'],
    ],
    [
      'an ACK ends the repetition; over UDP further ones are absorbed for T4',
      udp,
      [
        [0, respond(486)],
        [600, { type: 'ack' }],
        [700, { type: 'ack' }],
      ],
      ['486@0', '486@500', 'over@5600'],
    ],
    [
      'over TCP an ACK ends it at once',
      tcp,
      [
        [0, respond(486)],
        [600, { type: 'ack' }],
      ],
      ['486@0', 'over@600'],
    ],
    [
      'a repeated INVITE gets the refusal again',
      udp,
      [
        [0, respond(486)],
        [100, { type: 'request' }],
      ],
      [
        '486@0',
        '486@100',
        '486@500',
        '486@1500',
        '486@3500',
        '486@7500',
        '486@11500',
        '486@15500',
        '486@19500',
        '486@23500',
        '486@27500',
        '486@31500',
        'timeout@32000',
        'over@32000',
      ],
    ],
    [
      'after a 2xx repeated INVITEs get nothing, and ACKs are delivered for 64*T1',
      udp,
      [
        [0, respond(200)],
        [100, { type: 'request' }],
        [200, respond(200)],
        [31_999, { type: 'ack' }],
      ],
      ['200@0', '200@200', 'deliver-ack@31999', 'over@32000'],
    ],
    [
      'after a 2xx no other answer is sent',
      tcp,
      [
        [0, respond(200)],
        [100, respond(486)],
        [200, respond(180)],
      ],
      ['200@0', 'over@32000'],
    ],
    [
      'after a refusal no other answer is sent',
      tcp,
      [
        [0, respond(486)],
        [100, respond(200)],
        [200, { type: 'ack' }],
      ],
      ['486@0', 'over@200'],
    ],
  ] as const) {
    it(rule, () => assert.deepEqual(run(setting, ...inputs), expected));
  }
});

describe('the times of a non-INVITE server transaction (RFC 3261 §17.2.2)', () => {
  const run = (setting: TransactionSetting, ...inputs: (readonly [number, ServerInput])[]): string[] =>
    play({ state: startNonInviteServer(setting), effects: [] }, stepNonInviteServer, inputs);
  for (const [rule, setting, inputs, expected] of [
    [
      'over UDP the answer is repeated for each repeated request until 64*T1',
      udp,
      [
        [100, respond(200)],
        [200, { type: 'request' }],
        [32_099, { type: 'request' }],
      ],
      ['200@100', '200@200', '200@32099', 'over@32100'],
    ],
    ['over TCP the answer ends it', tcp, [[100, respond(200)]], ['200@100', 'over@100']],
    [
      'before an answer a repeated request gets nothing',
      udp,
      [
        [50, { type: 'request' }],
        [100, respond(404)],
      ],
      ['404@100', 'over@32100'],
    ],
    [
      'a second answer is discarded',
      udp,
      [
        [100, respond(200)],
        [200, respond(500)],
      ],
      ['200@100', 'over@32100'],
    ],
  ] as const) {
    it(rule, () => assert.deepEqual(run(setting, ...inputs), expected));
  }
});
