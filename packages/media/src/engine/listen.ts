import { createAutomaticLevel } from '../dsp/automatic-level.ts';
import { isSilent } from '../dsp/level.ts';
import type { VoiceActivity } from '../dsp/voice-activity.ts';
import { taken } from '../jitter/taken.ts';
import type { Feed } from '../stream/feed.ts';
import type { MediaNotice } from './commands.ts';
import type { Leg } from './leg.ts';
import { tellDigits } from './receive-packet.ts';

/** Audio near a packet of a key may be the key's tone: some phones send both, and the tone waits in the jitter buffer. */
const KEY_TONE_MS = 120;

/** What all legs of an engine have in common when they are listened to. */
export interface Listening {
  readonly notify: (notice: MediaNotice) => void;
  /** RTP that stays away for this long is told. */
  readonly mediaSilentMs: number;
  readonly moveFeed: (feed: Feed) => void;
}

/** Takes the leg's next frame and looks whether it still speaks. */
export function listen(leg: Leg, nowMs: number, listening: Listening): void {
  const { notify, mediaSilentMs } = listening;
  if (!leg.listens) {
    if (leg.feed !== undefined) listening.moveFeed(leg.feed);
    if (leg.voice !== undefined)
      watchVoice(leg, leg.voice, leg.feed !== undefined && leg.source.active, notify);
    return;
  }
  const result = leg.jitter.take(leg.source.frame, nowMs);
  leg.isMadeUp = result !== taken.played;
  leg.source.active = result !== taken.empty && !isSilent(leg.source.frame, leg.source.frame.length);
  const isItsOwn = result === taken.played && nowMs - leg.keyMs >= KEY_TONE_MS;
  if (leg.voice !== undefined) watchVoice(leg, leg.voice, isItsOwn, notify);
  if (leg.ear.isLevelled || leg.level !== undefined) bringToLevel(leg, isItsOwn);
  if (leg.receiveEventPayloadType >= 0) {
    const digits = leg.digitsIn.expire(nowMs);
    if (digits.length > 0) tellDigits(leg, digits, notify);
  }
  // Who holds us (its direction is sendonly, so we do not send) may play music or nothing at all.
  if (leg.sends && !leg.silenceTold && nowMs - leg.heardMs >= mediaSilentMs) {
    leg.silenceTold = true;
    notify({ type: 'media-silent', leg: leg.name, forMs: Math.round(nowMs - leg.heardMs) });
  }
}

/** In a mix of three and more; in one of two again, until nothing of it is left. */
function bringToLevel(leg: Leg, isItsOwn: boolean): void {
  const { frame, active } = leg.source;
  leg.level ??= createAutomaticLevel();
  leg.level.adjust(active ? frame : undefined, isItsOwn, leg.ear.isLevelled);
  if (!leg.ear.isLevelled && leg.level.gainDb === 0) leg.level = undefined;
}

function watchVoice(
  leg: Leg,
  voice: VoiceActivity,
  isItsOwn: boolean,
  notify: (notice: MediaNotice) => void,
): void {
  voice.hear(isItsOwn ? leg.source.frame : undefined);
  const { isSpeaking } = voice;
  if (isSpeaking === undefined || isSpeaking === leg.voiceTold) return;
  leg.voiceTold = isSpeaking;
  notify({ type: 'voice', leg: leg.name, speaking: isSpeaking });
}
