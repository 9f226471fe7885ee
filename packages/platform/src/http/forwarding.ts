import {
  BusError,
  type BusErrorCode,
  jsonBody,
  type Logger,
  type Metrics,
  readJsonBody,
} from '@jackfield/ports';
import { tokenOf } from '../kernel/incarnation.ts';
import type { NodeMessages } from '../kernel/node-messages.ts';
import { type Problem, unavailableAs } from '../kernel/problem.ts';
import { answerTo } from './answers.ts';
import type { AdmittedRequest } from './carry-out.ts';
import type { ResourceHome } from './homes.ts';
import type { Replayable } from './idempotency.ts';
import { problemOfFault } from './refusals.ts';
import { type ApiRoute, operationOf } from './route.ts';

/** This node among those that share the database. */
export interface ClusterNode {
  readonly incarnation: number;
  readonly messages: Pick<NodeMessages, 'request' | 'serve'>;
}

export interface ForwardingDeps {
  readonly node: ClusterNode;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly carryOut: (route: ApiRoute, request: AdmittedRequest) => Promise<Replayable>;
}

export interface Forwarding {
  /** The node that receives these requests of other nodes carries them out. */
  accept(route: ApiRoute): void;
  /** The answer of the home node; undefined where the request has to be carried out here. */
  forward(home: ResourceHome, route: ApiRoute, request: AdmittedRequest): Promise<Replayable | undefined>;
}

interface ForwardedRequest {
  readonly operation: string;
  readonly request: AdmittedRequest;
}

const subject = 'http';
const deadlineMs = 5_000;
const retryAfterSeconds = 2;

/** Carries validated requests to the node where their thing lives, and answers back, byte for byte. */
export function createForwarding({ node, log, metrics, carryOut }: ForwardingDeps): Forwarding {
  const routes = new Map<string, ApiRoute>();

  /** The sender needs an answer in any case, so a fault is an answer too. */
  async function carryOutFor({ operation, request }: ForwardedRequest): Promise<Replayable> {
    const route = routes.get(operation);
    if (route === undefined) return refusal(otherRelease, request);
    try {
      return await carryOut(route, request);
    } catch (error) {
      const { apiId: id, account } = request;
      const named = { id, method: route.method, url: `${account.authId}/${route.path}` };
      return refusal(problemOfFault(error as Error, named, log), request);
    }
  }

  node.messages.serve(subject, async (bytes) => {
    const forwarded = readJsonBody<ForwardedRequest>(bytes);
    return jsonBody(await carryOutFor(forwarded));
  });

  async function ask(home: number, forwarded: ForwardedRequest): Promise<Replayable> {
    const body = jsonBody(forwarded);
    const answer = await node.messages.request(tokenOf(home), subject, body, deadlineMs);
    return readJsonBody<Replayable>(answer);
  }

  /** The answer of a node, or why there is none. */
  async function answerAt(
    home: number,
    route: ApiRoute,
    request: AdmittedRequest,
  ): Promise<Replayable | BusErrorCode> {
    try {
      const answer = await ask(home, { operation: operationOf(route), request });
      metrics.count('jackfield_forwarded_requests_total', { outcome: 'answered' });
      return answer;
    } catch (err) {
      if (!(err instanceof BusError) || err.code === 'bus-too-long') throw err;
      metrics.count('jackfield_forwarded_requests_total', { outcome: err.code });
      log.warn({ err, api_id: request.apiId, home: tokenOf(home) }, 'request not carried to its node');
      return err.code;
    }
  }

  /** At all these nodes and here. The answer is that of this node, unless another one is not known to have done its part. */
  async function atEach(
    homes: readonly number[],
    route: ApiRoute,
    request: AdmittedRequest,
  ): Promise<Replayable> {
    const others = homes.filter((home) => home !== node.incarnation);
    const [here, ...there] = await Promise.all([
      carryOut(route, request),
      ...others.map((home) => answerAt(home, route, request)),
    ]);
    const isDone = there.every((each) => typeof each === 'object' && each.answer.status < 500);
    return isDone ? here : refusal(partlyDone, request);
  }

  return {
    accept: (route) => void routes.set(operationOf(route), route),
    async forward({ of }, route, request) {
      let unreached: number | undefined;
      while (true) {
        const home = await of(request.account, request);
        if (typeof home === 'object') return atEach(home, route, request);
        if (home === undefined || home === node.incarnation) return undefined;
        // Where the thing has moved meanwhile, its new node is asked.
        if (home === unreached) return refusal(notReached, request);
        const answer = await answerAt(home, route, request);
        if (typeof answer === 'object') return answer;
        if (answer === 'bus-no-answer') return refusal(outcomeUnknown, request);
        unreached = home;
      }
    },
  };
}

function refusal(refused: Problem, { apiId }: AdmittedRequest): Replayable {
  return { answer: answerTo(refused, apiId), replayed: false };
}

function unavailableHome(sentence: string): Problem {
  return unavailableAs(sentence, retryAfterSeconds);
}

const notReached = unavailableHome(
  'the node where this lives cannot be reached, and nothing has been changed: try again in 2 s',
);
const partlyDone = unavailableHome(
  'a node where some of this lives has not answered, and the others have carried out the request: try again in 2 s',
);
const otherRelease = unavailableHome(
  'the node where this lives runs another release that lacks the operation, and nothing has been changed: try again in 2 s',
);
const outcomeUnknown = unavailableHome(
  'the node where this lives has not answered in time, and may have carried out the request: read the resource, or repeat the request with the same Idempotency-Key',
);
