import type { Recording } from '../domain/recording.ts';

export const exampleUuid = '11111111-0000-4000-8000-000000000001';

/** The fields of a callback about a call, as a document or the Call API give them. */
export const exampleCallFields: Readonly<Record<string, string>> = {
  CallUUID: exampleUuid,
  RequestUUID: exampleUuid,
  From: '+12025550199',
  To: '+12025550100',
  CallerName: '+12025550199',
  Direction: 'inbound',
  CallStatus: 'in-progress',
  ALegUUID: exampleUuid,
  ALegRequestUUID: exampleUuid,
  ParentAuthID: 'MA0123456789ABCDEFGH',
  SessionStart: '2026-02-01 10:00:00.000000',
  BillRate: '0.00500',
};

/** A recording for tests, at its beginning unless `over` changes that. */
export function exampleRecording(over: Partial<Recording> = {}): Recording {
  return {
    uuid: exampleUuid,
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
    announcement: null,
    transcript: null,
    sequence: 0,
    memberId: null,
    trackType: null,
    channels: null,
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
    tracksAsked: null,
    runningSince: null,
    recordedMs: 0,
    isDiscarded: false,
    fault: null,
    ...over,
  };
}
