import type { FrameRefusal, StreamOrder } from '@jackfield/ports';

/** A track with the constant parts of its media frames, written once. */
export interface TrackShape {
  readonly name: string;
  /** Text between the sequence number and the timestamp. */
  readonly middle: Uint8Array;
  /** The header of binary frames (../README.md); empty in a dialect without binary frames. */
  readonly header: Uint8Array;
}

/**
 * Writes the frames of one stream; the numbers continue over its connections. Each event is a list of messages, empty where the dialect
 * has no such event.
 */
export interface FrameWriter {
  shapeOf(track: string): TrackShape;
  /** The first messages of a connection. */
  start(tracks: readonly string[], resumed: boolean): readonly string[];
  /** Writes every `step`-th sample from `offset`; the result is valid until the next frame is written. */
  media(
    shape: TrackShape,
    timestampMs: number,
    chunk: number,
    samples: Int16Array,
    offset: number,
    step: number,
  ): Uint8Array;
  dtmf(track: string, digit: string, timestampMs: number): readonly string[];
  /** Speech on the track begins or is over. */
  speech(track: string, speaking: boolean, timestampMs: number): readonly string[];
  /** All audio before the checkpoint was sent. */
  played(name: string): readonly string[];
  /** The queue was dropped, with the checkpoints that waited in it. */
  cleared(dropped: readonly string[]): readonly string[];
  refused(code: FrameRefusal, reason: string): readonly string[];
  stop(reason: string): readonly string[];
}

/** A command of the other side, or the reason for its refusal as a sentence for the developer. */
export type ReceivedFrame =
  | {
      readonly event: 'play';
      readonly contentType: string;
      readonly sampleRate: number | undefined;
      readonly bytes: Uint8Array;
    }
  | { readonly event: 'checkpoint'; readonly name: string }
  | { readonly event: 'clear' }
  | { readonly event: 'press'; readonly digits: string }
  | { readonly event: 'stop' }
  | RefusedFrame;

export interface RefusedFrame {
  readonly event: 'refused';
  readonly code: FrameRefusal;
  readonly sentence: string;
}

/** How the frames of a stream are written and read. */
export interface StreamDialect {
  createWriter(order: StreamOrder): FrameWriter;
  /** Reads one text message. Never throws, and costs no more than its length; unknown members are ignored. */
  read(text: string, stream: string): ReceivedFrame;
}
