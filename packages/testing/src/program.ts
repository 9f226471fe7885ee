import type { Program, ProgramAnswer, ProgramRequest } from './api.ts';
import { TestingError } from './testing-error.ts';

/** What comes back to the platform. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly contentType: string;
}

/** Runs a program: every request to it, its answer, and what it threw. */
export interface ProgramRunner {
  readonly requests: readonly ProgramRequest[];
  /** What the program threw, the first first. */
  readonly errors: readonly unknown[];
  answer(request: ProgramRequest): Promise<ReceivedAnswer>;
}

/** Nothing else answers for a world without a program. */
const noProgram: Program = ({ path }) => {
  throw new TestingError(
    'bad-option',
    `The platform requested ${path}, and the world has no program: createWorld({ program }) takes a function, or the URL of a server.`,
  );
};

export function createProgramRunner(program: Program | string | undefined): ProgramRunner {
  const requests: ProgramRequest[] = [];
  const errors: unknown[] = [];
  const run: Program = typeof program === 'string' ? forwardTo : (program ?? noProgram);
  return {
    requests,
    errors,
    async answer(request) {
      requests.push(request);
      try {
        return receivedOf(await run(request), request);
      } catch (error) {
        errors.push(error);
        return { status: 500, body: '', contentType: 'text/plain' };
      }
    },
  };
}

export function programRequest(
  method: 'GET' | 'POST',
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): ProgramRequest {
  const { pathname, searchParams } = new URL(url);
  const query = Object.fromEntries(searchParams);
  const fields = method === 'POST' ? Object.fromEntries(new URLSearchParams(body)) : query;
  return { method, url, path: pathname, headers, body, fields, query };
}

function receivedOf(answer: ProgramAnswer, { path }: ProgramRequest): ReceivedAnswer {
  if (answer === undefined) return { status: 404, body: '', contentType: 'text/plain' };
  if (typeof answer === 'string') return { status: 200, body: answer, contentType: 'application/xml' };
  const { status, body = '', contentType = 'application/xml' } = answer;
  if (Number.isInteger(status) && status >= 200 && status <= 599) return { status, body, contentType };
  throw new TestingError(
    'bad-answer',
    `The program answered ${path} with ${JSON.stringify(answer)}: answer with a document, or with { status, body } and a status from 200 to 599.`,
  );
}

/** The program is a server that runs: the same request, over HTTP. */
async function forwardTo({ method, url, headers, body }: ProgramRequest): Promise<ProgramAnswer> {
  const answer = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(method === 'POST' ? { body } : {}),
  });
  return {
    status: answer.status,
    body: new Uint8Array(await answer.arrayBuffer()),
    contentType: answer.headers.get('content-type') ?? 'text/plain',
  };
}
