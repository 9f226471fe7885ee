import { type LegSpec, type LegStatistics, legSpec } from '@jackfield/ports';
import type { CallLeg } from '../domain/call-leg.ts';

export type ExampleLeg = Partial<Omit<CallLeg, 'spec'> & { readonly spec: Partial<LegSpec> }>;

/** An outbound leg for tests, at its beginning unless they say otherwise. */
export function exampleLeg({ spec, ...over }: ExampleLeg = {}): CallLeg {
  return {
    leg: 'leg-1',
    account: 'MA1',
    mainAccount: 'MA1',
    isRequested: false,
    direction: 'outbound',
    owner: { kind: 'room', id: 'r1' },
    borrower: null,
    missed: null,
    spec: legSpec({ from: '+12025550000', to: 'alice', callerName: 'A', ...spec }),
    requestUuid: 'leg-1',
    parentLeg: null,
    parentRequestUuid: 'leg-1',
    headers: {},
    sourceAddress: null,
    trunk: null,
    callbacks: null,
    dialog: null,
    areDigitsSent: false,
    rate: { perMinute: 0, initialSeconds: 60, incrementSeconds: 60 },
    phase: 'routing',
    initiatedAt: 1_000_000,
    answeredAt: null,
    endedAt: null,
    end: null,
    requestedEnd: null,
    quality: null,
    pressedKeys: [],
    ...over,
  };
}

/** Counters of a leg that neither sent nor got anything. */
export const silent: LegStatistics = {
  packetsReceived: 0,
  bytesReceived: 0,
  packetsSent: 0,
  bytesSent: 0,
  packetsLost: 0,
  jitterMs: 0,
  framesConcealed: 0,
  packetsLate: 0,
  strangersDropped: 0,
  malformedDropped: 0,
  unauthenticatedDropped: 0,
  replayedDropped: 0,
  digitsReceived: 0,
  digitsSent: 0,
};
