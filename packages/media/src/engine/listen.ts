import type { AnswerSounds } from '../dsp/answer-sounds.ts';
import { createAutomaticLevel } from '../dsp/automatic-level.ts';
import { isSilent } from '../dsp/level.ts';
import type { VoiceActivity } from '../dsp/voice-activity.ts';
import { taken } from '../jitter/taken.ts';
import type { StreamSource } from '../stream/stream-source.ts';
import type { MediaNotice } from './commands.ts';
import type { Leg } from './leg.ts';
import { emitDigits } from './receive-packet.ts';

/**
 * Audio near an event packet may be the key's tone: some phones send both, and the tone is still in the jitter buffer.
 */
const KEY_TONE_MS = 120;

/** What `listen` needs from the engine. */
export interface Listening {
  readonly notify: (notice: MediaNotice) => void;
  /** A leg without RTP for this long emits `media-silent`. */
  readonly mediaSilentMs: number;
  readonly moveStreamSource: (streamSource: StreamSource) => void;
}

/** Takes the leg's next frame from its jitter buffer and updates voice activity, level, keys and silence. */
export function listen(leg: Leg, nowMs: number, listening: Listening): void {
  const { notify, mediaSilentMs } = listening;
  if (!leg.listens) {
    if (leg.streamSource !== undefined) listening.moveStreamSource(leg.streamSource);
    if (leg.voice !== undefined)
      watchVoice(leg, leg.voice, leg.streamSource !== undefined && leg.source.active, notify);
    if (leg.answer !== undefined) watchAnswer(leg, leg.answer, false, notify);
    return;
  }
  const result = leg.jitter.take(leg.source.frame, nowMs);
  leg.playedTo = leg.jitter.position;
  leg.isConcealed = result !== taken.played;
  leg.source.active = result !== taken.empty && !isSilent(leg.source.frame, leg.source.frame.length);
  const isItsOwn = result === taken.played && nowMs - leg.keyMs >= KEY_TONE_MS;
  if (leg.voice !== undefined) watchVoice(leg, leg.voice, isItsOwn, notify);
  if (leg.answer !== undefined) watchAnswer(leg, leg.answer, isItsOwn, notify);
  if (leg.hearing.isLevelled || leg.level !== undefined) bringToLevel(leg, isItsOwn);
  if (leg.receiveEventPayloadType >= 0) {
    const digits = leg.digitsIn.expire(nowMs);
    if (digits.length > 0) emitDigits(leg, digits, notify);
  }
  // When the other side holds us (we do not send), it may send music or nothing. A handshake that does not end is silence as well.
  if ((leg.sends || leg.awaitsKeys) && !leg.silenceReported && nowMs - leg.heardMs >= mediaSilentMs) {
    leg.silenceReported = true;
    notify({ type: 'media-silent', leg: leg.name, forMs: Math.round(nowMs - leg.heardMs) });
  }
}

/** Adjusts the level in a mix of three or more. In a smaller mix, the gain first returns to 0 dB. */
function bringToLevel(leg: Leg, isItsOwn: boolean): void {
  const { frame, active } = leg.source;
  leg.level ??= createAutomaticLevel();
  leg.level.adjust(active ? frame : undefined, isItsOwn, leg.hearing.isLevelled);
  if (!leg.hearing.isLevelled && leg.level.gainDb === 0) leg.level = undefined;
}

function watchVoice(
  leg: Leg,
  voice: VoiceActivity,
  isItsOwn: boolean,
  notify: (notice: MediaNotice) => void,
): void {
  voice.hear(isItsOwn ? leg.source.frame : undefined);
  const { isSpeaking } = voice;
  if (isSpeaking === undefined || isSpeaking === leg.reportedVoice) return;
  leg.reportedVoice = isSpeaking;
  notify({ type: 'voice', leg: leg.name, speaking: isSpeaking });
}

function watchAnswer(
  leg: Leg,
  answer: AnswerSounds,
  isItsOwn: boolean,
  notify: (notice: MediaNotice) => void,
): void {
  const sound = answer.hear(isItsOwn ? leg.source.frame : undefined);
  if (sound !== undefined) notify({ type: 'answer-sound', leg: leg.name, sound });
}
