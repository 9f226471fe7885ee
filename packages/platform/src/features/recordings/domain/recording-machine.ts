import {
  type CaptureTrack,
  type Instant,
  type Machine,
  type RecordedFile,
  type Step,
  stay,
  type TimerFired,
} from '@jackfield/ports';
import {
  type EndReason,
  isOver,
  type Recording,
  type RecordingEffect,
  type RecordingEvent,
  type RecordingFault,
  type RecordingInput,
} from './recording.ts';
import { endedChannels, withChannels } from './recording-channels.ts';

type Stepped = Step<Recording, RecordingEffect>;

export const recordingMachine: Machine<Recording, RecordingInput | TimerFired, RecordingEffect> = {
  step(recording, input, now) {
    if (isOver(recording)) return stay(recording);
    switch (input.type) {
      case 'ordered':
        return { state: recording, effects: [{ do: 'start-recorder', tracks: input.tracks }] };
      case 'recorder-started':
        return started(recording, now);
      case 'recorder-failed':
        return broken(recording, input.fault, now);
      case 'retrack-asked':
        return retracked(recording, input.tracks);
      case 'members-changed':
        return recording.status === 'finishing'
          ? stay(recording)
          : stay(withChannels(recording, input.members, now));
      case 'pause-asked':
        return paused(recording, now);
      case 'resume-asked':
        return resumed(recording, now);
      case 'stop-asked':
        return finishing(recording, 'stopped', now);
      case 'discard-asked':
        return finishing({ ...recording, isDiscarded: true }, 'stopped', now);
      case 'timer-fired':
        return recording.status === 'recording' ? finishing(recording, 'max-length', now) : stay(recording);
      case 'file-completed':
        return recording.status === 'finishing' && recording.because !== 'failed'
          ? over({ ...recording, status: 'completed' }, input.file, now)
          : stay(recording);
      case 'file-inspected':
        return inspected(recording, input.file, now);
      case 'process-restarted':
        return { state: restarted(recording), effects: [{ do: 'inspect-file' }] };
    }
  },
};

function isRunning({ status }: Recording): boolean {
  return status === 'recording' || status === 'paused';
}

function retracked(recording: Recording, tracks: readonly CaptureTrack[]): Stepped {
  if (isRunning(recording)) return { state: recording, effects: [{ do: 'retrack', tracks }] };
  return stay(recording.status === 'starting' ? { ...recording, tracksAsked: tracks } : recording);
}

/** The event for the outbox and the notice for the owner; `sequence` counts the events of the recording. */
function announced(
  before: Recording,
  event: RecordingEvent,
): { state: Recording; effects: RecordingEffect[] } {
  const state = { ...before, sequence: before.sequence + 1 };
  return {
    state,
    effects: [
      { do: 'emit', event, recording: state },
      { do: 'notify-owner', event, recording: state },
    ],
  };
}

function started(recording: Recording, now: Instant): Stepped {
  if (recording.status !== 'starting') return stay(recording);
  const { pauseAsked, stopAsked, tracksAsked } = recording;
  const begun = announced(
    { ...recording, status: 'recording', startedAt: now, runningSince: now },
    'started',
  );
  let { state } = begun;
  const effects: RecordingEffect[] = [
    ...begun.effects,
    ...(tracksAsked === null ? [] : [{ do: 'retrack', tracks: tracksAsked } as const]),
    { do: 'start-timer', key: 'max-length', at: now + recording.maxSeconds * 1000 },
  ];
  if (pauseAsked) {
    const step = paused(state, now);
    state = step.state;
    effects.push(...step.effects);
  }
  if (stopAsked) {
    const step = finishing(state, 'stopped', now);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

function paused(recording: Recording, now: Instant): Stepped {
  if (recording.status === 'starting') return stay({ ...recording, pauseAsked: true });
  if (recording.status !== 'recording') return stay(recording);
  const { state, effects } = announced({ ...resting(recording, now), status: 'paused' }, 'paused');
  return {
    state,
    effects: [{ do: 'pause-recorder' }, { do: 'cancel-timer', key: 'max-length' }, ...effects],
  };
}

function resumed(recording: Recording, now: Instant): Stepped {
  if (recording.status === 'starting') return stay({ ...recording, pauseAsked: false });
  if (recording.status !== 'paused') return stay(recording);
  const { state, effects } = announced({ ...recording, status: 'recording', runningSince: now }, 'resumed');
  return {
    state,
    effects: [
      { do: 'resume-recorder' },
      // Pauses do not count.
      { do: 'start-timer', key: 'max-length', at: now + recording.maxSeconds * 1000 - recording.recordedMs },
      ...effects,
    ],
  };
}

function finishing(recording: Recording, because: EndReason, now: Instant): Stepped {
  if (recording.status === 'starting') return stay({ ...recording, stopAsked: true });
  if (!isRunning(recording)) return stay(recording);
  return {
    state: { ...resting(recording, now), status: 'finishing', because, endedAt: now },
    effects: [{ do: 'cancel-timer', key: 'max-length' }, { do: 'stop-recorder' }],
  };
}

/** The file may hold audio: it is inspected before the owner is notified. A recording that never began has no file. */
function broken(recording: Recording, fault: RecordingFault, now: Instant): Stepped {
  const state: Recording = { ...recording, because: 'failed', fault };
  if (recording.status === 'starting')
    return over({ ...state, status: 'failed', endedAt: now }, undefined, now);
  if (recording.because === 'failed') return stay(recording);
  return {
    state: { ...resting(state, now), status: 'finishing', endedAt: recording.endedAt ?? now },
    effects: [{ do: 'cancel-timer', key: 'max-length' }, { do: 'inspect-file' }],
  };
}

/** Stops the clock and adds the time since `runningSince`. */
function resting(recording: Recording, now: Instant): Recording {
  const { runningSince, recordedMs } = recording;
  return {
    ...recording,
    runningSince: null,
    recordedMs: recordedMs + (runningSince === null ? 0 : now - runningSince),
  };
}

/** Keeps the end reason that was recorded before the crash. */
function restarted(recording: Recording): Recording {
  return { ...recording, status: 'finishing', runningSince: null };
}

function inspected(recording: Recording, file: RecordedFile | undefined, now: Instant): Stepped {
  if (recording.status !== 'finishing') return stay(recording);
  if (recording.because === 'failed') return over({ ...recording, status: 'failed' }, file, now);
  // The process died: only the length of the file shows when the last sound arrived.
  const hasBegun = recording.startedAt !== null || (file?.durationMs ?? 0) > 0;
  const startedAt = recording.startedAt ?? recording.createdAt;
  const endedAt =
    recording.endedAt ?? (file === undefined ? now : Math.min(now, startedAt + file.durationMs));
  if (file === undefined || !hasBegun) {
    const fault = {
      code: 'interrupted',
      sentence: 'the process ended before anything was written',
    } as const;
    return over({ ...recording, status: 'failed', because: 'failed', endedAt, fault }, file, now);
  }
  const because = recording.because ?? 'stopped';
  return over({ ...recording, status: 'completed', because, startedAt, endedAt }, file, now);
}

/** Every end passes here. */
function over(recording: Recording, file: RecordedFile | undefined, now: Instant): Stepped {
  const durationMs = file?.durationMs ?? 0;
  const state: Recording = {
    ...recording,
    durationMs,
    bytes: file?.bytes ?? 0,
    closedAt: now,
    channels: endedChannels(recording.channels, durationMs),
  };
  return announced(state, state.status === 'completed' ? 'completed' : 'failed');
}
