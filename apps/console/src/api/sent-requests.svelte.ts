import { untrack } from 'svelte';

/** A request of the screen, as its reader could send it. */
export interface SentRequest {
  readonly method: string;
  /** Below the account. */
  readonly path: string;
  readonly body?: object;
}

const kept = 12;
let requests = $state.raw<readonly SentRequest[]>([]);

/** What this screen has sent, the newest first; each form once. */
export const sentRequests = {
  get all(): readonly SentRequest[] {
    return requests;
  },
  clear(): void {
    requests = [];
  },
};

export function noteRequest(request: SentRequest): void {
  const line = curlOf(request);
  // An effect that sends a request does not depend on the requests before.
  const others = untrack(() => requests).filter((each) => curlOf(each) !== line);
  requests = [request, ...others].slice(0, kept);
}

/** The line for a shell in which JACKFIELD and AUTH are set, as the server prints them at its start. */
export function curlOf({ method, path, body }: SentRequest): string {
  const parts = ['curl -u $AUTH'];
  if (method === 'DELETE') parts.push('-X DELETE');
  parts.push(`"$JACKFIELD/${path.replace(/["\\$`]/g, '\\$&')}"`);
  if (method === 'POST') {
    parts.push("-H 'Content-Type: application/json'");
    parts.push(`-d '${JSON.stringify(body ?? {}).replaceAll("'", "'\\''")}'`);
  }
  return parts.join(' ');
}
