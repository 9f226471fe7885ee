/** The bytes of an IP address, 4 or 16; undefined for any other text. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (!text.includes(':')) return ipv4Bytes(text);
  const mapped = /^(.*:)(\d{1,3}(?:\.\d{1,3}){3})$/.exec(text);
  if (mapped === null) return ipv6Bytes(text);
  const last = ipv4Bytes(mapped[2]!);
  if (last === undefined) return undefined;
  const groups = [0, 2].map((at) => ((last[at]! << 8) | last[at + 1]!).toString(16));
  return ipv6Bytes(mapped[1]! + groups.join(':'));
}

/** The text of an address: the shortest form for IPv6 (RFC 5952 §4), also without its mapping where it maps IPv4. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (isMapped) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, n) => ((bytes[2 * n]! << 8) | bytes[2 * n + 1]!).toString(16));
  const text = groups.join(':');
  let longest = '';
  for (const [run] of text.matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g))
    if (run.length > longest.length) longest = run;
  if (longest === '') return text;
  const at = text.search(new RegExp(`(?:^|(?<=:))${longest}(?=:|$)`));
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}

/** The IPv4 address in an IPv4-mapped one; any other text as it is. */
export function withoutMapping(text: string): string {
  return /^::ffff:\d/i.test(text) && text.includes('.') ? text.slice(7) : text;
}

function ipv4Bytes(text: string): Uint8Array | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const parts = text.split('.').map(Number);
  return parts.every((part) => part < 256) ? Uint8Array.from(parts) : undefined;
}

function ipv6Bytes(text: string): Uint8Array | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...left, ...new Array<string>(missing).fill('0'), ...right];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return Uint8Array.from(
    groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  );
}
