/** Plain data between the platform and the engine's process: one order, one outcome, in turn. */
export interface SpeakOrder {
  readonly text: string;
  readonly language: string;
  readonly voice: 'woman' | 'man';
}

export type SpeakOutcome =
  | { readonly said: true; readonly sampleRate: number; readonly samples: Int16Array }
  | { readonly said: false; readonly problem: 'unknown-language' };
