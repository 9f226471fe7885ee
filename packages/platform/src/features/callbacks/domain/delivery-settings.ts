/** Settings of deliveries in the fragment of their URL (docs/interface/requests.md#settings-in-a-url); the fragment is neither sent nor signed. */
export interface DeliverySettings {
  /** The URL without its fragment. */
  readonly url: string;
  readonly connectMs: number;
  readonly readMs: number;
  readonly totalMs: number;
  /** After the first attempt. */
  readonly retries: number;
  readonly retryOn: ReadonlySet<RetryReason>;
}

/** A status of 400 to 499, of 500 to 599, no connection, or a connection without an answer. */
export type RetryReason = '4xx' | '5xx' | 'ct' | 'rt';

const reasons: readonly RetryReason[] = ['4xx', '5xx', 'ct', 'rt'];

/** `#ct=…&rt=…&tt=…&rc=…&rp=…`; a number outside its range becomes the nearest within, any other text the default. */
export function parseDeliverySettings(text: string): DeliverySettings {
  const mark = text.indexOf('#');
  const url = mark === -1 ? text : text.slice(0, mark);
  const settings = mark === -1 ? new Map<string, string>() : pairsOf(text.slice(mark + 1));
  const retryOn = (settings.get('rp') ?? 'ct,rt').toLowerCase().split(',');
  return {
    url,
    connectMs: numberWithin(settings.get('ct'), 100, 10_000, 2_000),
    // The least is ours: without it a typing error could fail every delivery.
    readMs: numberWithin(settings.get('rt'), 100, 40_000, 40_000),
    totalMs: numberWithin(settings.get('tt'), 100, 55_000, 55_000),
    retries: numberWithin(settings.get('rc'), 0, 5, 1),
    retryOn: new Set(reasons.filter((reason) => retryOn.includes(reason))),
  };
}

function pairsOf(fragment: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of fragment.split('&')) {
    const equals = pair.indexOf('=');
    // Commas come escaped from some clients.
    if (equals > 0) pairs.set(pair.slice(0, equals), pair.slice(equals + 1).replaceAll(/%2c/gi, ','));
  }
  return pairs;
}

function numberWithin(text: string | undefined, least: number, most: number, byDefault: number): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return byDefault;
  return Math.min(most, Math.max(least, Number(text)));
}
