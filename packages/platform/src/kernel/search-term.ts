import type { Instant } from '@jackfield/ports';

/** What a search looks for: the same text, read in every way that fits. */
export interface SearchTerm {
  readonly text: string;
  /** In lower case. */
  readonly uuid?: string;
  /** E.164 with its +. */
  readonly number?: string;
}

/** A record that a search found. */
export interface FoundRecord {
  readonly kind:
    | 'call'
    | 'multiparty-call'
    | 'recording'
    | 'endpoint'
    | 'number'
    | 'application'
    | 'verify-session';
  /** Its identifier in paths. */
  readonly id: string;
  readonly title: string;
  /** When it began; null for an endpoint, a number or an application. */
  readonly at: Instant | null;
  /** Below the path of the account. */
  readonly path: string;
}

/** An unescaped + arrives as a space, and people write numbers with spaces, brackets and dashes. */
export function readSearchTerm(text: string): SearchTerm {
  const trimmed = text.trim();
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(trimmed);
  const digits = trimmed.replace(/[\s().-]/g, '').replace(/^\+/, '');
  return {
    text: trimmed,
    ...(isUuid ? { uuid: trimmed.toLowerCase() } : {}),
    ...(/^[1-9][0-9]{4,14}$/.test(digits) ? { number: `+${digits}` } : {}),
  };
}
