import type { FetchedDocument, SignallingMessage } from '@jackfield/contract/console';
import type { TracedMessage } from '@jackfield/ports';
import { withoutSecrets } from '../../kernel/shown-url.ts';
import type { CapturedMessage } from './keeping/pcap.ts';

/** One request for a document, with its answer or its problem. */
export interface DocumentFetch {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly status: number | undefined;
  readonly problem: string | undefined;
  readonly durationMs: number;
  readonly body: Uint8Array | undefined;
}

/** Bytes of a document that are kept. */
const mostOfDocument = 16_384;

type DocumentEntry = Omit<FetchedDocument, 'at'>;

export function documentEntryOf(fetch: DocumentFetch): DocumentEntry {
  const { url, method, status, problem, durationMs, body } = fetch;
  return {
    url: withoutSecrets(url),
    method,
    response_status: status ?? null,
    duration_ms: Math.round(durationMs),
    problem: problem ?? null,
    body: body === undefined ? null : Buffer.from(body.subarray(0, mostOfDocument)).toString('utf8'),
    is_cut: body !== undefined && body.length > mostOfDocument,
  };
}

interface StoredEntry {
  readonly at: number;
  readonly entry: string;
}

export function documentOf({ at, entry }: StoredEntry): FetchedDocument {
  return { at: new Date(at).toISOString(), ...(JSON.parse(entry) as DocumentEntry) };
}

export function signallingMessageOf({ at, entry }: StoredEntry): SignallingMessage {
  const message = JSON.parse(entry) as TracedMessage;
  return {
    at: new Date(at).toISOString(),
    direction: message.direction,
    transport: message.transport,
    remote_address: message.remoteAddress,
    call_id: message.callId,
    start_line: /^[^\r\n]*/.exec(message.text)![0],
    // Messages of SIP are byte strings, their texts UTF-8.
    message: Buffer.from(message.text, 'latin1').toString('utf8'),
    is_cut: message.isCut,
  };
}

export function capturedMessageOf({ at, entry }: StoredEntry): CapturedMessage {
  const { direction, remoteAddress, text } = JSON.parse(entry) as TracedMessage;
  return { atMs: at, direction, remoteAddress, text };
}
