import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SignallingTrace, TracedMessage } from '@jackfield/ports';
import { type TracedTarget, traceMessage } from './tap.ts';

const udp: TracedTarget = { protocol: 'udp', remoteAddress: '192.0.2.1', remotePort: 5060 };
const message = (method: string, ...headers: readonly string[]) =>
  [`${method} sip:bob@example.com SIP/2.0`, `CSeq: 1 ${method}`, 'Call-ID: 1@a', ...headers, '', ''].join(
    '\r\n',
  );

/** What a trace of this scope receives of a message. */
function traced(
  text: string,
  scope: SignallingTrace['scope'] = 'calls',
  target: TracedTarget | undefined = udp,
): readonly TracedMessage[] {
  const messages: TracedMessage[] = [];
  traceMessage({ scope, message: (each) => messages.push(each), belongs() {} }, 'received', text, target);
  return messages;
}

describe('The trace of SIP messages', () => {
  for (const method of ['INVITE', 'ACK', 'BYE', 'CANCEL', 'PRACK', 'UPDATE', 'INFO', 'REFER', 'NOTIFY']) {
    it(`of calls has ${method}, and its responses`, () => {
      const response = `SIP/2.0 200 OK\r\nCall-ID: 1@a\r\nCSeq: 7 ${method}\r\n\r\n`;
      assert.deepEqual([traced(message(method)).length, traced(response).length], [1, 1]);
    });
  }

  for (const method of ['REGISTER', 'OPTIONS', 'MESSAGE', 'SUBSCRIBE', 'INVITED']) {
    it(`of calls lacks ${method}, which the trace of everything has`, () => {
      assert.deepEqual([traced(message(method)).length, traced(message(method), 'all').length], [0, 1]);
    });
  }

  it('of nothing has nothing', () => {
    assert.deepEqual(traced(message('INVITE'), 'none'), []);
  });

  it('lacks messages without a Call-ID or a CSeq, such as keep-alives', () => {
    for (const text of ['\r\n\r\n', 'INVITE sip:a SIP/2.0\r\nCall-ID: 1@a\r\n\r\n', 'CSeq: 1 INVITE\r\n\r\n'])
      assert.deepEqual(traced(text, 'all'), []);
  });

  it('finds the Call-ID in its compact form, in any case and with spaces', () => {
    for (const header of ['i:1@a', 'CALL-ID : 1@a', 'I \t:\t1@a'])
      assert.equal(traced(`cseq :1 BYE\r\n${header}\r\n\r\n`)[0]?.callId, '1@a');
  });

  it('names the other end, with brackets around an IPv6 address', () => {
    const at = (remoteAddress: string) =>
      traced(message('BYE'), 'calls', { protocol: 'tls', remoteAddress, remotePort: 5061 })[0];
    assert.deepEqual(
      [at('192.0.2.1')?.remoteAddress, at('2001:db8::1')?.remoteAddress, at('192.0.2.1')?.transport],
      ['192.0.2.1:5061', '[2001:db8::1]:5061', 'tls'],
    );
  });

  it('has a message whose flow is closed, without the other end', () => {
    const messages: TracedMessage[] = [];
    const trace = { scope: 'calls', message: (each: TracedMessage) => messages.push(each), belongs() {} };
    traceMessage(trace as SignallingTrace, 'sent', message('BYE'), undefined);
    assert.deepEqual(
      messages.map(({ direction, transport, remoteAddress }) => [direction, transport, remoteAddress]),
      [['sent', '', '']],
    );
  });

  it('has no secrets', () => {
    const [kept] = traced(message('INVITE', 'Authorization: Digest response="0123"'));
    assert.match(kept?.text ?? '', /Authorization: \(removed\)\r\n/);
  });

  it('cuts a message after 16 KiB, and says so', () => {
    const [whole] = traced(message('INVITE'));
    const [cut] = traced(message('INVITE', `Subject: ${'x'.repeat(20_000)}`));
    assert.deepEqual([whole?.isCut, cut?.isCut, cut?.text.length], [false, true, 16_384]);
  });
});
