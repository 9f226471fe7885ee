import type { Instant, Secrets } from '@jackfield/ports';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const authIdShape = /^(?:MA|SA)[A-Z0-9]{18}$/;

/** `api_id`, `call_uuid`, `mpc_uuid` and every other UUID. */
export function newUuid(secrets: Pick<Secrets, 'randomUuid'>): string {
  return secrets.randomUuid();
}

export function isUuid(text: string): boolean {
  return uuidShape.test(text);
}

/** `MA` names a main account, `SA` a subaccount; a published client refuses every other shape (docs/interface/requests.md#identifiers). */
export function newAuthId(prefix: 'MA' | 'SA', secrets: Pick<Secrets, 'randomBytes'>): string {
  let id: string = prefix;
  while (id.length < 20) {
    for (const byte of secrets.randomBytes(24)) {
      // 252 is the largest multiple of 36 in a byte: beyond it some characters would come more often.
      if (byte < 252 && id.length < 20) id += letters[byte % 36];
    }
  }
  return id;
}

export function isAuthId(text: string): boolean {
  return authIdShape.test(text);
}

/** 40 characters: base64 of 30 hex characters (docs/interface/requests.md#identifiers), 120 bits of randomness. */
export function newAuthToken(secrets: Pick<Secrets, 'randomBytes'>): string {
  let hex = '';
  for (const byte of secrets.randomBytes(15)) hex += byte.toString(16).padStart(2, '0');
  return btoa(hex);
}

/** `YYMMDDHHMMSS` in UTC, appended to an endpoint's username (docs/interface/endpoints.md#usernames); on collision try a second later. */
export function creationStamp(now: Instant): string {
  return new Date(now).toISOString().replace(/\D/g, '').slice(2, 14);
}

/** Decimal digits, of which the first is not 0 (docs/interface/requests.md#identifiers). */
export function newDigits(length: number, secrets: Pick<Secrets, 'randomBytes'>): string {
  let digits = '';
  while (digits.length < length) {
    for (const byte of secrets.randomBytes(length * 2)) {
      // 250 is the largest multiple of 10 in a byte.
      if (byte >= 250 || digits.length === length) continue;
      const digit = byte % 10;
      if (digits !== '' || digit !== 0) digits += digit;
    }
  }
  return digits;
}

export function newEndpointId(secrets: Pick<Secrets, 'randomBytes'>): string {
  return newDigits(14, secrets);
}
