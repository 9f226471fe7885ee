import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeaders, type SipResponse } from '@jackfield/sip';
import { answerEarlyOffer, noEarlyAnswers, takeFinalAnswer, takeProvisional } from './early-answers.ts';
import { type Agreed, makeOffer, newLegAudio } from './leg-audio.ts';
import { noSrtp } from './leg-srtp.ts';

/** A description of a phone at this address. */
function at(address: string, payloads = '0'): string {
  const lines = [
    'v=0',
    `o=- 1 1 IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio 5004 RTP/AVP ${payloads}`,
  ];
  return [...lines, ''].join('\r\n');
}

const a = at('10.0.0.1');
const b = at('10.0.0.2');
/** Payload type 18 is G.729, which this server does not support. */
const nothingInCommon = at('10.0.0.9', '18');

function response(tag: string, body: string, headers: readonly [string, string][] = []): SipResponse {
  const to = createHeaders([['To', `<sip:bob@example.com>;tag=${tag}`], ...headers]);
  return { kind: 'response', status: 183, reason: 'Session Progress', headers: to, body };
}

/** A call whose INVITE has our first offer; `playing` lists the addresses that the leg was connected to, in order. */
function world() {
  const local = { address: '192.0.2.1', sessionId: '1', srtp: noSrtp };
  let { audio, description } = makeOffer({ ...newLegAudio(local), port: 40_000 });
  const first = description;
  let early = noEarlyAnswers(first);
  const playing: string[] = [];

  function follow(next: Agreed): void {
    audio = next.audio;
    if (next.connect !== undefined) playing.push(next.connect.address);
  }

  return {
    first,
    playing,
    sent: () => ({ description: audio.sent, isOpen: audio.awaitsAnswer }),
    provisional(received: SipResponse): boolean {
      const next = takeProvisional(early, audio, received);
      early = next.early;
      follow(next);
      return next.isPlaying;
    },
    offered(tag: string, offer: string): string | undefined {
      const next = answerEarlyOffer(early, audio, tag, offer);
      early = next.early;
      follow(next);
      return next.description;
    },
    final(received: SipResponse): string {
      const next = takeFinalAnswer(early, audio, received);
      follow(next);
      return next.answer;
    },
  };
}

test('RFC 3311 §5.2: the agreement with the phone that answers counts, whatever other phones have offered after it', () => {
  const w = world();
  assert.notEqual(w.offered('a', a), undefined);
  assert.notEqual(w.offered('b', b), undefined);
  w.final(response('b', ''));
  assert.deepEqual(w.playing, ['10.0.0.1', '10.0.0.2'], 'b offered last');
  w.final(response('a', ''));
  assert.deepEqual(w.playing, ['10.0.0.1', '10.0.0.2', '10.0.0.1']);
});

test('A phone without an offer of its own answers our first offer', () => {
  const w = world();
  w.final(response('a', ''));
  assert.deepEqual(w.sent(), { description: w.first, isOpen: true });
  w.offered('a', a);
  assert.notEqual(w.sent().description, w.first);
  w.final(response('c', ''));
  assert.deepEqual(w.sent(), { description: w.first, isOpen: true });
});

test('An offer with no codec in common changes nothing', () => {
  const w = world();
  assert.equal(w.offered('a', nothingInCommon), undefined);
  assert.deepEqual(w.sent(), { description: w.first, isOpen: true });
  w.final(response('a', ''));
  assert.deepEqual(w.sent(), { description: w.first, isOpen: true });
  assert.deepEqual(w.playing, []);
});

test('RFC 3960 §2: the leg plays the first phone with early media until one answers the call', () => {
  const w = world();
  assert.equal(w.provisional(response('a', a)), true);
  assert.equal(w.provisional(response('b', b)), false);
  assert.equal(w.provisional(response('a', at('10.0.0.3'))), true);
  assert.deepEqual(w.playing, ['10.0.0.1', '10.0.0.3']);
  // The description of the 2xx is the answer, even if another phone played before.
  assert.equal(w.final(response('b', b)), b);
});

test('A 2xx without a description means the earlier description of the same phone', () => {
  const w = world();
  w.provisional(response('a', a));
  w.provisional(response('b', b));
  assert.equal(w.final(response('b', '')), b);
  assert.equal(w.final(response('c', '')), '');
});

test('A description with no codec in common is not played and leaves the turn to the next phone', () => {
  const w = world();
  assert.equal(w.provisional(response('a', nothingInCommon)), false);
  assert.equal(w.provisional(response('b', b)), true);
  assert.deepEqual(w.playing, ['10.0.0.2']);
});

test('The leg plays a phone by the offer that the phone made, whatever the phone answered before', () => {
  const w = world();
  w.provisional(response('a', a));
  w.offered('b', b);
  assert.equal(w.provisional(response('b', at('10.0.0.4'))), true);
  assert.equal(w.provisional(response('a', at('10.0.0.5'))), false);
  assert.deepEqual(w.playing, ['10.0.0.1', '10.0.0.2']);
  w.final(response('a', a));
  assert.deepEqual(w.sent(), { description: w.first, isOpen: true });
});

test('At most 64 phones of a forked call are kept', () => {
  const w = world();
  for (let each = 0; each < 100; each++) w.provisional(response(`fork ${each}`, at(`10.0.1.${each}`)));
  assert.equal(w.final(response('fork 63', '')), at('10.0.1.63'));
  assert.equal(w.final(response('fork 64', '')), '');
});

test('A body of another type is no description', () => {
  const w = world();
  assert.equal(w.provisional(response('a', 'hello', [['Content-Type', 'text/plain']])), false);
  assert.equal(w.provisional(response('a', '')), false);
  assert.deepEqual(w.playing, []);
});
