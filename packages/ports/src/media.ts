/**
 * The media engine as the features see it: commands are plain data, sent in order and never answered one by one; notices
 * report what happens. A media leg carries the name of its call leg; signalling opens and closes it.
 */
export interface Media {
  send(command: MixCommand): void;
  /** Every notice, in order. */
  subscribe(listener: (notice: MediaNotice) => void): () => void;
}

/** The format of sounds: 16-bit signed samples, mono. */
export interface SoundClip {
  readonly sampleRate: number;
  readonly samples: Int16Array;
}

/** Commands to the media engine about mixes, by the names that their owners gave them. */
export type MixCommand =
  | { readonly do: 'open-mix'; readonly mix: string }
  | { readonly do: 'close-mix'; readonly mix: string }
  /**
   * The complete membership and hearing matrix of a mix, replaced as one step between two ticks. Closed by default: a member
   * hears exactly the members in its `hears`, so no frame passes without an entry.
   */
  | { readonly do: 'set-hearing'; readonly mix: string; readonly members: readonly MixMember[] }
  /**
   * Plays to every leg of `to`, a member of this mix or not; with `loop` until stopped. A second play with the same
   * key replaces the first. With `alone` these legs hear nothing else meanwhile.
   *
   * With `behind` it waits for the end of the play of this key, begins in the frame after its last one, and is stopped with it.
   * Where that play has ended already it begins at once.
   */
  | {
      readonly do: 'play';
      readonly mix: string;
      readonly key: string;
      readonly to: readonly string[];
      readonly sound: Sound;
      readonly loop: boolean;
      readonly alone?: boolean;
      readonly behind?: string;
    }
  | { readonly do: 'stop-play'; readonly mix: string; readonly key: string }
  /**
   * RFC 4733 events towards the leg, one after another. Characters 0–9 * # A–D; `w` waits 0.5 s, `W` 1 s. Nothing where the key that the leg
   * `pressedBy` has just sent went on to its partner as it came.
   */
  | { readonly do: 'send-digits'; readonly leg: string; readonly digits: string; readonly pressedBy?: string }
  /** Emits a `voice` notice when the leg begins and ceases to speak, until `watched` is false; the first one gives the present state. */
  | { readonly do: 'watch-voice'; readonly leg: string; readonly watched: boolean }
  /** Emits an `answer-sound` notice for each change of what an answering party sends, until `watched` is false. */
  | { readonly do: 'watch-answer'; readonly leg: string; readonly watched: boolean }
  /**
   * Captures what legs say or hear, in parallel tracks, for the recording of this name. The same name again
   * replaces the tracks as one step between two ticks; their number stays. A leg that is not open is silent.
   */
  | { readonly do: 'capture'; readonly capture: string; readonly tracks: readonly CaptureTrack[] }
  /** A pause keeps no audio, and the time of the recording stands still. */
  | { readonly do: 'pause-capture'; readonly capture: string; readonly paused: boolean }
  | { readonly do: 'end-capture'; readonly capture: string };

/** One channel of a recording: the sum of what some legs say and others hear (announcements included). */
export interface CaptureTrack {
  readonly said: readonly string[];
  readonly heard: readonly string[];
}

/** One member of a mix and everything that it hears. */
export interface MixMember {
  readonly leg: string;
  /** The legs whose audio this member receives; the member itself only for an echo. */
  readonly hears: readonly string[];
  /** No key of the leg goes on to its partner in the packets in which it came: only `send-digits` passes its keys on. */
  readonly keepsKeys?: boolean;
}

/** A sound for a mix. */
export type Sound =
  /** 1: one beep of 500 ms at 440 Hz; 2: two of them, 200 ms apart: `beep:1`, `beep:2` of docs/interface/multiparty-calls.md#beeps. */
  | { readonly kind: 'beep'; readonly count: 1 | 2 }
  | {
      readonly kind: 'tone';
      readonly frequencyHz: number;
      readonly levelDb: number;
      readonly durationMs?: number;
    }
  /** The built-in hold music. */
  | { readonly kind: 'hold-music' }
  /** A clip that was loaded under this name. */
  | { readonly kind: 'clip'; readonly name: string }
  | { readonly kind: 'ringback' };

/** The end of the sound was reached, the last listener has left, or the play could not begin: an unknown clip, or a limit. */
export type PlayEnd = 'finished' | 'left' | 'refused';

/** Events of the media engine. */
export type MediaNotice =
  | { readonly type: 'digit'; readonly leg: string; readonly digit: string; readonly durationMs: number }
  /** Keys for a leg that was connected with `reportsKeys`. */
  | { readonly type: 'keys-to-send'; readonly leg: string; readonly digits: string }
  /** Not after a stop or a replacement. */
  | {
      readonly type: 'play-ended';
      readonly mix: string;
      readonly key: string;
      readonly because: PlayEnd;
    }
  /** Of a watched leg: speech has begun, or half a second has passed without any. */
  | { readonly type: 'voice'; readonly leg: string; readonly speaking: boolean }
  /**
   * Of a leg whose answer is watched: speech has begun, 200 ms have passed without any, one steady tone (which is not speech) has lasted for
   * 120 ms, or has just ended and was as short as a beep. At first the leg is silent.
   */
  | {
      readonly type: 'answer-sound';
      readonly leg: string;
      readonly sound: 'voice' | 'pause' | 'tone' | 'beep';
    }
  /** Expected RTP from the leg did not arrive for this long, or no check of a path to its browser. */
  | { readonly type: 'media-silent'; readonly leg: string; readonly forMs: number }
  /** The media worker of the leg died: its media leg, its room and all that captured or streamed it are gone. */
  | { readonly type: 'media-lost'; readonly leg: string };
