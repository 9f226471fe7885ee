import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mutatedText } from '@jackfield/testkit/mutated';
import fc from 'fast-check';
import { answerOffer } from './answer-offer.ts';
import { applyAnswer } from './apply-answer.ts';
import { pcmaCapability, pcmuCapability } from './codec-capability.ts';
import { createOffer } from './create-offer.ts';
import { parseSdp } from './parse-sdp.ts';

const codecs = [pcmuCapability, pcmaCapability];
const good = createOffer({ codecs, address: '192.0.2.1', port: 4000, sessionId: '12345' });

function problemOf(text: string, limits = {}): string | undefined {
  const result = parseSdp(text, limits);
  return 'problem' in result ? result.problem : undefined;
}

describe('parseSdp', () => {
  it('parses our own descriptions', () => {
    const result = parseSdp(good);
    assert.ok('session' in result);
    const { origin, media } = result.session;
    assert.deepEqual(origin, {
      username: '-',
      sessionId: '12345',
      version: '0',
      address: '192.0.2.1',
    });
    assert.equal(media.length, 1);
    assert.deepEqual(media[0]!.payloadTypes, [0, 8, 101]);
    assert.equal(media[0]!.rtpmaps.get(101)?.name, 'telephone-event');
    assert.equal(media[0]!.fmtp.get(101), '0-15');
    assert.equal(media[0]!.ptimeMs, 20);
    assert.equal(media[0]!.rtcpMux, true);
  });

  it('takes each payload type once, in the order of the line, and passes over formats that are none', () => {
    const result = parseSdp(good.replace(/^(m=audio \d+ RTP\/AVP).*$/m, '$1 8 0 8 128 999 1000 x 127'));
    assert.ok('session' in result);
    const [media] = result.session.media;
    assert.deepEqual(media?.payloadTypes, [8, 0, 127]);
    assert.deepEqual(media?.formats, ['8', '0', '8', '128', '999', '1000', 'x', '127']);
  });

  it('accepts lines that end in LF alone (RFC 8866 §5)', () => {
    assert.equal(problemOf(good.replaceAll('\r\n', '\n')), undefined);
  });

  const own = (...lines: readonly string[]) => {
    const session = [
      'v=0',
      'o=- 1 1 IN IP4 192.0.2.1',
      's=-',
      'c=IN IP4 192.0.2.1',
      'a=sendonly',
      'a=ptime:30',
    ];
    const result = parseSdp([...session, 't=0 0', 'm=audio 4000 RTP/AVP 0', ...lines, ''].join('\r\n'));
    return 'session' in result ? result.session.media[0]! : assert.fail(result.problem);
  };

  it('lines of m= precede those of the session, and the last of a repeated one counts (RFC 8866 §5)', () => {
    const { direction, ptimeMs, address } = own();
    assert.deepEqual([direction, ptimeMs, address], ['sendonly', 30, '192.0.2.1']);
    const repeated = own('c=IN IP4 192.0.2.9', 'a=recvonly', 'a=inactive', 'a=ptime:20', 'a=ptime:10');
    assert.deepEqual([repeated.direction, repeated.ptimeMs, repeated.address], ['inactive', 10, '192.0.2.9']);
  });

  it('spaces behind an attribute are ignored, as are lines of no known form', () => {
    const spaced = own('a=recvonly ', 'a=ptime:20 ', 'a=rtcp-mux ', 'a=mid:0 ', 'a=setup:passive ');
    const { direction, ptimeMs, rtcpMux, transport } = spaced;
    assert.deepEqual([direction, ptimeMs, rtcpMux], ['recvonly', 20, true]);
    assert.deepEqual([transport.mid, transport.setup], ['0', 'passive']);
    const unknown = [
      '',
      'a',
      'a=',
      'c=',
      'x',
      'a=rtpmap:',
      'a=rtpmap:0 PCMU',
      'a=fmtp:0',
      'a=rtcp:x',
      'k=clear:x',
    ];
    const { rtpmaps, fmtp, rtcp } = own(...unknown);
    assert.deepEqual([rtpmaps.size, fmtp.size, rtcp], [0, 0, undefined]);
  });

  it('accepts a port with a count (RFC 8866 §5.14)', () => {
    const result = parseSdp(good.replace('audio 4000', 'audio 4000/2'));
    assert.equal('session' in result && result.session.media[0]!.port, 4000);
  });

  for (const [why, text, problem] of [
    ['nothing', '', 'malformed'],
    ['another version', good.replace('v=0', 'v=1'), 'malformed'],
    ['no origin', good.replace(/o=.*\r\n/, ''), 'malformed'],
    ['an m= line that is none', good.replace('m=audio 4000', 'm=audio x'), 'malformed'],
    ['a port beyond 65535', good.replace('4000', '65536'), 'malformed'],
    ['a NUL', good.replace('s=-', 's=\0'), 'malformed'],
    ['too much of it', good + 'a=x\r\n'.repeat(4000), 'too-large'],
    ['too many lines', good + 'a=x\r\n'.repeat(600), 'too-large'],
    ['a line too long', `${good}a=${'x'.repeat(2000)}\r\n`, 'too-large'],
    ['too many streams', good + 'm=audio 1 RTP/AVP 0\r\n'.repeat(20), 'too-large'],
  ] as const) {
    it(`${why}: ${problem}`, () => {
      assert.equal(problemOf(text), problem);
    });
  }

  it('applies the limits of its argument', () => {
    assert.equal(problemOf(good, { maxLength: 20 }), 'too-large');
    assert.equal(problemOf(good, { maxLines: 5 }), 'too-large');
    assert.equal(problemOf(good, { maxLineLength: 5 }), 'too-large');
    assert.equal(problemOf(good, { maxMedia: 0 }), 'too-large');
  });

  it('an attribute named like a property of every object is harmless', () => {
    const result = parseSdp(
      `${good}a=__proto__:1\r\na=constructor\r\na=rtpmap:0 __proto__/8000\r\na=toString:1\r\n`,
    );
    assert.ok('session' in result);
    assert.equal(({} as Record<string, unknown>).value, undefined);
  });
});

describe('hostile descriptions', () => {
  const put = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('/', ':', ' ', '0', '-1', '4294967296', '1e9', 'm=', 'c=IN IP4 ', '\r\n', '[1', '%s'),
  );
  const mutated = mutatedText(fc.constant(good), { put, cut: 10, minEdits: 1, maxEdits: 8 });

  it('no input makes the parser, the answerer or the offerer throw, and every answer can be parsed', () => {
    fc.assert(
      fc.property(fc.oneof(mutated, fc.string({ maxLength: 300 })), (text) => {
        parseSdp(text);
        applyAnswer(good, text, codecs);
        const result = answerOffer(text, { codecs, address: '192.0.2.2', port: 5000 }, { sessionId: '1' });
        if (!('answer' in result)) return;
        const back = applyAnswer(text, result.answer, codecs);
        assert.ok('agreed' in back, JSON.stringify(back));
        assert.equal(back.agreed.codec.name, result.agreed.codec.name);
        const again = createOffer({
          codecs,
          address: '192.0.2.2',
          port: 5000,
          sessionId: '1',
          previous: result.answer,
        });
        assert.ok('session' in parseSdp(again));
      }),
      { numRuns: 1000 },
    );
  });

  it('the same offer gets the same answer each time, so an INVITE that is sent again changes nothing', () => {
    const ours = { codecs, address: '192.0.2.2', port: 5000 };
    fc.assert(
      fc.property(mutated, (text) => {
        const [first, second] = [1, 2].map(() => answerOffer(text, ours, { sessionId: '1' }));
        assert.deepEqual(first, second);
        assert.deepEqual(parseSdp(text), parseSdp(text));
      }),
      { numRuns: 300 },
    );
  });

  it('the costliest lines within the limits are parsed in bounded time', { timeout: 2000 }, () => {
    const line = `a=imageattr:* send ${'[x=1] '.repeat(160)}`;
    const cheap = parseSdp(`${good}${`${line}\r\n`.repeat(15)}`);
    assert.ok('session' in cheap);
    for (const nasty of [
      'a=imageattr:* send [',
      'a=simulcast: ',
      'a=ptime:',
      'a=floorid:',
      'o=',
      'a=candidate:',
    ]) {
      const result = parseSdp(`${good}${`${(nasty + '1 . ]['.repeat(170)).slice(0, 1024)}\r\n`.repeat(15)}`);
      assert.ok('session' in result || 'problem' in result);
    }
  });
});
