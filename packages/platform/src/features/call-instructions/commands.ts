import type { LegSpec, Logger } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import { draining, notFound, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { Sessions } from '../../kernel/session-runner.ts';
import { type Calls, isOf, type LegOffer, type TakenOffer } from '../calls/index.ts';
import {
  type DocumentRun,
  newDocumentRun,
  type RunInput,
  type RunLimits,
  runLimits,
} from './domain/document-run.ts';
import type { ActionRequest } from './domain/instruction.ts';
import { ownerKind } from './effects.ts';
import type { RequestedCall } from './parameters.ts';

/** The application that answers an incoming call. */
export interface AnsweringApplication {
  readonly answer: ActionRequest;
  readonly fallback: ActionRequest | null;
  /** Receives the callback of the end. */
  readonly hangup: ActionRequest;
}

/** The application that answers an offered call; undefined without one. */
export type ApplicationOf = (offer: LegOffer) => Promise<AnsweringApplication | undefined>;

export interface CommandDeps {
  readonly sessions: Sessions<DocumentRun, RunInput>;
  readonly calls: Calls;
  readonly log: Logger;
  readonly newUuid: () => string;
  readonly applicationOf: ApplicationOf;
  readonly isDraining: () => boolean;
  readonly limits: Partial<RunLimits>;
}

export type CallCommands = ReturnType<typeof createCommands>;

/** One destination of a request. */
interface CallOrder {
  readonly leg: string;
  readonly spec: LegSpec;
}

/** Retry-After of a refusal while draining. */
const drainRetrySeconds = 10;

/** Begins runs, for incoming and outgoing calls. */
export function createCommands(deps: CommandDeps) {
  const { sessions, calls, newUuid } = deps;
  const limits: RunLimits = { ...runLimits, ...deps.limits };

  async function call(viewer: RequestAccount, requested: RequestedCall): Promise<Result<readonly string[]>> {
    if (deps.isDraining()) return refused(draining(drainRetrySeconds));
    const parent = parentOf(viewer, requested);
    if (!parent.ok) return parent;
    const orders = requested.specs.map((spec) => ({ spec, leg: newUuid() }));
    const placed = await Promise.allSettled(
      orders.map((order) => placeCall(viewer, requested, order, parent.value)),
    );
    const failure = placed.find((each) => each.status === 'rejected');
    const made = orders.filter((_, at) => placed[at]?.status === 'fulfilled');
    // Never a 5xx after a side effect: some calls have been placed.
    if (failure !== undefined && made.length === 0) throw failure.reason;
    const legs = made.map(({ leg }) => leg);
    return failure === undefined ? accepted(legs) : accepted(legs, [notMade(orders, made)]);
  }

  function parentOf(
    viewer: RequestAccount,
    { parent }: RequestedCall,
  ): Result<{ readonly parentLeg?: string }> {
    if (parent === null) return accepted({});
    const live = calls.peek(parent.leg);
    if (live !== undefined && isOf(viewer, live)) return accepted({ parentLeg: parent.leg });
    return parent.mustLive
      ? refused({ ...notFound('live call', parent.leg), parameter: 'parent_call_uuid' })
      : accepted({});
  }

  async function placeCall(
    viewer: RequestAccount,
    requested: RequestedCall,
    { leg, spec }: CallOrder,
    parent: { readonly parentLeg?: string },
  ): Promise<void> {
    const about = {
      leg,
      account: viewer.authId,
      mainAccount: viewer.main,
      // One destination: the request and its call share their identifier, as clients of the hosted service expect.
      requestUuid: leg,
    };
    const { from, to, callerName } = spec;
    const { answer, fallback, hangupOnRingSeconds, callbacks } = requested;
    const detection = spec.machineDetection;
    // With a URL of its own the result is sent there, and the document does not wait.
    const awaitsDetection = detection !== undefined && detection.callback === null;
    const first = {
      request: answer,
      reason: 'answer',
      fallback,
      hangupOnRingSeconds,
      awaitsDetection,
    } as const;
    const run = newDocumentRun({ ...about, from, to, callerName, run: newUuid() }, first, 'none', limits);
    await sessions.open(leg, run, { type: 'opened' });
    try {
      await calls.dial({
        ...about,
        ...parent,
        owner: { kind: ownerKind, id: leg },
        spec,
        callbacks,
        isRequested: true,
      });
    } catch (error) {
      deps.log.error({ leg, err: error }, 'leg of a call not recorded');
      sessions.send(leg, { type: 'abandoned' });
      throw error;
    }
  }

  /** Accepts an incoming call: the document of its application is fetched before any answer but 100. */
  async function take(offer: LegOffer): Promise<TakenOffer | undefined> {
    const application = await deps.applicationOf(offer);
    if (application === undefined) return undefined;
    const { leg, account, mainAccount, from, to, callerName } = offer;
    const { answer, fallback, hangup } = application;
    const requestUuid = calls.peek(leg)?.requestUuid ?? leg;
    const about = { leg, run: newUuid(), account, mainAccount, from, to, callerName, requestUuid };
    const first = { request: answer, reason: 'answer', fallback, hangupOnRingSeconds: null } as const;
    await sessions.open(leg, newDocumentRun(about, first, 'none', limits), { type: 'begin' });
    return { owner: { kind: ownerKind, id: leg }, callbacks: { hangup } };
  }

  return { call, take };
}

/** Names the destinations as the client writes them in its next request. */
function notMade(orders: readonly CallOrder[], made: readonly CallOrder[]): string {
  const missing = orders.filter((order) => !made.includes(order)).map(({ spec }) => spec.to);
  return `to: ${missing.length} of ${orders.length} calls were not made, because their records could not be written; request these destinations again: ${missing.join('<')}`;
}

export function noSuchCall(uuid: string) {
  return notFound('live call', uuid);
}

export function notAnswered(uuid: string) {
  return problem('conflict', `call ${uuid} has not been answered yet: it can be transferred after that`);
}
