/** How a path names a call: `name_<friendly_name>`, `uuid_<mpc_uuid>`, or either without its prefix (docs/interface/multiparty-calls.md#naming-a-call). */
export interface CallReference {
  /** As the client wrote it, for the error message. */
  readonly text: string;
  readonly uuid?: string;
  readonly name?: string;
}

const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Text without a prefix in the form of a UUID is looked up as a UUID first, then as a name. */
export function readCallReference(text: string): CallReference {
  if (text.startsWith('name_')) return { text, name: text.slice('name_'.length) };
  if (text.startsWith('uuid_')) return { text, ...uuidOf(text.slice('uuid_'.length)) };
  return { text, ...uuidOf(text), name: text };
}

function uuidOf(text: string): { readonly uuid?: string } {
  return uuidShape.test(text) ? { uuid: text.toLowerCase() } : {};
}

/** `all`, or member ids separated by commas; undefined for other text. */
export function readMembers(text: string): 'all' | readonly number[] | undefined {
  if (text.toLowerCase() === 'all') return 'all';
  const parts = text.split(',').map((part) => part.trim());
  // 15 digits are exact in a double.
  if (!parts.every((part) => /^[0-9]{1,15}$/.test(part))) return undefined;
  return [...new Set(parts.map(Number))];
}
