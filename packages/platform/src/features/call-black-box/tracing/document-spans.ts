import type { CallTracing } from '@jackfield/ports';
import { withoutSecrets } from '../../../kernel/shown-url.ts';
import type { DocumentFetch } from '../views.ts';

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400;
}

type Fetched = (call: string, fetch: DocumentFetch) => void;

/** Reports each request for a document as a part of its call as well. */
export function traceDocuments(
  fetched: Fetched,
  tracing: Pick<CallTracing, 'happened'> | undefined,
): Fetched {
  if (tracing === undefined) return fetched;
  return (call, fetch) => {
    fetched(call, fetch);
    const { url, method, status, durationMs } = fetch;
    const problem = fetch.problem ?? (isRefusal(status) ? `the answer was ${status}` : undefined);
    const answered = status === undefined ? {} : { 'http.response.status_code': status };
    tracing.happened(call, 'document', {
      durationMs,
      attributes: { 'http.request.method': method, 'url.full': withoutSecrets(url), ...answered },
      ...(problem === undefined ? {} : { problem }),
    });
  };
}
