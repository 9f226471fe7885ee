/**
 * The media engine as the features see it: commands are plain data, sent in order and never answered one by one; what
 * happens comes back as notices. A media leg carries the name of its call leg and is opened and closed by signalling.
 */
export interface Media {
  send(command: MixCommand): void;
  /** Everything a listener needs to know, in order. */
  subscribe(listener: (notice: MediaNotice) => void): () => void;
}

/** The format in which sounds are handed over: 16-bit signed samples, mono. */
export interface SoundClip {
  readonly sampleRate: number;
  readonly samples: Int16Array;
}

/** Orders to the media engine about mixes, by the names that their owners gave them. */
export type MixCommand =
  | { readonly do: 'open-mix'; readonly mix: string }
  | { readonly do: 'close-mix'; readonly mix: string }
  /**
   * The complete membership and hearing of a mix, replaced as one step between two ticks. Closed by default: a member
   * hears exactly the members named in `hears`, so no frame can pass before its edge is here.
   */
  | { readonly do: 'set-hearing'; readonly mix: string; readonly members: readonly MixMember[] }
  /**
   * Plays to every listener of `to` (legs, members of this mix or not); with `loop` until stopped. A second play with the same
   * key replaces the first. With `alone` they hear nothing else meanwhile.
   */
  | {
      readonly do: 'play';
      readonly mix: string;
      readonly key: string;
      readonly to: readonly string[];
      readonly sound: Sound;
      readonly loop: boolean;
      readonly alone?: boolean;
    }
  | { readonly do: 'stop-play'; readonly mix: string; readonly key: string }
  /** RFC 4733 events towards the leg, one after another. Characters 0–9 * # A–D; `w` waits 0.5 s, `W` 1 s. */
  | { readonly do: 'send-digits'; readonly leg: string; readonly digits: string }
  /** Tells when the leg begins and ceases to speak, until told not to; the first notice says how it is now. */
  | { readonly do: 'watch-voice'; readonly leg: string; readonly watched: boolean }
  /**
   * Takes down what legs say or hear, one track beside the other, for whoever records under this name. The same name again
   * replaces the tracks as one step between two ticks; their number stays. A leg that is not open is silent.
   */
  | { readonly do: 'capture'; readonly capture: string; readonly tracks: readonly CaptureTrack[] }
  /** Nothing of what passes during a pause is kept; time does not go on in the recording. */
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
  /** The legs whose audio this member receives; itself only where an echo is wanted. */
  readonly hears: readonly string[];
}

/** What can be played into a mix. */
export type Sound =
  /** 1: one beep of 500 ms at 440 Hz; 2: two of them, 200 ms apart (docs/interface/multiparty-calls.md#beeps `beep:1`, `beep:2`). */
  | { readonly kind: 'beep'; readonly count: 1 | 2 }
  | {
      readonly kind: 'tone';
      readonly frequencyHz: number;
      readonly levelDb: number;
      readonly durationMs?: number;
    }
  /** The built-in hold music. */
  | { readonly kind: 'hold-music' }
  /** A clip loaded beforehand under this name. */
  | { readonly kind: 'clip'; readonly name: string }
  | { readonly kind: 'ringback' };

/** What the media engine tells. */
export type MediaNotice =
  | { readonly type: 'digit'; readonly leg: string; readonly digit: string; readonly durationMs: number }
  | { readonly type: 'play-ended'; readonly mix: string; readonly key: string }
  /** Of a watched leg: speech has begun, or none has been heard for half a second. */
  | { readonly type: 'voice'; readonly leg: string; readonly speaking: boolean }
  /** No RTP from the leg for this long while some was expected. */
  | { readonly type: 'media-silent'; readonly leg: string; readonly forMs: number };
