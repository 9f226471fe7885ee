import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import {
  answerTerms,
  expiryDelayMs,
  firstTermsHeaders,
  minSeOf,
  parseSessionExpires,
  refreshDelayMs,
  termsHeaders,
  termsOfAnswer,
  tooBriefFor,
} from './session-timer.ts';

const preferred = { requestedS: 1800, leastS: 90 };

function invite(...headers: [string, string][]) {
  return createRequest({
    method: 'INVITE',
    uri: 'sip:b@y',
    from: '<sip:a@x>;tag=a',
    to: '<sip:b@y>',
    callId: 'c',
    cseq: 1,
    headers,
  });
}

const supported: [string, string] = ['Supported', 'path, Timer'];
const expires = (value: string): [string, string] => ['Session-Expires', value];
const answer = (...headers: [string, string][]) => createResponse(invite(), 200, undefined, { headers });

test('RFC 4028 §4: Session-Expires holds seconds and an optional refresher', () => {
  assert.deepEqual(parseSessionExpires('1800'), { seconds: 1800, refresher: undefined });
  assert.deepEqual(parseSessionExpires('1800 ; Refresher=UAS;x=y'), { seconds: 1800, refresher: 'uas' });
  assert.deepEqual(parseSessionExpires('99999999999'), { seconds: 86_400, refresher: undefined });
  for (const text of ['', 'soon', '-1', '1.5', ';refresher=uac']) {
    assert.equal(parseSessionExpires(text), undefined, text);
  }
});

test('RFC 4028 §5: the default value of Min-SE is 90 seconds, and no value is below it', () => {
  assert.equal(minSeOf(invite()), 90);
  assert.equal(minSeOf(invite(['Min-SE', '30'])), 90);
  assert.equal(minSeOf(invite(['Min-SE', 'x'])), 90);
  assert.equal(minSeOf(invite(['Min-SE', '300;x=y'])), 300);
});

test('RFC 4028 §9: a request with a smaller interval than ours gets a 422, but only when its sender supports the timer', () => {
  assert.equal(tooBriefFor(invite(supported, expires('89')), preferred), 90);
  assert.equal(tooBriefFor(invite(supported, expires('90')), preferred), undefined);
  assert.equal(tooBriefFor(invite(expires('89')), preferred), undefined);
  assert.equal(tooBriefFor(invite(supported), preferred), undefined);
});

// RFC 4028, table 2: whether the caller supports timers, its refresher, the refresher in the 2xx.
for (const [supports, asked, refresher] of [
  [false, '', 'uas'],
  [true, '', 'uac'],
  [true, ';refresher=uac', 'uac'],
  [true, ';refresher=uas', 'uas'],
] as const) {
  const who = supports ? 'a caller that supports the timer' : 'a caller that does not';
  test(`RFC 4028 §9, table 2: ${who} and requests "300${asked}" is answered with refresher=${refresher}`, () => {
    const request = invite(...(supports ? [supported] : []), expires(`300${asked}`));
    const { terms, headers } = answerTerms(request, preferred);
    assert.deepEqual(terms, { intervalS: 300, minS: 90, weRefresh: refresher === 'uas' });
    const said = [['Session-Expires', `300;refresher=${refresher}`]];
    assert.deepEqual(headers, supports ? [...said, ['Require', 'timer']] : said);
  });
}

test('RFC 4028 §9: the UAS may lower the interval, but not below the Min-SE of the request, and MUST NOT raise it', () => {
  const of = (...headers: [string, string][]) => answerTerms(invite(supported, ...headers), preferred).terms;
  assert.equal(of(expires('7200'))?.intervalS, 1800);
  assert.equal(of(expires('7200'), ['Min-SE', '3600'])?.intervalS, 3600);
  assert.equal(of(expires('120'))?.intervalS, 120);
});

test('RFC 4028 §9: without Session-Expires the UAS requests a timer only from a caller that supports it', () => {
  assert.deepEqual(answerTerms(invite(supported), preferred).terms, {
    intervalS: 1800,
    minS: 90,
    weRefresh: false,
  });
  assert.deepEqual(answerTerms(invite(), preferred), { terms: undefined, headers: [] });
  assert.equal(
    answerTerms(invite(expires('5')), preferred).terms,
    undefined,
    'too often for us, from a peer that cannot handle a 422',
  );
});

test('RFC 4028 §7.2: a 2xx without Session-Expires means no expiration; its refresher is the UAC by default', () => {
  assert.equal(termsOfAnswer(answer(), 90), undefined);
  assert.equal(termsOfAnswer(answer(expires('300')), 90)?.weRefresh, true);
  assert.equal(termsOfAnswer(answer(expires('300;refresher=uac')), 90)?.weRefresh, true);
  assert.equal(termsOfAnswer(answer(expires('300;refresher=uas')), 90)?.weRefresh, false);
  assert.equal(termsOfAnswer(answer(expires('1;refresher=uac')), 90)?.intervalS, 90);
});

test('RFC 4028 §7.1 and §7.3: the first INVITE requests our interval, and after a 422 at least its Min-SE', () => {
  assert.deepEqual(firstTermsHeaders(preferred), [['Session-Expires', '1800']]);
  assert.deepEqual(firstTermsHeaders(preferred, 3600), [
    ['Session-Expires', '3600'],
    ['Min-SE', '3600'],
  ]);
});

test('RFC 4028 §7.4: a refresh carries the interval and names the same refresher, seen from its own sender', () => {
  const terms = { intervalS: 300, minS: 90, weRefresh: true };
  assert.deepEqual(termsHeaders(terms), [['Session-Expires', '300;refresher=uac']]);
  assert.deepEqual(termsHeaders({ ...terms, weRefresh: false }), [['Session-Expires', '300;refresher=uas']]);
  assert.deepEqual(termsHeaders({ ...terms, minS: 120 })[1], ['Min-SE', '120']);
  assert.deepEqual(termsHeaders(undefined), []);
});

test('RFC 4028 §10: a refresh is due after half of the interval, and BYE the lesser of 32 s and a third before its end', () => {
  const of = (intervalS: number) => {
    const terms = { intervalS, minS: 90, weRefresh: true };
    return [refreshDelayMs(terms), expiryDelayMs(terms)];
  };
  assert.deepEqual(of(1800), [900_000, 1_768_000]);
  assert.deepEqual(of(90), [45_000, 60_000]);
});
