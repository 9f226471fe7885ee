import type { Instant, SoundClip } from '@jackfield/ports';
import type { SoundDocument } from '../domain/play-order.ts';

/** The same key means the same sound. */
export interface SoundFile {
  readonly key: string;
  /** Undefined once the media engine has the samples, which then lie in memory once. */
  readonly clip: SoundClip | undefined;
  /** The media engine has the samples. */
  handOver(): void;
}

export type FoundSource = SoundFile | { readonly document: SoundDocument };

export interface KeptSource {
  readonly found: FoundSource;
  /** Of the body, where it is a document. */
  readonly bodyBytes: number;
  readonly validators: Readonly<Record<string, string>>;
  readonly freshUntil: Instant;
}

/** Answers of GETs up to a limit of bytes; the answer that was used least recently goes first. */
export interface KeptSources {
  get(url: string): KeptSource | undefined;
  keep(url: string, source: KeptSource): void;
  forget(url: string): void;
  /** Counts the bytes of the source again, after its samples went to the media engine. */
  recount(url: string): void;
  census(): { readonly files: number; readonly bytes: number };
}

/** About what the URL, the validators and the entries of the maps take. */
const entryBytes = 1_024;

export function createKeptSources(maxBytes: number): KeptSources {
  const kept = new Map<string, { readonly source: KeptSource; bytes: number }>();
  let bytes = 0;

  function forget(url: string): void {
    bytes -= kept.get(url)?.bytes ?? 0;
    kept.delete(url);
  }

  return {
    census: () => ({ files: kept.size, bytes }),
    get: (url) => kept.get(url)?.source,
    forget,
    keep(url, source) {
      forget(url);
      const entry = { source, bytes: bytesOf(source) };
      kept.set(url, entry);
      bytes += entry.bytes;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) return;
        forget(oldest);
      }
    },
    recount(url) {
      const entry = kept.get(url);
      if (entry === undefined) return;
      bytes -= entry.bytes;
      entry.bytes = bytesOf(entry.source);
      bytes += entry.bytes;
    },
  };
}

function bytesOf({ found, bodyBytes }: KeptSource): number {
  return entryBytes + ('document' in found ? bodyBytes : (found.clip?.samples.byteLength ?? 0));
}
