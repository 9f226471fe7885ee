import type { Static, TObject, TProperties } from 'typebox';
import type { Result } from '../kernel/result.ts';
import type { ApiRequest } from './api-request.ts';

/** A file, served with HTTP Basic credentials like every operation, whole or in part, never whole in memory. */
export interface ServedFile {
  readonly contentType: string;
  readonly bytes: number;
  /** Strong: other bytes have another one (RFC 9110 §8.8.3), quotes included. */
  readonly entityTag: string;
  /** Both ends included; rejects when the file is gone. */
  read(from: number, to: number): Promise<AsyncIterable<Uint8Array>>;
}

/** An operation whose answer is a file; answers GET and HEAD. Made with `fileRoute`, which knows the types. */
export interface FileRoute {
  /** Below `/v1/Account/{auth_id}/`; a parameter with a pattern goes before one without. */
  readonly path: string;
  readonly operation: string;
  /** Name of the function in a generated client; made of the title when left out. */
  readonly id?: string;
  readonly description?: string;
  readonly params: TObject;
  /** For the documentation. */
  readonly contentTypes: readonly string[];
  find(request: ApiRequest<unknown, unknown, unknown>): Promise<Result<ServedFile>>;
}

interface TypedFileRoute<Params extends TProperties> extends Omit<FileRoute, 'params' | 'find'> {
  readonly params: TObject<Params>;
  find(request: ApiRequest<Static<TObject<Params>>, unknown, unknown>): Promise<Result<ServedFile>>;
}

/** An operation whose `find` is typed by its parameters. */
export function fileRoute<Params extends TProperties>(definition: TypedFileRoute<Params>): FileRoute {
  return definition as unknown as FileRoute;
}
