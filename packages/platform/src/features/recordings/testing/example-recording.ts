import type { Recording } from '../domain/recording.ts';

/** A recording for tests, at its beginning unless they say otherwise. */
export function exampleRecording(over: Partial<Recording> = {}): Recording {
  return {
    uuid: '11111111-0000-4000-8000-000000000001',
    account: 'MAEXAMPLE',
    mainAccount: 'MAEXAMPLE',
    owner: { kind: 'test', id: 'owner-1' },
    type: 'normal',
    callUuid: '22222222-0000-4000-8000-000000000002',
    mpc: null,
    from: '+12025550100',
    to: 'alice',
    format: 'wav',
    maxSeconds: 60,
    callback: null,
    status: 'starting',
    createdAt: 1000,
    startedAt: null,
    endedAt: null,
    closedAt: null,
    because: null,
    durationMs: 0,
    bytes: 0,
    pauseAsked: false,
    stopAsked: false,
    runningSince: null,
    recordedMs: 0,
    isDiscarded: false,
    sentence: null,
    ...over,
  };
}
