import { createBeepDetector } from './beep-detector.ts';
import { createVoiceActivity } from './voice-activity.ts';

/** Frames without speech that make a pause: 200 ms, longer than the stops inside of words. */
const PAUSE_FRAMES = 10;

/** Reports what an answering party sends: speech begins, or pauses for 200 ms; a steady tone has lasted for 120 ms; a beep ends. */
export interface AnswerSounds {
  /** Processes the next frame of 20 ms; undefined for a frame that is silent, concealed or a key's tone. */
  hear(frame: Int16Array | undefined): 'voice' | 'pause' | 'tone' | 'beep' | undefined;
}

/** Creates a watch over one answer. A steady tone is no speech, so a beep is not mistaken for a word. */
export function createAnswerSounds(): AnswerSounds {
  const voice = createVoiceActivity(PAUSE_FRAMES);
  const beep = createBeepDetector();
  let wasSpeaking = false;
  return {
    hear(frame) {
      const tone = beep.hear(frame);
      voice.hear(beep.isTone ? undefined : frame);
      const isSpeaking = voice.isSpeaking === true;
      if (tone !== undefined) return tone === 'begun' ? 'tone' : 'beep';
      if (isSpeaking === wasSpeaking) return undefined;
      wasSpeaking = isSpeaking;
      return isSpeaking ? 'voice' : 'pause';
    },
  };
}
