/**
 * Messages of a media thread on the port of `sendCapturesTo`: the audio of each capture in order, 0.5 s at a time, then
 * its end. The port closes when the thread ends or crashes.
 */
export type CaptureMessage =
  /** `samples` are interleaved by track; their buffer was transferred. The time of a pause is left out. */
  | {
      readonly type: 'audio';
      readonly capture: string;
      readonly tracks: number;
      readonly sampleRate: number;
      readonly samples: Int16Array<ArrayBuffer>;
    }
  | { readonly type: 'ended'; readonly capture: string };

/** Who receives captured audio: each has a port of its own. */
export type CaptureReceiver = 'recorder' | 'recogniser';

/** A capture whose name begins so is for the recogniser, every other one for the recorder. */
export const recognitionPrefix = 'recognition/';

/** The receiver of a capture of this name. */
export function receiverOf(capture: string): CaptureReceiver {
  return capture.startsWith(recognitionPrefix) ? 'recogniser' : 'recorder';
}
