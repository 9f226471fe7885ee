import type { MultipartyCall } from './multiparty-call.ts';
import { isPresent } from './participant.ts';
import { channelsFor, hasChannels, membersOn, tracksOf } from './recorded-tracks.ts';
import {
  isRunning,
  type RecordingChoice,
  type RecordingRefusal,
  type RequestedRecording,
  type RoomRecording,
} from './room-recording.ts';
import type { RecordingOrder, RoomEffect, RoomRecordingEffect, RoomReply, RoomStep } from './room-step.ts';

/** Starts all of them, or none. */
export function record(call: MultipartyCall, order: Extract<RecordingOrder, { type: 'record' }>): RoomStep {
  if (call.status === 'ended') return refused(call, { because: 'ended' });
  let state = call;
  const effects: RoomEffect[] = [];
  for (const requested of order.requested) {
    const refusal = refusalOf(state, requested);
    if (refusal !== undefined) {
      if (order.byItself) continue;
      return refused(call, refusal);
    }
    const begun = begin(state, requested);
    state = begun.state;
    effects.push(...begun.effects);
  }
  return { state, effects: [...effects, reply('done')] };
}

function refusalOf(call: MultipartyCall, { of, track }: RequestedRecording): RoomReply | undefined {
  const memberId = of === 'call' ? null : of;
  const isTaken = call.recordings.live.some(
    (each) => isRunning(each) && each.of === of && (of === 'call' || each.track === track),
  );
  if (of !== 'call') {
    const participant = call.participants.find((each) => each.memberId === of && each.phase !== 'exited');
    if (participant === undefined) return { because: 'no-such-member', memberId: of };
    if (!isPresent(participant)) return { because: 'not-joined', memberId: of };
  }
  return isTaken ? { because: 'recording-runs', memberId } : undefined;
}

function begin(call: MultipartyCall, requested: RequestedRecording): RoomStep {
  const to = call.participants.filter(isPresent).map(({ leg }) => leg);
  const sound = requested.of === 'call' && to.length > 0 ? call.recording.startSound : null;
  const status = sound === null ? 'recording' : 'announcing';
  const recording: RoomRecording = { ...requested, status, channels: [] };
  if (sound === null) return started(call, recording);
  return {
    state: withRecording(call, recording),
    effects: [{ do: 'announce', call, recording: requested.uuid, isStart: true, sound, to }],
  };
}

export function announcementOver(call: MultipartyCall, uuid: string): RoomStep {
  const announced = call.recordings.live.find((each) => each.uuid === uuid && each.status === 'announcing');
  return announced === undefined || call.status === 'ended'
    ? { state: call, effects: [] }
    : started(call, { ...announced, status: 'recording' });
}

/**
 * A stop or the end of the call interrupts the announcement. The participants did not hear all of it, so no voice is recorded. The
 * client has the id of the recording, so its end is reported.
 */
export function brokenOff(call: MultipartyCall, announced: RoomRecording): readonly RoomRecordingEffect[] {
  const { uuid: recording } = announced;
  const tracks = tracksOf(announced, { ...call, participants: [] });
  return [
    { do: 'stop-announcement', recording },
    { do: 'start-recording', call, recording: announced, participant: null, tracks, members: [] },
    { do: 'stop-recording', recording },
  ];
}

function started(call: MultipartyCall, requested: RoomRecording): RoomStep {
  const empty = hasChannels(requested) ? Array.from({ length: call.maxParticipants }, () => null) : [];
  const recording = { ...requested, channels: hasChannels(requested) ? channelsFor(empty, call) : empty };
  const participant = call.participants.find(({ memberId }) => memberId === requested.of) ?? null;
  return {
    state: withRecording(call, recording),
    effects: [
      {
        do: 'start-recording',
        call,
        recording,
        participant,
        tracks: tracksOf(recording, call),
        members: membersOn(recording.channels, call),
      },
    ],
  };
}

function withRecording(call: MultipartyCall, recording: RoomRecording): MultipartyCall {
  const { live } = call.recordings;
  const known = live.some(({ uuid }) => uuid === recording.uuid);
  return {
    ...call,
    recordings: {
      ...call.recordings,
      live: known
        ? live.map((each) => (each.uuid === recording.uuid ? recording : each))
        : [...live, recording],
    },
  };
}

type Change = Exclude<RecordingOrder, { readonly type: 'record' }>;

/** docs/interface/multiparty-calls.md#recording: 404 without a running recording, 400 for a recording in another status. */
export function changed(call: MultipartyCall, { type, which }: Change): RoomStep {
  if (call.status === 'ended') return refused(call, { because: 'ended' });
  const chosen = chosenOf(call, which);
  if ('because' in chosen) return refused(call, chosen);
  const wrong = type === 'stop-recording' ? undefined : unfitting(chosen, type);
  if (wrong !== undefined) return refused(call, wrong);
  const effects: RoomRecordingEffect[] = [];
  const live = call.recordings.live.flatMap((each): readonly RoomRecording[] => {
    if (!chosen.includes(each)) return [each];
    if (type === 'stop-recording') return stopped(call, each, effects);
    effects.push({ do: type, recording: each.uuid });
    return [{ ...each, status: type === 'pause-recording' ? 'paused' : 'recording' }];
  });
  return {
    state: { ...call, recordings: { ...call.recordings, live } },
    effects: [...effects, reply('done')],
  };
}

function stopped(
  call: MultipartyCall,
  recording: RoomRecording,
  effects: RoomRecordingEffect[],
): readonly RoomRecording[] {
  const { uuid, of, status } = recording;
  if (status === 'announcing') {
    effects.push(...brokenOff(call, recording));
    return [{ ...recording, status: 'stopping' }];
  }
  effects.push({ do: 'stop-recording', recording: uuid });
  const to = call.participants.filter(isPresent).map(({ leg }) => leg);
  const sound = call.recording.stopSound;
  if (of === 'call' && sound !== null && to.length > 0) {
    effects.push({ do: 'announce', call, recording: uuid, isStart: false, sound, to });
  }
  return [{ ...recording, status: 'stopping' }];
}

function chosenOf(call: MultipartyCall, which: RecordingChoice): readonly RoomRecording[] | RoomReplyRefusal {
  const running = call.recordings.live.filter(isRunning);
  if (which.of === 'call') {
    const whole = running.filter(({ of }) => of === 'call');
    return whole.length === 0 ? { because: 'nothing-recorded', memberId: null } : whole;
  }
  const { tracks } = which;
  const matching = running.filter(
    ({ of, track }) => of !== 'call' && (tracks === null || tracks === 'both' || track === tracks),
  );
  if (which.of === 'all') {
    return matching.length === 0 ? { because: 'nothing-recorded', memberId: null } : matching;
  }
  for (const memberId of which.of) {
    const isThere = call.participants.some((each) => each.memberId === memberId && each.phase !== 'exited');
    if (!isThere) return { because: 'no-such-member', memberId };
    if (!matching.some(({ of }) => of === memberId)) return { because: 'nothing-recorded', memberId };
  }
  const members: readonly unknown[] = which.of;
  return matching.filter(({ of }) => members.includes(of));
}

type RoomReplyRefusal = Exclude<RoomReply, 'done'>;

function unfitting(
  chosen: readonly RoomRecording[],
  type: 'pause-recording' | 'resume-recording',
): RecordingRefusal | undefined {
  const isPause = type === 'pause-recording';
  const other = chosen.find(({ status }) => status !== (isPause ? 'recording' : 'paused'));
  if (other === undefined) return undefined;
  return {
    because: isPause ? 'not-recording' : 'not-paused',
    memberId: other.of === 'call' ? null : other.of,
  };
}

function reply(answer: RoomReply): RoomEffect {
  return { do: 'reply', reply: answer };
}

function refused(call: MultipartyCall, refusal: RoomReply): RoomStep {
  return { state: call, effects: [reply(refusal)] };
}
