/** Quality of a leg's audio for its record: of the audio from the phone, unless a field says otherwise. */
export interface LegQuality {
  /** Of the last sent packet; the phone may have sent another agreed codec. */
  readonly codec: string;
  /** The crypto suite of SRTP at the end; null without encryption. */
  readonly suite: string | null;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly packetsSent: number;
  readonly jitterMs: number;
  /** Frames of 20 ms that were concealed for late or lost packets. */
  readonly framesConcealed: number;
  /** From RTCP, like `remoteLossPercent`; null without a report. */
  readonly roundTripMs: number | null;
  readonly remoteLossPercent: number | null;
  /** Estimated mean opinion score, 1 to 4.5; null without received audio. */
  readonly mos: number | null;
}
