import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  capabilityFor,
  encodingOf,
  g722Capability,
  isOfOneFormat,
  opusCapability,
  pcmaCapability,
  pcmuCapability,
  telephoneEventClock,
  telephoneEventIn,
} from './codec-capability.ts';
import { parseSdp } from './parse-sdp.ts';

const codecs = [pcmuCapability, pcmaCapability, g722Capability, opusCapability];

/** Audio with these payload types and `a=rtpmap` values. */
function audio(payloadTypes: string, ...rtpmaps: readonly string[]) {
  const lines = ['v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0'];
  const maps = rtpmaps.map((value) => `a=rtpmap:${value}`);
  const parsed = parseSdp([...lines, `m=audio 4000 RTP/AVP ${payloadTypes}`, ...maps, ''].join('\r\n'));
  assert.ok('session' in parsed);
  return parsed.session.media[0]!;
}

describe('The codec of a payload type', () => {
  const cases: readonly (readonly [string, ReturnType<typeof audio>, number, string | undefined])[] = [
    ['a static type needs no a=rtpmap (RFC 3551 §6)', audio('0 8 9'), 9, 'G722'],
    ['names are compared without case (RFC 4855 §3)', audio('96', '96 pcma/8000'), 96, 'PCMA'],
    ['a=rtpmap overrides a static type', audio('0', '0 PCMA/8000'), 0, 'PCMA'],
    ['a dynamic type without a=rtpmap has none', audio('96'), 96, undefined],
    ['another clock rate is another codec', audio('96', '96 PCMU/16000'), 96, undefined],
    ['Opus has two channels (RFC 7587 §7)', audio('96', '96 opus/48000/2'), 96, 'opus'],
    ['Opus with one channel is not Opus', audio('96', '96 opus/48000'), 96, undefined],
    ['a codec that we lack is not chosen', audio('18'), 18, undefined],
    ['a dynamic type may have a codec with a static one', audio('97', '97 G722/8000'), 97, 'G722'],
    ['Opus is Opus in capital letters', audio('96', '96 OPUS/48000/2'), 96, 'opus'],
    ['another name of the same length is another codec', audio('96', '96 PCMX/8000'), 96, undefined],
    ['a longer name that begins alike is another codec', audio('96', '96 PCMUX/8000'), 96, undefined],
    ['two channels of PCMU are another codec', audio('96', '96 PCMU/8000/2'), 96, undefined],
    ['a static type that is not in use has none', audio('19'), 19, undefined],
  ];
  for (const [name, media, payloadType, expected] of cases)
    it(name, () => assert.equal(capabilityFor(media, payloadType, codecs)?.name, expected));

  it('a codec that we lack has its encoding name', () => {
    assert.deepEqual(encodingOf(audio('18'), 18), { name: 'G729', clockRate: 8000, channels: 1 });
  });

  it('codecs with the same clock and sample rate are of one format', () => {
    assert.equal(isOfOneFormat(pcmuCapability, pcmaCapability), true);
    assert.equal(isOfOneFormat(pcmuCapability, g722Capability), false);
    assert.equal(isOfOneFormat(g722Capability, opusCapability), false);
  });
});

describe('Telephone events', () => {
  const both = audio('111 96 97', '111 opus/48000/2', '96 telephone-event/8000', '97 Telephone-Event/48000');
  it('have the clock of the audio where the peer offers it (RFC 4733 §2.1)', () => {
    assert.deepEqual([telephoneEventClock(both, 48_000), telephoneEventIn(both, 48_000)], [48_000, 97]);
  });
  it('have 8000 otherwise, and no clock where the peer offers no events', () => {
    const narrow = audio('111 96', '111 opus/48000/2', '96 telephone-event/8000');
    assert.deepEqual(
      [telephoneEventClock(narrow, 48_000), telephoneEventIn(narrow, 48_000)],
      [8000, undefined],
    );
    assert.equal(telephoneEventClock(audio('0'), 8000), undefined);
  });
});
