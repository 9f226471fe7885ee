/** Parameters of a request as they are before encoding; a name with several values has a list. */
export type SignedParameters = Readonly<Record<string, string | readonly string[]>>;

/**
 * The text whose HMAC-SHA256 under the account's token is the signature V2: scheme, host and path as they stand in the URL,
 * and the nonce right behind them (docs/interface/signatures.md#version-2). Nothing is added to a URL without a path.
 */
export function stringToSignV2(url: string, nonce: string): string {
  return `${partsOf(url).base}${nonce}`;
}

/**
 * The text whose HMAC-SHA256 is the signature V3 (docs/interface/signatures.md#version-3). `parameters` are those of the form of a POST, or those
 * that a GET appends to the query of its URL; the fragment of the URL is no part of it.
 */
export function stringToSignV3(
  method: 'GET' | 'POST',
  url: string,
  nonce: string,
  parameters: SignedParameters = {},
): string {
  const { base, query } = partsOf(url);
  const asked = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) add(asked, name, [value]);
  const form = method === 'GET' ? asked : new Map<string, string[]>();
  for (const [name, value] of Object.entries(parameters)) {
    add(form, name, typeof value === 'string' ? [value] : value);
  }
  const pairs = sorted(asked).map(([name, value]) => `${name}=${value}`);
  if (method === 'GET') return `${base}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}.${nonce}`;
  const hasForm = form.size > 0;
  const mark = pairs.length > 0 || hasForm ? '?' : '';
  const dot = pairs.length > 0 && hasForm ? '.' : '';
  const fields = sorted(form).map(([name, value]) => name + value);
  return `${base}${mark}${pairs.join('&')}${dot}${fields.join('')}.${nonce}`;
}

function partsOf(url: string): { readonly base: string; readonly query: string } {
  const [address = ''] = url.split('#', 1);
  const mark = address.indexOf('?');
  return mark === -1
    ? { base: address, query: '' }
    : { base: address.slice(0, mark), query: address.slice(mark + 1) };
}

function add(to: Map<string, string[]>, name: string, values: readonly string[]): void {
  const known = to.get(name);
  if (known === undefined) to.set(name, [...values]);
  else known.push(...values);
}

/** By name, and the values of one name by value; both by UTF-16 units, as receivers in JavaScript sort them. */
function sorted(values: ReadonlyMap<string, readonly string[]>): readonly (readonly [string, string])[] {
  return [...values.keys()]
    .sort()
    .flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => [name, value] as const));
}
