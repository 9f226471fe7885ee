import {
  defaultStatusCallbackEvents,
  type NewParticipant,
  readBoolean,
  readInteger,
  readOneOf,
  readRequest,
} from '@jackfield/contract';
import { invalidParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { readTranscriptRequest, type TranscriptRequest } from '../recordings/index.ts';
import { readAgent } from './agent-parameters.ts';
import type { CallSettings } from './domain/multiparty-call.ts';
import type { Confirmation, DialMusic, EdgeSound, RequestedParticipant, Role } from './domain/participant.ts';
import { type RequestedPhone, type RequestedPhones, readPhones } from './phone-parameters.ts';

/** What a request asks for, before members and legs have numbers. */
export type RequestedAddition = RequestedPhones & {
  /** Of every phone. */
  readonly participant: Omit<
    RequestedParticipant,
    'memberId' | 'leg' | 'requestUuid' | 'origin' | 'rate' | keyof RequestedPhone
  >;
  /** For the call, if this request creates it. */
  readonly settings: CallSettings;
};

/** Reads a validated body; defaults are those of docs/interface/multiparty-calls.md#adding-participants. */
export function readAddition(body: NewParticipant, canTranscribe: boolean): Result<RequestedAddition> {
  const phones = readPhones(body);
  if (!phones.ok) return phones;
  const confirmation = readConfirmation(body);
  if (!confirmation.ok) return confirmation;
  const agent = readAgent(body);
  if (!agent.ok) return agent;
  const transcript = readTranscript(body, canTranscribe);
  if (!transcript.ok) return transcript;
  const target = readRequest(body.status_callback_url, body.status_callback_method);
  const statusCallback = target && {
    ...target,
    events: (body.status_callback_events ?? defaultStatusCallbackEvents).replace(/\s/g, ''),
  };
  return accepted({
    ...phones.value,
    participant: {
      role: body.role.toLowerCase() as Role,
      coachMode: readBoolean(body.coach_mode) ?? true,
      mute: readBoolean(body.mute) ?? false,
      hold: readBoolean(body.hold) ?? false,
      startsOnEnter: readBoolean(body.start_mpc_on_enter) ?? true,
      endsOnExit: readBoolean(body.end_mpc_on_exit) ?? false,
      enterSound: edgeSoundOf(body.enter_sound ?? 'beep:1', body.enter_sound_method),
      exitSound: edgeSoundOf(body.exit_sound ?? 'beep:2', body.exit_sound_method),
      confirmation: confirmation.value,
      dialMusic: dialMusicOf(body.dial_music),
      relaysDigits: readBoolean(body.relay_dtmf_inputs) ?? false,
      joinsOthersOnly: !(
        readBoolean(body.create_mpc_with_single_participant ?? body.create_mpc_if_alone) ?? true
      ),
      callStatusCallback: readRequest(body.call_status_callback_url, body.call_status_callback_method),
      statusCallback,
      onExitAction: readRequest(body.on_exit_action_url, body.on_exit_action_method),
      ...(agent.value === null
        ? {}
        : {
            agent: agent.value,
            confirmation: null,
            dialMusic: 'none',
            callStatusCallback: null,
            onExitAction: null,
          }),
    },
    settings: {
      maxParticipants: readInteger(body.max_participants) ?? 10,
      maxDurationSeconds: readInteger(body.max_duration) ?? 14_400,
      stayAlone: readBoolean(body.stay_alone) ?? false,
      // Only documents ask for it (docs/interface/multiparty-calls.md#the-element).
      waitsForAgent: false,
      waitSeconds: null,
      recordMinMemberCount: readInteger(body.record_min_member_count) ?? 1,
      statusCallback,
      recordingCallback: readRequest(body.recording_callback_url, body.recording_callback_method),
      recording: {
        wholeCall: readBoolean(body.record) ?? false,
        eachParticipant: readBoolean(body.record_participant_track) ?? false,
        format: readOneOf(['mp3', 'wav'], body.record_file_format) ?? 'mp3',
        coachVoice: readBoolean(body.record_coach_voice) ?? true,
        startSound: readRequest(body.start_recording_audio, body.start_recording_audio_method, 'GET'),
        stopSound: readRequest(body.stop_recording_audio, body.stop_recording_audio_method, 'GET'),
        transcript: transcript.value,
      },
      music: {
        wait: readRequest(body.wait_music_url, body.wait_music_method, 'GET'),
        agentHold: readRequest(
          body.agent_hold_music_url ?? body.agent_hold_music,
          body.agent_hold_music_method,
          'GET',
        ),
        customerHold: readRequest(
          body.customer_hold_music_url ?? body.customer_hold_music,
          body.customer_hold_music_method,
          'GET',
        ),
      },
    },
  });
}

/** Something must be recorded: a transcript is that of a recording. */
function readTranscript(body: NewParticipant, canTranscribe: boolean): Result<TranscriptRequest | null> {
  const transcript = readTranscriptRequest(body, canTranscribe);
  if (!transcript.ok || transcript.value === null) return transcript;
  if (readBoolean(body.record) === true || readBoolean(body.record_participant_track) === true)
    return transcript;
  const parameter = readBoolean(body.transcript) === true ? 'transcript' : 'transcription_url';
  const allowed = 'left out where neither record nor record_participant_track is true';
  return refused(invalidParameter(parameter, body[parameter], allowed));
}

/** A sound without a key is refused: the phone would be asked for a key that is not checked. */
function readConfirmation(body: NewParticipant): Result<Confirmation | null> {
  const { confirm_key: key, confirm_key_sound_url: url, confirm_key_sound_method: soundMethod } = body;
  if (key === undefined) {
    if (url === undefined) return accepted(null);
    return refused(invalidParameter('confirm_key_sound_url', url, 'left out where confirm_key is not given'));
  }
  return accepted({ key, sound: readRequest(url, soundMethod, 'GET') });
}

function edgeSoundOf(value: string, method: string | undefined): EdgeSound {
  const word = value.toLowerCase();
  if (word === 'none' || word === 'beep:1' || word === 'beep:2') return word;
  return readRequest(value, method, 'GET');
}

function dialMusicOf(value = 'real'): DialMusic {
  const word = value.toLowerCase();
  return word === 'real' || word === 'none' ? word : { url: value };
}
