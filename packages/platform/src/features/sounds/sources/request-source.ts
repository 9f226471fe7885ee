import type {
  Clock,
  Egress,
  EgressAnswer,
  EgressOutcome,
  EgressProblemKind,
  EgressTimeouts,
  StopSignal,
} from '@jackfield/ports';
import { maxRedirections, redirectionOf } from '../../../kernel/redirection.ts';
import { headerText } from '../domain/freshness.ts';
import type { SoundProblemCode } from '../domain/play-order.ts';
import type { ByteShare } from './byte-budget.ts';
import { LineProblem } from './fair-line.ts';
import { SoundProblem } from './sound-problem.ts';

export interface SourceRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly timeouts: EgressTimeouts;
  readonly signal: StopSignal;
}

const requestHeaders: Readonly<Record<string, string>> = {
  'User-Agent': 'Jackfield',
  Accept: 'audio/mpeg, audio/wav, audio/x-wav, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5',
  // The decoder reads the body as received.
  'Accept-Encoding': 'identity',
};

export interface SourceRequestDeps {
  readonly egress: Egress;
  readonly clock: Pick<Clock, 'now'>;
  readonly maxFileBytes: number;
}

export interface SourceAnswer extends EgressAnswer {
  readonly isRedirected: boolean;
}

/** Reserves the body in `memory` while it arrives. Rejects with a SoundProblem, or a LineProblem when the signal aborts. */
export async function requestSource(
  deps: SourceRequestDeps,
  request: SourceRequest,
  validators: Readonly<Record<string, string>> | undefined,
  memory: ByteShare,
): Promise<SourceAnswer> {
  const { outcome, isRedirected } = await follow(deps, request, validators, memory);
  if (request.signal.aborted) throw new LineProblem('withdrawn');
  if (!('problem' in outcome)) return { ...outcome, isRedirected };
  const { kind, sentence } = outcome.problem;
  if (kind === 'no-memory') throw new LineProblem('full');
  throw new SoundProblem(codes[kind], kind === 'too-large' ? tooLarge(deps.maxFileBytes) : sentence);
}

/** Follows redirections within the total time of the request. */
async function follow(
  { egress, clock, maxFileBytes }: SourceRequestDeps,
  { url, method, timeouts, signal }: SourceRequest,
  validators: Readonly<Record<string, string>> | undefined,
  memory: ByteShare,
): Promise<{ readonly outcome: EgressOutcome; readonly isRedirected: boolean }> {
  const deadline = clock.now() + timeouts.totalMs;
  let target = { url, method };
  for (let hop = 0; ; hop++) {
    const outcome = await egress.send({
      ...target,
      // Validators are those of an answer to the first URL itself.
      headers: { ...requestHeaders, ...(hop === 0 ? validators : {}) },
      timeouts: { ...timeouts, totalMs: Math.max(1, deadline - clock.now()) },
      maxBodyBytes: maxFileBytes,
      reserve: (bytes) => memory.reserve(bytes),
      signal,
    });
    const next = hop < maxRedirections ? redirectionOf(outcome, target) : undefined;
    if (next === undefined) return { outcome, isRedirected: hop > 0 };
    target = next;
  }
}

const codes: Readonly<Record<Exclude<EgressProblemKind, 'no-memory'>, SoundProblemCode>> = {
  refused: 'address-refused',
  unreachable: 'unreachable',
  'connect-timeout': 'timeout',
  'read-timeout': 'timeout',
  'total-timeout': 'timeout',
  broken: 'broken-answer',
  'too-large': 'file-too-large',
  // Its listener has left: the problem reaches no customer.
  aborted: 'broken-answer',
};

/** Headers that ask the server whether its answer is still the same (RFC 9110 §13.1). */
export function validatorsOf({ headers }: EgressAnswer): Readonly<Record<string, string>> {
  const etag = headerText(headers, 'etag');
  const lastModified = headerText(headers, 'last-modified');
  return {
    ...(etag === undefined ? {} : { 'If-None-Match': etag }),
    ...(lastModified === undefined ? {} : { 'If-Modified-Since': lastModified }),
  };
}

function tooLarge(bytes: number): string {
  return `the file is larger than ${Math.floor(bytes / (1 << 20))} MB`;
}
