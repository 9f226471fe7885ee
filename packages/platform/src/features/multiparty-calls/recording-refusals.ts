import { type Problem, problem } from '../../kernel/problem.ts';
import type { RecordingRefusal } from './domain/room-recording.ts';
import type { RoomReply } from './domain/room-step.ts';
import { problemOfRefusal } from './refusals.ts';

/** The answer to a refused recording request (docs/interface/multiparty-calls.md#recording). */
export function problemOfRecording(mpcUuid: string, refusal: Exclude<RoomReply, 'done'>): Problem {
  switch (refusal.because) {
    case 'recording-runs':
      return problem('invalid-parameter', `${subject(refusal)} is being recorded already`);
    case 'nothing-recorded':
      return problem('not-found', `${subject(refusal)} is not being recorded`);
    case 'not-recording':
      return problem(
        'invalid-parameter',
        `the recording of ${subject(refusal)} cannot be paused: it does not run`,
      );
    case 'not-paused':
      return problem('invalid-parameter', `the recording of ${subject(refusal)} is not paused`);
    case 'not-joined':
      return problem('invalid-parameter', `participant ${refusal.memberId} has not joined yet`);
    case 'none-present':
      return problem('conflict', 'no participant has joined this multiparty call');
    default:
      return problemOfRefusal(mpcUuid, refusal);
  }
}

function subject({ memberId }: RecordingRefusal): string {
  return memberId === null ? 'the multiparty call' : `participant ${memberId}`;
}
