import { createVoiceActivity, type VoiceActivity } from '@jackfield/media';
import type { VoiceActivityLimits } from '@jackfield/ports';

const FRAME_MS = 20;

interface SpokenTrack {
  readonly activity: VoiceActivity;
  isSpeaking: boolean;
}

/** Reports when speech begins and ends in each track of a stream. */
export class SpokenTracks {
  readonly #limits: VoiceActivityLimits;
  readonly #report: (track: string, speaking: boolean, timestampMs: number) => void;
  readonly #frame: Int16Array;
  readonly #tracks = new Map<string, SpokenTrack>();

  constructor(
    limits: VoiceActivityLimits,
    sampleRate: number,
    report: (track: string, speaking: boolean, timestampMs: number) => void,
  ) {
    this.#limits = limits;
    this.#report = report;
    this.#frame = new Int16Array((sampleRate * FRAME_MS) / 1000);
  }

  /** 20 ms of all tracks, interleaved; called in the frame loop. */
  hear(tracks: readonly { readonly name: string }[], samples: Int16Array, timestampMs: number): void {
    const frame = this.#frame;
    for (let t = 0; t < tracks.length; t++) {
      const { name } = tracks[t]!;
      const track = this.#tracks.get(name) ?? this.#opened(name);
      let isLoud = false;
      for (let i = 0, at = t; i < frame.length; i++, at += tracks.length) {
        const sample = samples[at]!;
        frame[i] = sample;
        if (sample > SILENCE_PEAK || sample < -SILENCE_PEAK) isLoud = true;
      }
      // A frame of a leg that sends nothing does not show the noise of its line.
      track.activity.hear(isLoud ? frame : undefined);
      const isSpeaking = track.activity.isSpeaking === true;
      if (isSpeaking === track.isSpeaking) continue;
      track.isSpeaking = isSpeaking;
      this.#report(name, isSpeaking, timestampMs);
    }
  }

  #opened(name: string): SpokenTrack {
    const { silenceMs, levelDb } = this.#limits;
    const activity = createVoiceActivity(Math.round(silenceMs / FRAME_MS), levelDb);
    const track = { activity, isSpeaking: false };
    this.#tracks.set(name, track);
    return track;
  }
}

/** The quietest step of A-law is ±8: a frame within it is inaudible. */
const SILENCE_PEAK = 8;
