import { notFound, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { type LiveLeg, liveCallOf } from '../calls/index.ts';
import { type NewRecording, recordingOfLeg } from '../recordings/index.ts';
import { maxRecordingsOfLeg } from './domain/leg-actions.ts';
import { type CommandDeps, requestedLegs, type Viewer } from './legs/requested-legs.ts';
import type { RecordingSpec } from './parameters.ts';
import { ownerKind } from './sessions.ts';

export interface StartedRecording {
  readonly recording: string;
  readonly url: string;
}

export async function startRecording(
  deps: CommandDeps,
  viewer: Viewer,
  callUuid: string,
  spec: RecordingSpec,
): Promise<Result<StartedRecording>> {
  const { sessions, recordings, newUuid } = deps;
  const found = requestedLegs(deps, viewer, callUuid, 'aleg', 'call_uuid');
  if (!found.ok) return found;
  const call = found.value[0] as LiveLeg;
  const { leg, account } = call;
  const recording = newUuid();
  const url = recordings.urlOf({ recording, account, format: spec.format });
  const reply = await sessions.ask(leg, { type: 'begin-recording', recording: { recording, url } });
  if (reply === 'full') {
    const sentence = `call ${leg} is being recorded ${maxRecordingsOfLeg} times already: stop one of the recordings first`;
    return refused(problem('limit-reached', sentence));
  }
  if (reply !== 'done') return refused(notFound('live call', callUuid));
  try {
    await recordings.start(orderOf(deps, call, recording, spec));
  } catch (error) {
    sessions.send(leg, { type: 'recording-over', recording });
    throw error;
  }
  // It may have been stopped, or the call may have ended, before the recording began.
  const isRunning = sessions.peek(leg)?.recordings.some((each) => each.recording === recording) ?? false;
  if (!isRunning) recordings.stop(recording);
  return accepted({ recording, url });
}

export async function endRecordings(
  { sessions, calls }: CommandDeps,
  viewer: Viewer,
  callUuid: string,
  which: string | null,
): Promise<Result<undefined>> {
  const call = liveCallOf(calls, viewer, callUuid);
  if (!call.ok) return call;
  const { leg } = call.value;
  const input = { type: 'end-recordings', which } as const;
  const reply = sessions.peek(leg) === undefined ? 'none' : await sessions.ask(leg, input);
  if (reply === 'done') return accepted(undefined);
  return refused(
    which === null
      ? problem('not-found', `call ${leg} is not being recorded by this API`)
      : notFound(`running recording of call ${leg}`, which),
  );
}

function orderOf(
  { calls }: CommandDeps,
  call: LiveLeg,
  recording: string,
  { format, maxSeconds, callback, transcript, channels }: RecordingSpec,
): NewRecording {
  const voice = [call.leg];
  const both = [{ said: voice, heard: voice }];
  const apart = [
    { said: voice, heard: [] },
    { said: [], heard: voice },
  ];
  const tracks = channels === 'mono' ? both : apart;
  const spec = { recording, ownerKind, format, tracks, maxSeconds, callback, transcript };
  return recordingOfLeg(call, spec, calls.parametersOf(call));
}
