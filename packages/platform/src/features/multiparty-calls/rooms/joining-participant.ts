import { legSpec } from '@jackfield/ports';
import type { CallSettings, MusicSettings } from '../domain/multiparty-call.ts';
import type { AgentStream, Callback, EdgeSound, Role } from '../domain/participant.ts';
import type { RecordingSettings } from '../domain/room-recording.ts';
import type { RequestedAddition } from '../participant-parameters.ts';
import type { RequestedPhone } from '../phone-parameters.ts';

/** A caller whose document reached a MultiPartyCall element. */
export interface JoiningParticipant {
  /** An answered leg, owned by the document. */
  readonly leg: string;
  readonly account: string;
  readonly mainAccount: string;
  readonly from: string;
  readonly to: string;
  readonly callerName: string;
  readonly instruction: JoinInstruction;
}

/** The element (docs/interface/multiparty-calls.md#the-element), with its defaults filled in. */
export interface JoinInstruction {
  readonly name: string;
  readonly role: Role;
  readonly coachMode: boolean;
  readonly mute: boolean;
  readonly hold: boolean;
  readonly stayAlone: boolean;
  readonly startMpcOnEnter: boolean;
  readonly endMpcOnExit: boolean;
  readonly maxDurationSeconds: number;
  readonly maxParticipants: number;
  readonly recordMinMemberCount: number;
  readonly waitForAgent: boolean;
  readonly waitSeconds: number | null;
  readonly relayDtmfInputs: boolean;
  readonly enterSound: EdgeSound;
  readonly exitSound: EdgeSound;
  readonly statusCallback: (Callback & { readonly events: string }) | null;
  readonly recordingCallback: Callback | null;
  readonly recording: RecordingSettings;
  readonly music: MusicSettings;
  readonly onExitAction: Callback | null;
  /** The program that joins instead of the caller. */
  readonly agent?: AgentStream;
}

/** The request of the element; fields that only a dialled leg needs stay empty. */
export function readJoining(order: JoiningParticipant): {
  readonly participant: RequestedAddition['participant'] & RequestedPhone;
  readonly settings: CallSettings;
} {
  const { from, to, callerName, instruction } = order;
  return {
    participant: {
      role: instruction.role,
      spec: legSpec({ from, to, callerName }),
      coachMode: instruction.coachMode,
      mute: instruction.mute,
      hold: instruction.hold,
      startsOnEnter: instruction.startMpcOnEnter,
      endsOnExit: instruction.endMpcOnExit,
      enterSound: instruction.enterSound,
      exitSound: instruction.exitSound,
      delaySeconds: 0,
      confirmation: null,
      dialMusic: 'none',
      relaysDigits: instruction.relayDtmfInputs,
      joinsOthersOnly: false,
      callStatusCallback: null,
      statusCallback: instruction.statusCallback,
      onExitAction: instruction.onExitAction,
    },
    settings: {
      maxParticipants: instruction.maxParticipants,
      maxDurationSeconds: instruction.maxDurationSeconds,
      stayAlone: instruction.stayAlone,
      waitsForAgent: instruction.waitForAgent,
      waitSeconds: instruction.waitSeconds,
      recordMinMemberCount: instruction.recordMinMemberCount,
      statusCallback: instruction.statusCallback,
      recordingCallback: instruction.recordingCallback,
      recording: instruction.recording,
      music: instruction.music,
    },
  };
}
