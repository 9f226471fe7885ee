/** What one examination has found: one sentence for the operator. */
export interface Finding {
  readonly subject: string;
  /** A fault keeps calls from working, a warning may; `unknown` where it could not be seen from here. */
  readonly outcome: 'sound' | 'warning' | 'fault' | 'unknown';
  readonly sentence: string;
}

export function sound(subject: string, sentence: string): Finding {
  return { subject, outcome: 'sound', sentence };
}

export function warning(subject: string, sentence: string): Finding {
  return { subject, outcome: 'warning', sentence };
}

export function fault(subject: string, sentence: string): Finding {
  return { subject, outcome: 'fault', sentence };
}

export function unknown(subject: string, sentence: string): Finding {
  return { subject, outcome: 'unknown', sentence };
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message === '' ? code : error.message;
}
