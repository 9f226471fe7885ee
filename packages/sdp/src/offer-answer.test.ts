import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerOffer, isAcceptable } from './answer-offer.ts';
import { applyAnswer } from './apply-answer.ts';
import { pcmaCapability, pcmuCapability } from './codec-capability.ts';
import { createOffer } from './create-offer.ts';
import type { Direction } from './direction.ts';
import type { MediaCapabilities } from './local-media.ts';
import { parseSdp } from './parse-sdp.ts';

const codecs = [pcmuCapability, pcmaCapability];
const ours: MediaCapabilities = { codecs, address: '192.0.2.2', port: 5000 };
const local = { sessionId: '7' };

/** An offer of a phone; each argument is one line after the session part. */
function offer(...lines: string[]): string {
  return [
    'v=0',
    'o=phone 2890844526 2890844526 IN IP4 198.51.100.1',
    's=-',
    'c=IN IP4 198.51.100.1',
    't=0 0',
    ...lines,
    '',
  ].join('\r\n');
}

function answered(text: string, capabilities: MediaCapabilities = ours) {
  const result = answerOffer(text, capabilities, local);
  assert.ok('agreed' in result, JSON.stringify(result));
  return result;
}

function problemOf(result: object): string | undefined {
  return 'problem' in result ? String(result.problem) : undefined;
}

const mediaLines = (text: string) => text.split('\r\n').filter((line) => line.startsWith('m='));
const has = (text: string, line: string) => text.split('\r\n').includes(line);

describe('answerOffer', () => {
  it('"the answer MUST contain exactly the same number of m= lines as the offer" (RFC 3264 §6), in its order', () => {
    const { answer } = answered(
      offer(
        'm=video 51372 RTP/AVP 31 34',
        'm=audio 49170 RTP/AVP 0',
        'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
        'm=audio 49180 RTP/AVP 8',
      ),
    );
    assert.deepEqual(mediaLines(answer), [
      'm=video 0 RTP/AVP 31 34',
      'm=audio 5000 RTP/AVP 0',
      'm=application 0 UDP/DTLS/SCTP webrtc-datachannel',
      'm=audio 0 RTP/AVP 8',
    ]);
  });

  it('"the t= line in the answer MUST equal that of the offer" (RFC 3264 §6)', () => {
    const text = offer('m=audio 49170 RTP/AVP 0').replace('t=0 0', 't=2873397496 2873404696');
    assert.ok(has(answered(text).answer, 't=2873397496 2873404696'));
  });

  for (const [offered, requested, expected] of [
    ['sendrecv', 'sendrecv', 'sendrecv'],
    ['sendonly', 'sendrecv', 'recvonly'],
    ['recvonly', 'sendrecv', 'sendonly'],
    ['inactive', 'sendrecv', 'inactive'],
    ['sendrecv', 'sendonly', 'sendonly'],
    ['sendrecv', 'inactive', 'inactive'],
    ['sendonly', 'sendonly', 'inactive'],
    ['recvonly', 'recvonly', 'inactive'],
  ] as [Direction, Direction, Direction][]) {
    it(`${offered} is answered ${expected} when we request ${requested} (RFC 3264 §6.1)`, () => {
      const { answer, agreed } = answered(offer('m=audio 49170 RTP/AVP 0', `a=${offered}`), {
        ...ours,
        direction: requested,
      });
      assert.ok(has(answer, `a=${expected}`));
      assert.equal(agreed.direction, expected);
    });
  }

  it('a direction of the session holds for streams without their own (RFC 8866 §6.7)', () => {
    const text = offer('m=audio 49170 RTP/AVP 0').replace('t=0 0', 't=0 0\r\na=sendonly');
    assert.equal(answered(text).agreed.direction, 'recvonly');
  });

  it('c=0.0.0.0 means that nothing should be sent to the peer (RFC 3264 §8.4)', () => {
    const { answer, agreed } = answered(offer('m=audio 49170 RTP/AVP 0', 'c=IN IP4 0.0.0.0', 'a=sendrecv'));
    assert.equal(agreed.isHeldByRemote, true);
    assert.equal(agreed.direction, 'recvonly');
    assert.ok(has(answer, 'a=recvonly'));
  });

  it('a sendonly offer is a hold; a recvonly one is not', () => {
    const directions = ['sendonly', 'inactive', 'recvonly', 'sendrecv'];
    const held = directions.map(
      (direction) => answered(offer('m=audio 1000 RTP/AVP 0', `a=${direction}`)).agreed.isHeldByRemote,
    );
    assert.deepEqual(held, [true, true, false, false]);
  });

  it('"it is RECOMMENDED that the answerer list formats in the same relative order" as the offer (RFC 3264 §6.1)', () => {
    const { answer, agreed } = answered(offer('m=audio 49170 RTP/AVP 18 8 3 0'));
    assert.deepEqual(mediaLines(answer), ['m=audio 5000 RTP/AVP 8 0']);
    assert.equal(agreed.codec.name, 'PCMA');
    assert.deepEqual(
      agreed.receive.map(({ payloadType }) => payloadType),
      [8, 0],
    );
  });

  it('payload types 0 and 8 need no rtpmap (RFC 3551 §6); a dynamic one without is unknown', () => {
    assert.equal(answered(offer('m=audio 49170 RTP/AVP 97 8')).agreed.payloadType, 8);
    assert.equal(problemOf(answerOffer(offer('m=audio 49170 RTP/AVP 97'), ours, local)), 'no-common-codec');
  });

  it('a codec is known by its name without case, clock rate and channels, under any number', () => {
    const { answer, agreed } = answered(
      offer(
        'm=audio 49170 RTP/AVP 96 97 98',
        'a=rtpmap:96 PCMU/16000',
        'a=rtpmap:97 PCMU/8000/2',
        'a=rtpmap:98 pcmu/8000/1',
      ),
    );
    assert.equal(agreed.payloadType, 98);
    assert.deepEqual(mediaLines(answer), ['m=audio 5000 RTP/AVP 98']);
  });

  it('an rtpmap overrides what a static number means', () => {
    const text = offer('m=audio 49170 RTP/AVP 0', 'a=rtpmap:0 L16/44100');
    assert.equal(problemOf(answerOffer(text, ours, local)), 'no-common-codec');
  });

  it('telephone-event is answered under the number of the offer, with the events that we accept (RFC 4733 §2.4.1)', () => {
    const { answer, agreed } = answered(
      offer('m=audio 49170 RTP/AVP 0 100', 'a=rtpmap:100 telephone-event/8000', 'a=fmtp:100 0-16'),
    );
    assert.equal(agreed.telephoneEventPayloadType, 100);
    assert.equal(agreed.receiveTelephoneEventPayloadType, 100);
    assert.ok(has(answer, 'a=rtpmap:100 telephone-event/8000'));
    assert.ok(has(answer, 'a=fmtp:100 0-15'));
  });

  it('telephone-event needs the clock rate of the agreed codec (RFC 4733 §2.1)', () => {
    const { answer, agreed } = answered(
      offer('m=audio 49170 RTP/AVP 0 110', 'a=rtpmap:110 telephone-event/48000'),
    );
    assert.equal(agreed.telephoneEventPayloadType, undefined);
    assert.deepEqual(mediaLines(answer), ['m=audio 5000 RTP/AVP 0']);
  });

  it('an offer of telephone-event alone has no common codec', () => {
    const text = offer('m=audio 49170 RTP/AVP 101', 'a=rtpmap:101 telephone-event/8000');
    assert.equal(problemOf(answerOffer(text, ours, local)), 'no-common-codec');
  });

  it('we send with the ptime of the offer, within maxptime and in whole tens', () => {
    const ptime = (...lines: string[]) => answered(offer('m=audio 49170 RTP/AVP 0', ...lines)).agreed.ptimeMs;
    assert.deepEqual(
      [
        ptime(),
        ptime('a=ptime:30'),
        ptime('a=ptime:60', 'a=maxptime:40'),
        ptime('a=ptime:5'),
        ptime('a=ptime:9999'),
        ptime('a=ptime:25'),
        ptime('a=maxptime:10'),
      ],
      [20, 30, 40, 10, 20, 20, 10],
    );
  });

  it('RTCP goes to the next port (RFC 3550 §11), to that of a=rtcp (RFC 3605), or with rtcp-mux to the same (RFC 5761)', () => {
    const rtcp = (...lines: string[]) => {
      const { agreed } = answered(offer('m=audio 49170 RTP/AVP 0', ...lines));
      return [agreed.rtcpMux, agreed.rtcpAddress, agreed.rtcpPort];
    };
    assert.deepEqual(rtcp(), [false, '198.51.100.1', 49171]);
    assert.deepEqual(rtcp('a=rtcp:53020'), [false, '198.51.100.1', 53020]);
    assert.deepEqual(rtcp('a=rtcp:53020 IN IP4 198.51.100.9'), [false, '198.51.100.9', 53020]);
    assert.deepEqual(rtcp('a=rtcp-mux', 'a=rtcp:53020'), [true, '198.51.100.1', 49170]);
  });

  it('rtcp-mux is answered only if it was offered', () => {
    assert.ok(!has(answered(offer('m=audio 49170 RTP/AVP 0')).answer, 'a=rtcp-mux'));
    assert.ok(has(answered(offer('m=audio 49170 RTP/AVP 0', 'a=rtcp-mux')).answer, 'a=rtcp-mux'));
  });

  it('IPv6 is supported in c= and o=', () => {
    const text = offer('m=audio 49170 RTP/AVP 0', 'c=IN IP6 2001:db8::1');
    const { answer, agreed } = answered(text, { ...ours, address: '2001:db8::2' });
    assert.equal(agreed.remoteAddress, '2001:db8::1');
    assert.ok(has(answer, 'c=IN IP6 2001:db8::2'));
    assert.ok(has(answer, 'o=- 7 0 IN IP6 2001:db8::2'));
  });

  for (const [why, text, problem] of [
    ['no audio at all', offer('m=video 5000 RTP/AVP 34'), 'no-audio'],
    ['no m= line', offer(), 'no-audio'],
    ['audio that the offerer has removed (port 0)', offer('m=audio 0 RTP/AVP 0'), 'no-audio'],
    ['secure audio', offer('m=audio 5000 RTP/SAVP 0'), 'unsupported-transport'],
    ['codecs that we lack', offer('m=audio 5000 RTP/AVP 18 3'), 'no-common-codec'],
    ['a multicast address', offer('m=audio 5000 RTP/AVP 0', 'c=IN IP4 224.2.1.1/127'), 'bad-address'],
    ['a name for an address', offer('m=audio 5000 RTP/AVP 0', 'c=IN IP4 host.example'), 'bad-address'],
    ['broadcast', offer('m=audio 5000 RTP/AVP 0', 'c=IN IP4 255.255.255.255'), 'bad-address'],
    ['no c= at all', offer('m=audio 5000 RTP/AVP 0').replace('c=IN IP4 198.51.100.1\r\n', ''), 'bad-address'],
  ] as const) {
    it(`${why}: ${problem}`, () => {
      assert.equal(problemOf(answerOffer(text, ours, local)), problem);
    });
  }

  for (const [lines, isIt] of [
    [['m=video 51372 RTP/AVP 31', 'm=audio 49170 RTP/AVP 8'], true],
    [['m=audio 49170 RTP/AVP 18'], false],
    [['m=audio 49170 RTP/SAVP 0'], false],
  ] as const) {
    it(`${lines.join(', ')} as it was parsed before is ${isIt ? '' : 'not '}acceptable, and answered as its text is`, () => {
      const text = offer(...lines);
      const parsed = parseSdp(text);
      assert.ok('session' in parsed);
      assert.equal(isAcceptable(parsed.session, ours), isIt);
      assert.deepEqual(answerOffer(parsed.session, ours, local), answerOffer(text, ours, local));
    });
  }

  it('the second audio stream is accepted when the first is unusable', () => {
    const { answer, agreed } = answered(offer('m=audio 5000 RTP/SAVP 0', 'm=audio 6000 RTP/AVP 8'));
    assert.equal(agreed.remotePort, 6000);
    assert.deepEqual(mediaLines(answer), ['m=audio 0 RTP/SAVP 0', 'm=audio 5000 RTP/AVP 8']);
  });
});

describe('the version in o=', () => {
  const text = offer('m=audio 49170 RTP/AVP 0');

  it('the version stays when the description is unchanged (RFC 3264 §8)', () => {
    const first = answered(text).answer;
    const second = answerOffer(text, ours, { ...local, previous: first });
    assert.equal('answer' in second && second.answer, first);
  });

  it('"MUST increment by one" when it is changed (RFC 3264 §8), the session id stays', () => {
    const first = answered(text).answer;
    const second = answerOffer(text.replace('t=0 0', 't=0 0\r\na=sendonly'), ours, {
      sessionId: 'other',
      previous: first,
    });
    assert.ok('answer' in second && has(second.answer, 'o=- 7 1 IN IP4 192.0.2.2'));
    const third = createOffer({ ...ours, sessionId: 'other', previous: second.answer });
    assert.ok(has(third, 'o=- 7 2 IN IP4 192.0.2.2'));
  });

  it('counts in 64 bits', () => {
    const previous = createOffer({ ...ours, sessionId: '9' }).replace(
      'o=- 9 0',
      'o=- 18446744073709551614 9007199254740993',
    );
    const next = createOffer({ ...ours, port: 5002, sessionId: '9', previous });
    assert.ok(has(next, 'o=- 18446744073709551614 9007199254740994 IN IP4 192.0.2.2'));
  });
});

describe('createOffer', () => {
  it('lists the codecs in our order, telephone-event last, under 101', () => {
    const text = createOffer({ ...ours, codecs: [pcmaCapability, pcmuCapability], sessionId: '1' });
    assert.deepEqual(mediaLines(text), ['m=audio 5000 RTP/AVP 8 0 101']);
    assert.ok(has(text, 'a=fmtp:101 0-15'));
    assert.ok(has(text, 'a=ptime:20'));
  });

  it('gives each dynamic codec its own number, and events one for each clock rate', () => {
    const text = createOffer({
      ...ours,
      codecs: [
        { name: 'opus', clockRate: 48_000, channels: 2, fmtp: 'useinbandfec=1' },
        { name: 'L16', clockRate: 16_000 },
        pcmuCapability,
      ],
      sessionId: '1',
    });
    assert.deepEqual(mediaLines(text), ['m=audio 5000 RTP/AVP 96 97 0 101 102 103']);
    assert.ok(has(text, 'a=rtpmap:96 opus/48000/2'));
    assert.ok(has(text, 'a=fmtp:96 useinbandfec=1'));
    assert.ok(has(text, 'a=rtpmap:101 telephone-event/48000'));
    assert.ok(has(text, 'a=rtpmap:102 telephone-event/16000'));
  });

  it('a new offer keeps every m= line of the session, in its position (RFC 3264 §8)', () => {
    const { answer } = answered(offer('m=video 51372 RTP/AVP 31', 'm=audio 49170 RTP/AVP 0'));
    const text = createOffer({ ...ours, direction: 'sendonly', sessionId: '7', previous: answer });
    assert.deepEqual(mediaLines(text), ['m=video 0 RTP/AVP 31', 'm=audio 5000 RTP/AVP 0 8 101']);
    assert.ok(has(text, 'a=sendonly'));
  });

  it('"the mapping of a dynamic payload type MUST NOT change" within a session (RFC 3264 §8.3.2)', () => {
    const { answer } = answered(
      offer(
        'm=audio 49170 RTP/AVP 0 97 101',
        'a=rtpmap:97 telephone-event/8000',
        'a=rtpmap:101 opus/48000/2',
      ),
    );
    const text = createOffer({ ...ours, sessionId: '7', previous: answer });
    assert.deepEqual(mediaLines(text), ['m=audio 5000 RTP/AVP 0 8 97']);
  });
});

describe('applyAnswer', () => {
  const sent = createOffer({ ...ours, sessionId: '1' });

  it('each side sends with the numbers of the other (RFC 3264 §5.1)', () => {
    const result = applyAnswer(
      sent,
      offer('m=audio 49170 RTP/AVP 111 112', 'a=rtpmap:111 PCMA/8000', 'a=rtpmap:112 telephone-event/8000'),
      codecs,
    );
    assert.ok('agreed' in result);
    const { codec, payloadType, telephoneEventPayloadType, receiveTelephoneEventPayloadType } = result.agreed;
    assert.equal(codec.name, 'PCMA');
    assert.deepEqual([payloadType, telephoneEventPayloadType], [111, 112]);
    assert.equal(receiveTelephoneEventPayloadType, 101);
    assert.deepEqual(
      result.agreed.receive.map((entry) => entry.payloadType),
      [0, 8],
    );
  });

  it('a codec of the answer that was not offered is never sent', () => {
    const pcmaOnly = createOffer({ ...ours, codecs: [pcmaCapability], sessionId: '1' });
    const result = applyAnswer(pcmaOnly, offer('m=audio 49170 RTP/AVP 0 8'), codecs);
    assert.equal('agreed' in result && result.agreed.payloadType, 8);
  });

  it('telephone events of the answer that were not offered are never sent', () => {
    const text = offer('m=audio 49170 RTP/AVP 0 101', 'a=rtpmap:101 telephone-event/8000');
    const result = applyAnswer(offer('m=audio 5000 RTP/AVP 0'), text, codecs);
    assert.ok('agreed' in result);
    assert.equal(result.agreed.telephoneEventPayloadType, undefined);
    assert.equal(result.agreed.receiveTelephoneEventPayloadType, undefined);
  });

  for (const [offered, answeredWith, expected] of [
    ['sendrecv', 'sendrecv', 'sendrecv'],
    ['sendonly', 'recvonly', 'sendonly'],
    ['sendonly', 'sendrecv', 'sendonly'],
    ['sendrecv', 'recvonly', 'sendonly'],
    ['sendrecv', 'inactive', 'inactive'],
  ] as [Direction, Direction, Direction][]) {
    it(`${offered} answered with ${answeredWith} leaves us ${expected}`, () => {
      const text = createOffer({ ...ours, direction: offered, sessionId: '1' });
      const result = applyAnswer(text, offer('m=audio 49170 RTP/AVP 0', `a=${answeredWith}`), codecs);
      assert.equal('agreed' in result && result.agreed.direction, expected);
    });
  }

  for (const [why, text, problem] of [
    ['port 0 refuses the stream (RFC 3264 §6)', offer('m=audio 0 RTP/AVP 0'), 'refused'],
    ['one m= line too many', offer('m=audio 1000 RTP/AVP 0', 'm=video 0 RTP/AVP 31'), 'media-mismatch'],
    ['no m= line', offer(), 'media-mismatch'],
    ['another kind of media', offer('m=video 1000 RTP/AVP 0'), 'media-mismatch'],
    ['another transport', offer('m=audio 1000 RTP/SAVP 0'), 'unsupported-transport'],
    ['none of our codecs', offer('m=audio 1000 RTP/AVP 18'), 'no-common-codec'],
    ['no description', 'hello', 'malformed'],
  ] as const) {
    it(`${why}: ${problem}`, () => {
      assert.equal(problemOf(applyAnswer(sent, text, codecs)), problem);
    });
  }

  it('a delayed offer: 200 carries the offer, ACK the answer, and both sides agree (RFC 3261 §13.2.1)', () => {
    const callee = createOffer({ ...ours, sessionId: '1' });
    const caller = answered(callee, { codecs: [pcmaCapability], address: '198.51.100.7', port: 7000 });
    const result = applyAnswer(callee, caller.answer, codecs);
    assert.ok('agreed' in result);
    assert.equal(result.agreed.codec.name, caller.agreed.codec.name);
    assert.deepEqual(
      [result.agreed.remotePort, caller.agreed.remotePort, result.agreed.rtcpMux, caller.agreed.rtcpMux],
      [7000, 5000, true, true],
    );
  });
});
