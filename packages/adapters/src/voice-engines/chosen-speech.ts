import type { Speech, SpeechRequest } from '@jackfield/ports';

/** The engines of an operator, and the choice of each account. */
export interface VoiceChoice {
  /** For texts without an account, such as the codes of Verify, and for accounts without a choice where `usual` is absent. */
  readonly embedded: Speech;
  readonly engines: ReadonlyMap<string, Speech>;
  /** The name of the engine for every account without its own choice. */
  readonly usual?: string;
  readonly accounts: ReadonlyMap<string, string>;
}

/** Concurrent texts: external engines have their own capacity, and the embedded one queues. */
const concurrent = { atOnce: 32, perGroup: 4 };
const embeddedName = 'embedded';

/** One port over all engines: the account decides, then its main account, then the operator. */
export function createChosenSpeech({ embedded, engines, usual, accounts }: VoiceChoice): Speech {
  const nameOf = (asking: readonly string[]): string => {
    if (asking.length === 0) return embeddedName;
    for (const account of asking) {
      const chosen = accounts.get(account);
      if (chosen !== undefined) return chosen;
    }
    return usual ?? embeddedName;
  };
  const engineOf = ({ accounts: asking = [] }: SpeechRequest): Speech =>
    engines.get(nameOf(asking)) ?? embedded;
  return {
    concurrent,
    engineOf: nameOf,
    speak: (request) => engineOf(request).speak(request),
    stream: (request, signal) => engineOf(request).stream?.(request, signal),
  };
}
