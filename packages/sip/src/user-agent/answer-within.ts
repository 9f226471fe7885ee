import { createHeaders } from '../message/headers.ts';
import { addressOfHost } from '../message/host.ts';
import type { ByteString, SipResponse } from '../message/message.ts';
import { paramOf } from '../message/params.ts';
import { printBriefly, printMessage } from '../message/print-message.ts';
import { parseVia, printVia } from '../message/via.ts';

/** Headers that every response must copy (RFC 3261 §8.2.6.2). */
const COPIED = new Set(['Via', 'From', 'To', 'Call-ID', 'CSeq']);

/** Headers that the sender of a refused request needs. */
const ESSENTIAL = new Set([...COPIED, 'WWW-Authenticate', 'Proxy-Authenticate']);

/**
 * A response as text of at most `most` characters: unchanged, else in compact form without Server and Date, else with essential
 * headers only. Undefined when that is still larger: forged source addresses must not get amplified responses.
 */
export function answerWithin(most: number | undefined, response: SipResponse): ByteString | undefined {
  const text = printMessage(response);
  if (most === undefined || text.length <= most) return text;
  const fields = [...response.headers.entries()].map(
    ([name, value]) => [name, tightened(name, value)] as const,
  );
  const print = (headers: typeof fields): ByteString =>
    printBriefly({ ...response, body: '', headers: createHeaders(headers) });
  const brief = print(fields.filter(([name]) => name !== 'Server' && name !== 'Date'));
  if (brief.length <= most) return brief;
  const bare = print(fields.filter(([name]) => ESSENTIAL.has(name)).map(withoutKnownSource))
    // RFC 3261 §20.14: a datagram ends where its body does.
    .replace(/\r\nl:0\r\n\r\n$/, '\r\n\r\n');
  return bare.length <= most ? bare : undefined;
}

/** Removes a `received` that repeats the sent-by. */
function withoutKnownSource([name, value]: readonly [string, string]): readonly [string, string] {
  const via = name === 'Via' ? parseVia(value) : undefined;
  if (via === undefined || paramOf(via.params, 'received') !== addressOfHost(via.host)) return [name, value];
  return [name, printVia({ ...via, params: via.params.filter((param) => param.name !== 'received') })];
}

/** RFC 3261 §25.1 needs no space after the commas of a challenge; RFC 7616 §3.3: the default algorithm is MD5. */
function tightened(name: string, value: string): string {
  if (!name.endsWith('-Authenticate')) return value;
  return value
    .replace(/("(?:[^"\\]|\\.)*")|[ \t]*,[ \t]*/g, (_all, quoted: string | undefined) => quoted ?? ',')
    .replace(/,algorithm=MD5(?=,|$)/, '');
}
