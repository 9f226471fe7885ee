import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RegisterOrder, RegisterOutcome } from '@jackfield/ports';
import { createHeaders, type RequestOutcome, type UserAgent } from '@jackfield/sip';
import { createCarrierRequests } from './carrier-requests.ts';

const order: RegisterOrder = {
  carrier: 'acme',
  registrar: 'sip:registrar.example.net;transport=tcp',
  aor: 'sip:trunk7@example.net',
  expiresSeconds: 600,
};

function response(status: number, headers: readonly (readonly [string, string])[], cseq = 1): RequestOutcome {
  return {
    type: 'response',
    cseq,
    response: { kind: 'response', status, reason: '', headers: createHeaders(headers), body: '' },
  };
}

/** Requests to carriers of an edge at 192.0.2.9, whose carrier gives these answers in turn. */
function requestsTo(...answers: readonly RequestOutcome[]) {
  const sent: Parameters<UserAgent['request']>[0][] = [];
  let calls = 0;
  const carriers = createCarrierRequests({
    request(options, settled) {
      sent.push(options);
      settled(answers[sent.length - 1] ?? { type: 'failed', failure: 'timeout' });
    },
    accounts: (carrier) => (carrier === 'acme' ? { username: 'u', password: 'p' } : undefined),
    addressFor: () => ({ host: '192.0.2.9', port: 5070 }),
    domain: 'sip.example.com',
    secrets: { randomUuid: () => `uuid-${++calls}` },
  });
  const register = (changes: Partial<RegisterOrder> = {}): RegisterOutcome => {
    let outcome: RegisterOutcome | undefined;
    carriers.register({ ...order, ...changes }, (settled) => {
      outcome = settled;
    });
    return outcome ?? assert.fail('no outcome');
  };
  return { carriers, sent, register };
}

describe('A REGISTER to a carrier', () => {
  it('binds our Contact to the address of record, with the account of the carrier', () => {
    const { sent, register } = requestsTo(response(200, []));
    register();
    const [{ method, uri, from, to, headers, credentials } = assert.fail()] = sent;
    assert.deepEqual(
      { method, uri, from, to, headers, credentials },
      {
        method: 'REGISTER',
        uri: order.registrar,
        from: `<${order.aor}>`,
        to: `<${order.aor}>`,
        headers: [
          ['Contact', '<sip:trunk7@192.0.2.9:5070;transport=tcp>'],
          ['Expires', '600'],
        ],
        credentials: { username: 'u', password: 'p' },
      },
    );
  });

  it('has no transport and no credentials where the carrier has none, and a user in any case', () => {
    const { sent, register } = requestsTo();
    register({ carrier: 'open', registrar: 'sip:example.org', aor: 'sip:example.org' });
    assert.deepEqual(sent[0]?.headers?.[0], ['Contact', '<sip:jackfield@192.0.2.9:5070>']);
    assert.ok(sent[0] !== undefined && !('credentials' in sent[0]));
  });

  it('shares the Call-ID of its carrier, and has a higher CSeq than all before, repeated ones included (RFC 3261 §10.2)', () => {
    const { sent, register } = requestsTo(response(200, [], 2), response(200, [], 3));
    for (const carrier of ['acme', 'acme', 'other', 'acme']) register({ carrier });
    assert.deepEqual(
      sent.map(({ callId, cseq }) => [callId, cseq]),
      [
        ['uuid-1', 1],
        ['uuid-1', 3],
        ['uuid-2', 1],
        ['uuid-1', 4],
      ],
    );
  });

  const own = '<sip:trunk7@192.0.2.9:5070;transport=tcp>';
  const granted: readonly (readonly [string, readonly (readonly [string, string])[], number])[] = [
    ['the expires of our own Contact', [['Contact', `${own};expires=120`]], 120],
    [
      'not that of another Contact',
      [
        ['Contact', '<sip:trunk7@192.0.2.1>;expires=60'],
        ['Contact', `${own};expires=120`],
      ],
      120,
    ],
    [
      'the header, where our Contact has none',
      [
        ['Contact', own],
        ['Expires', '90'],
      ],
      90,
    ],
    ['the requested time, where the answer names none', [], 600],
    ['the requested time, where the answer has 0', [['Expires', '0']], 600],
    ['the requested time, where the answer has no number', [['Expires', 'soon']], 600],
  ];
  for (const [rule, headers, seconds] of granted) {
    it(`lasts for ${rule}`, () => {
      const { register } = requestsTo(response(200, headers));
      assert.deepEqual(register(), { type: 'registered', expiresSeconds: seconds });
    });
  }

  it('that is refused has its status, and the Min-Expires of a 423', () => {
    const { register } = requestsTo(response(423, [['Min-Expires', '1800']]), response(403, []));
    assert.deepEqual(register(), { type: 'refused', status: 423, minExpiresSeconds: 1_800 });
    assert.deepEqual(register(), { type: 'refused', status: 403 });
  });

  it('without an answer is unanswered', () => {
    assert.deepEqual(requestsTo().register(), { type: 'unanswered' });
  });
});

describe('OPTIONS to a carrier', () => {
  it('gives the status of any answer, and undefined without one', () => {
    const { carriers, sent } = requestsTo(response(404, []));
    const statuses: (number | undefined)[] = [];
    for (let probe = 0; probe < 2; probe++)
      carriers.probe('sip:example.net', (status) => statuses.push(status));
    assert.deepEqual(statuses, [404, undefined]);
    assert.deepEqual(
      [sent[0]?.method, sent[0]?.from, sent[0]?.to],
      ['OPTIONS', '<sip:ping@sip.example.com>', '<sip:example.net>'],
    );
  });
});
