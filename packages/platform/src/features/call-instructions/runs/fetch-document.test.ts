import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EgressOutcome, EgressProblemKind, EgressRequest } from '@jackfield/ports';
import { type FetchDeps, fetchDocument, type RequestSettings } from './fetch-document.ts';

const url = 'https://example.com/answer?key=secret';
const settings: RequestSettings = {
  url,
  connectMs: 2_000,
  readMs: 40_000,
  totalMs: 55_000,
  retries: 1,
  retryOn: new Set(['ct', 'rt']),
};

/** A server with a list of answers, each after the same time. */
function server(outcomes: readonly EgressOutcome[], changes: Partial<RequestSettings> = {}, tookMs = 10) {
  const requests: EgressRequest[] = [];
  let now = 0;
  const deps: FetchDeps = {
    clock: { now: () => now, wallNow: () => now, startTimer: () => () => {} },
    settingsOf: () => ({ ...settings, ...changes }),
    sign: async ({ url: to, method, fields }) => ({
      url: method === 'GET' ? `${to}&${new URLSearchParams(fields)}` : to,
      headers: { 'X-Signed': to },
      body: new URLSearchParams(fields).toString(),
    }),
    egress: {
      async send(request) {
        requests.push(request);
        now += tookMs;
        const outcome = outcomes[requests.length - 1];
        assert.ok(outcome, 'more requests than answers');
        return outcome;
      },
    },
  };
  const fetched = (method: 'GET' | 'POST' = 'POST') =>
    fetchDocument(deps, {
      request: { url, method },
      fields: { Event: 'StartApp' },
      account: 'SA',
      mainAccount: 'MA',
      signal: new AbortController().signal,
    });
  return { requests, fetched };
}

const body = new TextEncoder().encode('<Response/>');
const fine: EgressOutcome = { status: 200, headers: {}, body };
const problem = (kind: EgressProblemKind): EgressOutcome => ({
  problem: { kind, sentence: `it was ${kind}` },
});
const status = (code: number, location?: string): EgressOutcome => ({
  status: code,
  headers: location === undefined ? {} : { location },
  body: new Uint8Array(),
});

describe('a document is requested', () => {
  it('by a signed POST with 15 s and 100 KB at most', async () => {
    const { requests, fetched } = server([fine]);
    assert.deepEqual(await fetched(), { ok: true, body });
    const [request] = requests;
    assert.equal(request?.body, 'Event=StartApp');
    assert.equal(request?.headers['X-Signed'], url);
    assert.deepEqual(request?.timeouts, { connectMs: 2_000, readMs: 15_000, totalMs: 15_000 });
    assert.equal(request?.maxBodyBytes, 102_400);
  });

  it('by a GET without a body', async () => {
    const { requests, fetched } = server([fine]);
    await fetched('GET');
    assert.equal(requests[0]?.body, undefined);
    assert.equal(requests[0]?.url, `${url}&Event=StartApp`);
  });

  it('again when the settings of its URL say so, within the time for all attempts', async () => {
    const again = server([problem('connect-timeout'), fine]);
    assert.deepEqual(await again.fetched(), { ok: true, body });
    assert.equal(again.requests[1]?.timeouts.totalMs, 14_990);
    const late = server([problem('read-timeout')], {}, 15_000);
    assert.equal((await late.fetched()).ok, false);
    const serverError = server([status(503), fine], { retryOn: new Set(['5xx']) });
    assert.equal((await serverError.fetched()).ok, true);
  });

  for (const outcome of [
    status(500),
    status(404),
    problem('refused'),
    problem('too-large'),
    problem('aborted'),
  ]) {
    it(`once when the outcome is ${'status' in outcome ? outcome.status : outcome.problem?.kind}`, async () => {
      const { requests, fetched } = server([outcome]);
      const answered = await fetched();
      assert.deepEqual([answered.ok, requests.length], [false, 1]);
    });
  }

  it('without showing the query of its URL in the sentence', async () => {
    const { fetched } = server([status(500)]);
    assert.deepEqual(await fetched(), {
      ok: false,
      fault: 'unreachable',
      sentence: 'https://example.com/answer answered with status 500 instead of 200',
    });
  });

  it('without compression, and a compressed document is refused with the reason', async () => {
    const coded = (encoding: string): EgressOutcome => ({
      ...fine,
      headers: { 'content-encoding': encoding },
    });
    const { requests, fetched } = server([coded('gzip'), coded('identity')]);
    assert.deepEqual(await fetched(), {
      ok: false,
      fault: 'xml',
      sentence: 'https://example.com/answer answered with a compressed document: send it as it is',
    });
    assert.equal(requests[0]?.headers['Accept-Encoding'], 'identity');
    assert.equal((await fetched()).ok, true);
  });

  it('never at an invalid URL: its fault is the URL', async () => {
    for (const bad of ['nonsense', 'file:///etc/passwd', 'ftp://example.com/']) {
      const { requests, fetched } = server([], { url: bad });
      const answered = await fetched();
      assert.deepEqual([answered.ok, !answered.ok && answered.fault, requests.length], [false, 'url', 0]);
    }
  });
});

describe('a redirection', () => {
  it('with 307 or 308 keeps the method, any other makes a GET; each is signed anew', async () => {
    const kept = server([status(307, '/other'), fine]);
    assert.equal((await kept.fetched()).ok, true);
    assert.deepEqual(
      [kept.requests[1]?.method, kept.requests[1]?.url],
      ['POST', 'https://example.com/other'],
    );
    assert.equal(kept.requests[1]?.headers['X-Signed'], 'https://example.com/other');
    const changed = server([status(302, 'http://example.org/'), fine]);
    await changed.fetched();
    assert.equal(changed.requests[1]?.method, 'GET');
  });

  it('is followed three times, and never to another scheme than HTTP', async () => {
    const round = status(302, '/round');
    const circle = server([round, round, round, round]);
    assert.equal((await circle.fetched()).ok, false);
    assert.equal(circle.requests.length, 4);
    const elsewhere = server([status(302, 'file:///etc/passwd')]);
    assert.equal((await elsewhere.fetched()).ok, false);
  });
});
