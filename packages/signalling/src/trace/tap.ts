import type { SignallingTrace } from '@jackfield/ports';
import type { Flow } from '@jackfield/sip';
import { redacted } from './redacted.ts';

/** Bytes of a message that are kept. */
const mostKept = 16_384;
/** Methods of calls; REGISTER, OPTIONS and the like are not part of a call. */
const methodsOfCalls = /^(?:INVITE|ACK|BYE|CANCEL|PRACK|UPDATE|INFO|REFER|NOTIFY)$/;

/** The target of a sent message, as far as it is known. */
export type TracedTarget = Pick<Flow, 'protocol' | 'remoteAddress' | 'remotePort'>;

/** Passes the messages of calls to a trace that records them, without their secrets. */
export function traceMessage(
  trace: SignallingTrace,
  direction: 'received' | 'sent',
  text: string,
  target: TracedTarget | undefined,
): void {
  if (trace.scope === 'none') return;
  const callId = /^(?:call-id|i)[ \t]*:[ \t]*([^\s]+)/im.exec(text)?.[1];
  const method = /^cseq[ \t]*:[ \t]*\d+[ \t]+([A-Z]+)/im.exec(text)?.[1];
  if (callId === undefined || method === undefined) return;
  if (trace.scope !== 'all' && !methodsOfCalls.test(method)) return;
  trace.message({
    callId,
    direction,
    transport: target?.protocol ?? '',
    remoteAddress: target === undefined ? '' : addressOf(target),
    // Cut first: a message of the largest size costs no more than a usual one.
    text: redacted(text.slice(0, mostKept)),
    isCut: text.length > mostKept,
  });
}

function addressOf({ remoteAddress, remotePort }: TracedTarget): string {
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
