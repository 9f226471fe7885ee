import type { Instant } from '@jackfield/ports';
import type { Recording } from '../domain/recording.ts';
import type { NewRecording } from '../public-api.ts';

/** The state before the recorder has begun. */
export function newRecording(order: NewRecording, now: Instant): Recording {
  const { recording, account, mainAccount, owner, type, callUuid, mpc, from, to, format, maxSeconds } = order;
  return {
    uuid: recording,
    account,
    mainAccount,
    owner,
    type,
    callUuid,
    mpc: mpc ?? null,
    from,
    to,
    format,
    maxSeconds,
    callback: order.callback ?? null,
    announcement: order.announcement ?? null,
    transcript: order.transcript ?? null,
    sequence: 0,
    memberId: order.memberId ?? null,
    trackType: order.trackType ?? null,
    channels: order.members?.map((each) => ({ ...each, fromMs: 0, toMs: null })) ?? null,
    status: 'starting',
    createdAt: now,
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
  };
}
