import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStreamFramer, type Frame } from './stream-framer.ts';

const message = (body = '', length: string | number = body.length): string =>
  `MESSAGE sip:a SIP/2.0\r\nVia: SIP/2.0/TCP b\r\nContent-Length: ${length}\r\n\r\n${body}`;

/** The kinds of frames with the lengths of messages. */
const shown = (frames: readonly Frame[]): string =>
  frames.map((frame) => (frame.kind === 'message' ? `message ${frame.text.length}` : frame.kind)).join(', ');

function framed(pieces: readonly string[], limit?: number): readonly Frame[] {
  const framer = createStreamFramer(limit);
  return pieces.flatMap((piece) => framer.push(piece));
}

/** Every way to cut a text into two pieces, and into single bytes. */
function cuts(text: string): readonly (readonly string[])[] {
  const twice = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [...twice, text.split('')];
}

const size = (body: string): number => message(body).length;

describe('a stream that is cut at every byte (RFC 3261 §18.3, RFC 5626 §3.5.1)', () => {
  for (const [rule, text, expected] of [
    ['one message', message('hello'), `message ${size('hello')}`],
    ['two messages', message('a') + message('bc'), `message ${size('a')}, message ${size('bc')}`],
    ['a message without a body', message(), `message ${size('')}`],
    ['a ping alone', '\r\n\r\n', 'ping'],
    ['two pings', '\r\n\r\n\r\n\r\n', 'ping, ping'],
    [
      'a ping between messages',
      `${message('a')}\r\n\r\n${message('b')}`,
      `message ${size('a')}, ping, message ${size('b')}`,
    ],
    ['a single CRLF, the answer to a ping', `\r\n${message('a')}`, `message ${size('a')}`],
    ['three CRLF are one ping', `\r\n\r\n\r\n${message('a')}`, `ping, message ${size('a')}`],
    [
      'a CRLF before and one behind a message are no ping',
      `\r\n${message('a')}\r\n${message('b')}`,
      `message ${size('a')}, message ${size('b')}`,
    ],
    ['a body that looks like a message', message(message('x')), `message ${size(message('x'))}`],
    ['a body of empty lines', message('\r\n\r\n\r\n\r\n'), `message ${size('\r\n\r\n\r\n\r\n')}`],
    [
      'a body that ends in half a header end, and the next message',
      message('x\r\n\r') + message('y'),
      `message ${size('x\r\n\r')}, message ${size('y')}`,
    ],
    ['a broken one ends the stream', message('a', 'x') + message('b'), 'broken'],
    [
      'a message before a broken one is kept',
      message('a') + message('b', -1),
      `message ${size('a')}, broken`,
    ],
  ] as const) {
    it(rule, () => {
      for (const pieces of cuts(text))
        assert.equal(shown(framed(pieces)), expected, JSON.stringify(pieces[0]));
    });
  }

  it('nothing is buffered between messages, and each character of a message is until it is whole', () => {
    const framer = createStreamFramer();
    const text = message('hello');
    assert.equal(framer.buffered, 0);
    for (let at = 0; at < text.length - 1; at++) {
      framer.push(text[at]!);
      assert.equal(framer.buffered, at + 1);
    }
    framer.push(text.at(-1)!);
    assert.equal(framer.buffered, 0);
    framer.push('\r\n\r');
    assert.equal(framer.buffered, 0);
  });
});

describe('the Content-Length of a frame', () => {
  const framedWith = (field: string, rest = 'hello'): string =>
    shown(framed([`INFO sip:a SIP/2.0\r\n${field}\r\n\r\n${rest}`]));
  const head = (field: string): number => `INFO sip:a SIP/2.0\r\n${field}\r\n\r\n`.length;

  for (const field of [
    'Content-Length: 5',
    'l:5',
    'L : 5',
    'CONTENT-LENGTH:\t5 ',
    'Content-Length:\r\n 5',
    'content-length : 0005',
  ]) {
    it(`${JSON.stringify(field)} is 5`, () => assert.equal(framedWith(field), `message ${head(field) + 5}`));
  }

  for (const field of [
    'Content-Length: 5, 5',
    'Content-Length: +5',
    'Content-Length: 5x',
    'Content-Length:',
    'Content-Length: 0x5',
    'l: 5\r\nContent-Length: 5',
    'Content-Length: 9999999999999999999',
  ]) {
    it(`${JSON.stringify(field)} breaks the stream, with its header for an answer`, () => {
      const [frame] = framed([`INFO sip:a SIP/2.0\r\n${field}\r\n\r\nhello`]);
      assert.ok(frame?.kind === 'broken');
      assert.equal(frame.text, `INFO sip:a SIP/2.0\r\n${field}\r\n\r\n`);
    });
  }

  for (const field of ['X-Content-Length: 5', 'Content-Lengthy: 5', 'Subject: x\r\n Content-Length: 5']) {
    it(`${JSON.stringify(field)} is none: the message has no body`, () => {
      assert.equal(framedWith(field, ''), `message ${head(field)}`);
    });
  }
});

describe('the limit of a message', () => {
  const limit = 100;
  const header = message('', 0).length;
  const filled = (total: number): string => {
    const digits = String(total - header).length;
    return message('x'.repeat(total - header - (digits - 1)));
  };

  it('a message of exactly the limit is framed, and one byte more is refused at its header', () => {
    assert.equal(filled(limit).length, limit);
    assert.equal(shown(framed([filled(limit)], limit)), `message ${limit}`);
    const framer = createStreamFramer(limit);
    const larger = message('x'.repeat(limit - header));
    assert.ok(larger.length > limit);
    const frames = framer.push(larger.slice(0, larger.indexOf('\r\n\r\n') + 4));
    assert.equal(shown(frames), 'broken');
    assert.equal(framer.buffered, 0);
  });

  it('a header without an end is refused when it exceeds the limit, and what follows is ignored', () => {
    const framer = createStreamFramer(limit);
    assert.equal(shown(framer.push('x'.repeat(limit))), '');
    const [frame] = framer.push('x');
    assert.ok(frame?.kind === 'broken');
    assert.equal(frame.text, undefined);
    assert.match(frame.sentence, /exceeds 100 bytes/);
    assert.deepEqual(framer.push(message('a')), []);
    assert.equal(framer.buffered, 0);
  });

  it('empty lines are no message, however many', () => {
    const framer = createStreamFramer(limit);
    assert.equal(framer.push('\r\n'.repeat(10_000)).length, 5000);
    assert.equal(framer.buffered, 0);
  });
});
