import assert from 'node:assert/strict';
import { exampleIds } from '@jackfield/contract';
import type { HttpApi } from './http-api-page.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples: Readonly<Record<string, { summary: string; value: object }>> }>
    >;
  };
  readonly 'x-codeSamples': readonly { readonly source: string }[];
}

const accountPath = '/v1/Account/{auth_id}/';

/** Of the served document; paths are relative to the account. */
export function operationsOf(
  document: HttpApi,
): readonly { readonly method: string; readonly path: string; readonly operation: Operation }[] {
  const { paths } = document as unknown as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace(accountPath, ''),
      operation,
    })),
  );
}

export function examplesOf({ requestBody }: Operation): readonly { summary: string; value: object }[] {
  return Object.values(requestBody?.content['application/json']?.examples ?? {});
}

type Ids = Readonly<Record<string, string>>;

export function filled(path: string, ids: Ids): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(ids[name] ?? assert.fail(`there is no own ${name}`)),
  );
}

/** Replaces the identifiers of the examples; a member_id is too short to be recognized, and stands in no body. */
export function replaced(text: string, ids: Ids): string {
  const { member_id: _, ...recognizable } = exampleIds;
  return Object.entries(recognizable).reduce(
    (read, [name, id]) => read.replaceAll(id, ids[name] ?? id),
    text,
  );
}
