import type { ExpectedCall, Instant, Secrets } from '@jackfield/ports';
import type { RequestAccount } from '../../../http/index.ts';
import type { Conduct } from '../../sandbox-phones/index.ts';
import type { Callee } from './callees.ts';
import type { SandboxCall, SandboxCallOrder } from './sandbox-call.ts';

/** The carrier under which a sandbox phone calls numbers. */
const carrierName = 'sandbox';

const sounds: Readonly<Record<SandboxCall['behaviour'], Conduct['sound']>> = {
  talk: { kind: 'talk' },
  silent: { kind: 'silence' },
  tone: { kind: 'tone', frequencyHz: 1000 },
  echo: { kind: 'echo' },
};

/** The call before the phone has sent its INVITE. */
export function orderedCall(
  order: SandboxCallOrder,
  viewer: RequestAccount,
  now: Instant,
  secrets: Pick<Secrets, 'randomUuid'>,
): SandboxCall {
  return {
    uuid: secrets.randomUuid(),
    callUuid: secrets.randomUuid(),
    account: viewer.authId,
    mainAccount: viewer.main,
    from: order.from,
    to: order.to,
    behaviour: order.behaviour,
    startedAt: now,
    state: 'calling',
    answeredAt: null,
    endedAt: null,
    end: null,
    recording: 'none',
    file: null,
  };
}

/** The admission of the INVITE. */
export function expectedCallOf(call: SandboxCall, { user, account, isNumber }: Callee): ExpectedCall {
  return { leg: call.callUuid, account, callee: user, ...(isNumber ? { carrier: carrierName } : {}) };
}

/** The phone's conduct from the answer on. */
export function conductOf({ behaviour, digits, hangUpAfterSeconds }: SandboxCallOrder): Conduct {
  return {
    sound: sounds[behaviour],
    ...(digits === undefined ? {} : { press: { digits, afterMs: 0 } }),
    hangUpAfterMs: hangUpAfterSeconds * 1000,
  };
}
