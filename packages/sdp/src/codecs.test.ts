import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerOffer } from './answer-offer.ts';
import { applyAnswer } from './apply-answer.ts';
import {
  g722Capability,
  l16Capabilities,
  opusCapability,
  pcmaCapability,
  pcmuCapability,
} from './codec-capability.ts';
import { createOffer } from './create-offer.ts';

const offered = [pcmuCapability, pcmaCapability, g722Capability, opusCapability];
const codecs = [...offered, ...l16Capabilities];
const ours = { codecs, address: '192.0.2.2', port: 5000 };

function described(media: string, ...lines: string[]): string {
  const head = ['v=0', 'o=phone 1 1 IN IP4 198.51.100.1', 's=-', 'c=IN IP4 198.51.100.1', 't=0 0'];
  return [...head, media, ...lines, ''].join('\r\n');
}

function answered(text: string) {
  const result = answerOffer(text, ours, { sessionId: '7' });
  assert.ok('agreed' in result, JSON.stringify(result));
  const media = result.answer.split('\r\n').find((line) => line.startsWith('m='));
  return { ...result, media };
}

const webPhone = described(
  'm=audio 4000 RTP/AVP 111 9 0 8 110 126',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 minptime=10;useinbandfec=1;maxplaybackrate=16000',
  'a=rtpmap:110 telephone-event/48000',
  'a=rtpmap:126 telephone-event/8000',
);

describe('codecs in an answer', () => {
  it('the answer accepts the preferred codec of the offer, with events on its clock (RFC 3264 §6.1, RFC 4733 §2.1)', () => {
    const { agreed, media } = answered(webPhone);
    assert.equal(media, 'm=audio 5000 RTP/AVP 111 110');
    assert.equal(agreed.codec.name, 'opus');
    assert.equal(agreed.fmtp, 'minptime=10;useinbandfec=1;maxplaybackrate=16000');
    assert.equal(agreed.telephoneEventPayloadType, 110);
    assert.equal(agreed.telephoneEventClockRate, undefined);
  });

  it('the answer has codecs of one clock and sample rate only', () => {
    const narrow = answered(described('m=audio 4000 RTP/AVP 8 9 0 101', 'a=rtpmap:101 telephone-event/8000'));
    assert.equal(narrow.media, 'm=audio 5000 RTP/AVP 8 0 101');
    const wide = answered(described('m=audio 4000 RTP/AVP 9 8 0 101', 'a=rtpmap:101 telephone-event/8000'));
    assert.equal(wide.media, 'm=audio 5000 RTP/AVP 9 101');
    assert.deepEqual(
      wide.agreed.receive.map(({ payloadType }) => payloadType),
      [9],
    );
  });

  it('our Opus line declares 48000/2 (RFC 7587 §7), mono and redundancy', () => {
    const { answer } = answered(webPhone);
    assert.ok(answer.includes('a=rtpmap:111 opus/48000/2\r\n'));
    assert.ok(answer.includes('a=fmtp:111 maxplaybackrate=48000;stereo=0;useinbandfec=1\r\n'));
  });

  it('beside Opus, events at 8000 are accepted if there are no others, with their clock', () => {
    const { agreed, media } = answered(
      described(
        'm=audio 4000 RTP/AVP 96 101',
        'a=rtpmap:96 opus/48000/2',
        'a=rtpmap:101 telephone-event/8000',
      ),
    );
    assert.equal(media, 'm=audio 5000 RTP/AVP 96 101');
    assert.equal(agreed.telephoneEventPayloadType, 101);
    assert.equal(agreed.telephoneEventClockRate, 8000);
  });

  it('L16 is known by its clock, mono only (RFC 3551 §4.5.11)', () => {
    const { agreed } = answered(
      described('m=audio 4000 RTP/AVP 97 98', 'a=rtpmap:97 L16/16000/2', 'a=rtpmap:98 L16/24000'),
    );
    assert.deepEqual([agreed.codec.name, agreed.codec.clockRate, agreed.payloadType], ['L16', 24_000, 98]);
  });
});

describe('codecs in an offer', () => {
  const offer = createOffer({ ...ours, codecs: offered, sessionId: '1' });

  it('an offer lists G.711 first, then wideband codecs, and events at each clock, 8000 under 101', () => {
    const media = offer.split('\r\n').find((line) => line.startsWith('m='));
    assert.equal(media, 'm=audio 5000 RTP/AVP 0 8 9 111 101 102');
    assert.ok(offer.includes('a=rtpmap:9 G722/8000\r\n'));
    assert.ok(offer.includes('a=rtpmap:102 telephone-event/48000\r\n'));
  });

  it('an answer with another codec first changes the codec that is sent', () => {
    const answer = described('m=audio 4000 RTP/AVP 9 0 101', 'a=rtpmap:101 telephone-event/8000');
    const result = applyAnswer(offer, answer, codecs);
    assert.ok('agreed' in result);
    assert.equal(result.agreed.codec.name, 'G722');
    assert.ok(result.agreed.receive.every(({ codec }) => codec.name === 'G722'));
  });
});
