/** Plain data between the platform and the engine's process: each order has one outcome, in the same order. */
export interface SpeakOrder {
  readonly text: string;
  readonly language: string;
  readonly voice: 'woman' | 'man';
}

/** Asks for the available languages; runs in turn like a text. */
export interface ListOrder {
  readonly list: 'languages';
}

export type EngineOrder = SpeakOrder | ListOrder;

/** Lower-case tags, as in the engine. */
export interface ListOutcome {
  readonly languages: readonly string[];
}

export type EngineOutcome = SpeakOutcome | ListOutcome;

export type SpeakOutcome =
  | { readonly said: true; readonly sampleRate: number; readonly samples: Int16Array }
  | { readonly said: false; readonly problem: 'unknown-language' };
