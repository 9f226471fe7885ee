/**
 * What comes out of a media thread through the port of `sendCapturesTo`: for each capture its audio in order, 0.5 s at a
 * time, then once its end. The port closes when the thread ends or dies.
 */
export type CaptureMessage =
  /** `samples` are interleaved by track and own their buffer, which was transferred. A pause leaves out its time. */
  | {
      readonly type: 'audio';
      readonly capture: string;
      readonly tracks: number;
      readonly sampleRate: number;
      readonly samples: Int16Array<ArrayBuffer>;
    }
  | { readonly type: 'ended'; readonly capture: string };
