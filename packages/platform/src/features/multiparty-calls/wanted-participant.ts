import {
  defaultStatusCallbackEvents,
  type NewParticipant,
  readBoolean,
  readInteger,
} from '@jackfield/contract';
import { invalidParameter, missingParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { readSipHeaders } from '../call-instructions/index.ts';
import type { CallSettings } from './domain/multiparty-call.ts';
import type { Callback, EdgeSound, Role, WantedParticipant } from './domain/participant.ts';

/** What a request asks for, before the platform has named it. */
export interface WantedAddition {
  readonly participant: Omit<WantedParticipant, 'memberId' | 'leg' | 'requestUuid' | 'origin'>;
  /** A live call that is taken over; null: `to` is dialled. */
  readonly callUuid: string | null;
  /** For the call, if this request creates it. */
  readonly settings: CallSettings;
}

/** Reads a validated body; defaults are those of interface.md. */
export function readAddition(body: NewParticipant): Result<WantedAddition> {
  const phone = readPhone(body);
  if (!phone.ok) return phone;
  const { from, to, callUuid } = phone.value;
  const headers = readSipHeaders(body.sip_headers);
  if (!headers.ok) return headers;
  const statusCallback = callback(body.status_callback_url, body.status_callback_method);
  return accepted({
    callUuid,
    participant: {
      role: body.role.toLowerCase() as Role,
      from,
      to,
      callerName: body.caller_name ?? from,
      coachMode: readBoolean(body.coach_mode) ?? true,
      mute: readBoolean(body.mute) ?? false,
      hold: readBoolean(body.hold) ?? false,
      startsOnEnter: readBoolean(body.start_mpc_on_enter) ?? true,
      endsOnExit: readBoolean(body.end_mpc_on_exit) ?? false,
      enterSound: (body.enter_sound?.toLowerCase() ?? 'beep:1') as EdgeSound,
      exitSound: (body.exit_sound?.toLowerCase() ?? 'beep:2') as EdgeSound,
      ringTimeoutSeconds: readInteger(body.ring_timeout) ?? 45,
      sipHeaders: headers.value,
      sendDigits: body.send_digits ?? '',
      callStatusCallback: callback(body.call_status_callback_url, body.call_status_callback_method),
    },
    settings: {
      maxParticipants: readInteger(body.max_participants) ?? 10,
      maxDurationSeconds: readInteger(body.max_duration) ?? 14_400,
      stayAlone: readBoolean(body.stay_alone) ?? false,
      recordMinMemberCount: readInteger(body.record_min_member_count) ?? 1,
      statusCallback: statusCallback && {
        ...statusCallback,
        events: body.status_callback_events ?? defaultStatusCallbackEvents,
      },
      recordingCallback: callback(body.recording_callback_url, body.recording_callback_method),
    },
  });
}

/** conventions.md §9.3: exactly one of `call_uuid` and `from` with `to`. */
function readPhone(
  body: NewParticipant,
): Result<{ readonly from: string; readonly to: string; readonly callUuid: string | null }> {
  const { from, to, call_uuid: callUuid } = body;
  if (callUuid !== undefined) {
    if (from !== undefined || to !== undefined) {
      const given = from === undefined ? 'to' : 'from';
      return refused(
        invalidParameter('call_uuid', callUuid, `left out where ${given} is given (it names a live call)`),
      );
    }
    return accepted({ from: '', to: '', callUuid: callUuid.toLowerCase() });
  }
  if (from === undefined || to === undefined) {
    return refused(missingParameter(from === undefined ? 'from' : 'to'));
  }
  return accepted({ from, to, callUuid: null });
}

function callback(url: string | undefined, method: string | undefined): Callback | null {
  if (url === undefined) return null;
  return { url, method: method?.toUpperCase() === 'GET' ? 'GET' : 'POST' };
}
