import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import { keyOfInfo } from './info-digit.ts';
import {
  answerTerms,
  expiryDelayMs,
  firstTermsHeaders,
  LONGEST_INTERVAL_S,
  minSeOf,
  namesOption,
  parseSessionExpires,
  refreshDelayMs,
  type SessionTerms,
  termsHeaders,
  termsOfAnswer,
  tooBriefFor,
} from './session-timer.ts';

const preferred = { requestedS: 1800, leastS: 90 };
type Fields = readonly (readonly [name: string, value: string])[];
const request = (headers: Fields, method = 'INVITE', body = '') =>
  createRequest({
    method,
    uri: 'sip:b@y',
    from: '<sip:a@x>;tag=a',
    to: '<sip:b@y>',
    callId: 'c',
    cseq: 1,
    headers: headers.map(([name, value]) => [name, value]),
    body,
  });
const terms = (intervalS: number, more: Partial<SessionTerms> = {}): SessionTerms => ({
  intervalS,
  minS: 90,
  weRefresh: true,
  ...more,
});

describe('Session-Expires and Min-SE (RFC 4028 §4, §5)', () => {
  for (const [value, seconds, refresher] of [
    ['1800', 1800, undefined],
    ['1800;refresher=uas', 1800, 'uas'],
    ['90 ; Refresher=UAC', 90, 'uac'],
    ['90;x=y;refresher=uas', 90, 'uas'],
    ['90;refresher=proxy', 90, undefined],
    ['0', 0, undefined],
    ['86400', 86_400, undefined],
    ['86401', 86_400, undefined],
    ['99999999999', 86_400, undefined],
  ] as const) {
    it(`${value} is ${seconds} s and refreshed by ${refresher ?? 'neither'}`, () =>
      assert.deepEqual(parseSessionExpires(value), { seconds, refresher }));
  }

  for (const value of ['', 'soon', '-1', '1.5', '90;refresher="', '90 s']) {
    it(`${JSON.stringify(value)} is malformed`, () => assert.equal(parseSessionExpires(value), undefined));
  }

  for (const [fields, seconds] of [
    [[], 90],
    [[['Min-SE', '30']], 90],
    [[['Min-SE', '91']], 91],
    [[['Min-SE', '120 ; x=y']], 120],
    [[['Min-SE', 'x']], 90],
    [[['Min-SE', '999999999']], LONGEST_INTERVAL_S],
  ] as const) {
    it(`Min-SE ${fields[0]?.[1] ?? 'that is absent'} is ${seconds} s`, () =>
      assert.equal(minSeOf(request(fields)), seconds));
  }

  for (const [fields, is] of [
    [[['Supported', 'timer']], true],
    [[['Supported', '100rel, Timer ,replaces']], true],
    [[['k', 'timer']], true],
    [
      [
        ['Supported', '100rel'],
        ['Supported', 'timer'],
      ],
      true,
    ],
    [[['Supported', 'timers']], false],
    [[['Supported', '']], false],
    [[['Require', 'timer']], false],
    [[], false],
  ] as const) {
    it(`${fields.map((field) => field.join(': ')).join(' / ') || 'no field'} ${is ? 'names' : 'does not name'} the option`, () =>
      assert.equal(namesOption(request(fields), 'Supported', 'timer'), is));
  }
});

describe('the answer to a request with a timer (RFC 4028 §9, table 2)', () => {
  const supported = ['Supported', 'timer'] as const;
  for (const [rule, fields, expected] of [
    ['neither support nor interval: no timer', [], undefined],
    ['support alone: our interval, and the caller refreshes', [supported], [1800, 90, false]],
    ['interval without support: we refresh', [['Session-Expires', '600']], [600, 90, true]],
    ['a short interval without support: no timer', [['Session-Expires', '60']], undefined],
    ['support and interval: the caller refreshes', [supported, ['Session-Expires', '600']], [600, 90, false]],
    ['the caller asks us to refresh', [supported, ['Session-Expires', '600;refresher=uas']], [600, 90, true]],
    [
      'an interval above ours is lowered to ours',
      [supported, ['Session-Expires', '7200']],
      [1800, 90, false],
    ],
    [
      'an interval is not lowered below the Min-SE of the request',
      [supported, ['Session-Expires', '7200'], ['Min-SE', '3600']],
      [3600, 3600, false],
    ],
    ['a malformed interval counts as none', [supported, ['Session-Expires', 'x']], [1800, 90, false]],
  ] as const) {
    it(rule, () => {
      const { terms: agreed, headers } = answerTerms(request(fields), preferred);
      assert.deepEqual(agreed && [agreed.intervalS, agreed.minS, agreed.weRefresh], expected);
      const named = Object.fromEntries(headers);
      if (expected === undefined) assert.deepEqual(headers, []);
      else assert.equal(named['Session-Expires'], `${expected[0]};refresher=${expected[2] ? 'uas' : 'uac'}`);
      // Require goes only to a caller that supports the timer.
      assert.equal(
        named['Require'],
        expected !== undefined && fields.some(([name]) => name === 'Supported') ? 'timer' : undefined,
      );
    });
  }

  for (const [rule, fields, least] of [
    ['below ours, with support', [supported, ['Session-Expires', '89']], 90],
    ['exactly ours', [supported, ['Session-Expires', '90']], undefined],
    ['below ours, without support', [['Session-Expires', '89']], undefined],
    ['no interval', [supported], undefined],
    ['a malformed interval', [supported, ['Session-Expires', 'x']], undefined],
  ] as const) {
    it(`an interval ${rule} ${least === undefined ? 'is accepted' : `gets 422 with ${least}`}`, () =>
      assert.equal(tooBriefFor(request(fields), preferred), least));
  }

  it('both sides compute the same session timer from one exchange, with opposite refreshers', () => {
    const interval = fc.option(fc.integer({ min: 90, max: 10_000 }));
    fc.assert(
      fc.property(
        interval,
        fc.constantFrom('', ';refresher=uac', ';refresher=uas'),
        fc.boolean(),
        fc.integer({ min: 90, max: 5000 }),
        (asked, refresher, supports, minS) => {
          const fields: (readonly [string, string])[] = [];
          if (supports) fields.push(supported);
          if (asked !== null)
            fields.push(['Session-Expires', `${Math.max(asked, minS)}${refresher}`], ['Min-SE', `${minS}`]);
          const invite = request(fields);
          const { terms: ours, headers } = answerTerms(invite, preferred);
          const theirs = termsOfAnswer(
            createResponse(invite, 200, undefined, {
              headers: headers.map(([name, value]) => [name, value]),
            }),
            90,
          );
          assert.equal(theirs?.intervalS, ours?.intervalS);
          if (ours === undefined) return;
          assert.equal(theirs!.weRefresh, !ours.weRefresh);
          assert.ok(ours.intervalS >= ours.minS && ours.intervalS >= 90);
          // The interval is never raised above the request's (§9).
          if (asked !== null) assert.ok(ours.intervalS <= Math.max(asked, minS));
        },
      ),
    );
  });
});

describe('the requests of a session with a timer', () => {
  const shown = (headers: readonly (readonly [string, string])[]): string =>
    headers.map((header) => header.join(': ')).join(', ');
  for (const [rule, headers, expected] of [
    ['the first request has our interval', firstTermsHeaders(preferred), 'Session-Expires: 1800'],
    [
      'after a 422 with less than ours, Min-SE is repeated',
      firstTermsHeaders(preferred, 600),
      'Session-Expires: 1800, Min-SE: 600',
    ],
    [
      'after a 422 with more than ours, its Min-SE is requested',
      firstTermsHeaders(preferred, 3600),
      'Session-Expires: 3600, Min-SE: 3600',
    ],
    ['an own refresh', termsHeaders(terms(600)), 'Session-Expires: 600;refresher=uac'],
    [
      'our request while the other side refreshes',
      termsHeaders(terms(600, { weRefresh: false })),
      'Session-Expires: 600;refresher=uas',
    ],
    [
      'our request has the largest Min-SE that was seen',
      termsHeaders(terms(600, { minS: 300 })),
      'Session-Expires: 600;refresher=uac, Min-SE: 300',
    ],
    [
      'an interval is never below that Min-SE',
      termsHeaders(terms(100, { minS: 300 })),
      'Session-Expires: 300;refresher=uac, Min-SE: 300',
    ],
    ['without a timer there are no fields', termsHeaders(undefined), ''],
  ] as const) {
    it(rule, () => assert.equal(shown(headers), expected));
  }

  for (const [intervalS, refreshMs, endMs] of [
    [90, 45_000, 60_000],
    [95, 47_500, 95_000 - 31_666],
    [96, 48_000, 64_000],
    [100, 50_000, 68_000],
    [1800, 900_000, 1_768_000],
  ] as const) {
    it(`of ${intervalS} s is refreshed after ${refreshMs} ms and ended after ${endMs} ms (RFC 4028 §10)`, () => {
      assert.deepEqual(
        [refreshDelayMs(terms(intervalS)), expiryDelayMs(terms(intervalS))],
        [refreshMs, endMs],
      );
      assert.ok(refreshMs < endMs && endMs < intervalS * 1000);
    });
  }

  for (const [value, expected] of [
    ['1800', [1800, true]],
    ['1800;refresher=uac', [1800, true]],
    ['1800;refresher=uas', [1800, false]],
    ['10', [90, true]],
    ['x', undefined],
  ] as const) {
    it(`an answer with Session-Expires ${value}`, () => {
      const agreed = termsOfAnswer(
        createResponse(request([]), 200, undefined, { headers: [['Session-Expires', value]] }),
        90,
      );
      assert.deepEqual(agreed && [agreed.intervalS, agreed.weRefresh], expected);
    });
  }
});

describe('keys in INFO', () => {
  const key = (type: string, body: string) => keyOfInfo(request([['Content-Type', type]], 'INFO', body));
  const relay = 'application/dtmf-relay';

  for (const [rule, type, body, expected] of [
    ['the usual form', relay, 'Signal=5\r\nDuration=160\r\n', ['5', 160]],
    ['line feeds alone', relay, 'Signal=5\nDuration=250', ['5', 250]],
    ['carriage returns alone', relay, 'Signal=5\rDuration=250', ['5', 250]],
    ['spaces around the equals sign', relay, 'Signal = #\r\nDuration = 100', ['#', 100]],
    ['names without case', relay, 'SIGNAL=a\r\nduration=90', ['A', 90]],
    ['the duration first', relay, 'Duration=90\r\nSignal=*', ['*', 90]],
    ['no duration', relay, 'Signal=0', ['0', 160]],
    ['a duration that is no number', relay, 'Signal=0\r\nDuration=long', ['0', 160]],
    ['a duration of more than a minute', relay, 'Signal=0\r\nDuration=60001', ['0', 160]],
    ['the longest duration', relay, 'Signal=0\r\nDuration=60000', ['0', 60_000]],
    ['star as 10', relay, 'Signal=10', ['*', 160]],
    ['hash as 11', relay, 'Signal=11', ['#', 160]],
    ['12 is no key', relay, 'Signal=12', undefined],
    ['a flash is no key', relay, 'Signal=!', undefined],
    ['no signal', relay, 'Duration=160', undefined],
    ['the last of two signals counts', relay, 'Signal=1\r\nSignal=2', ['2', 160]],
    [
      'the type without case, with parameters',
      'Application/DTMF-Relay; charset=utf-8',
      'Signal=D',
      ['D', 160],
    ],
    ['the plain form', 'application/dtmf', '7', ['7', 160]],
    ['the plain form with a line break', 'application/dtmf', ' 7\r\n', ['7', 160]],
    ['the plain form with two keys', 'application/dtmf', '77', undefined],
    ['an empty plain form', 'application/dtmf', '', undefined],
    ['another type', 'text/plain', 'Signal=5', undefined],
    ['no type', '', 'Signal=5', undefined],
    ['a body beyond its limit', relay, `Signal=5\r\n${' '.repeat(250)}`, undefined],
  ] as const) {
    it(rule, () => {
      const pressed = key(type, body);
      assert.deepEqual(pressed && [pressed.digit, pressed.durationMs], expected);
    });
  }
});
