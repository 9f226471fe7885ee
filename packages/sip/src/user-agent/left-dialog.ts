import type { Dialog } from '../dialog/dialog.ts';
import { stepSession } from '../dialog/session.ts';
import { callerSession, type EndReason, type Session, type SessionInput } from '../dialog/session-state.ts';
import type { SipRequest } from '../message/message.ts';
import type { DialogSnapshot } from './call-listener.ts';
import type { ChallengeAnswer } from './challenge-answer.ts';
import { type Leg, type LegDeps, type Returned, staysOn } from './leg.ts';
import { failLost, LOST, performSessionEffect, sendLost } from './leg-effects.ts';
import { routesBesideVerified, routesWithin } from './routes.ts';
import type { Routes } from './send-target.ts';

/** Added to the recorded CSeq, which the peer must not have seen: no call sends so many requests after its answer. */
const requestsSince = 10_000;
const onlySession = 'left';

/** Sends BYE in a dialog whose own process has ended. Without `reaches` requests go to any address that the peer has named. */
export function endLeftDialog(
  deps: LegDeps,
  snapshot: DialogSnapshot,
  authorize: ChallengeAnswer | undefined,
  reaches?: (address: string) => boolean,
): void {
  const open = reaches === undefined ? deps.routes : routesWithin(deps.routes, reaches);
  const routes = routesBesideVerified(open, snapshot.verified);
  const leg = new LeftLeg(deps, routes, snapshot, authorize);
  deps.legs.add(leg);
  leg.session(onlySession, { type: 'hang-up' });
}

/** Runs the session of a left dialog, which has no owner, until its BYE is answered. */
class LeftLeg implements Leg {
  readonly side = 'leg';
  readonly callId: string;
  readonly localTag: string;
  readonly phones: readonly string[];
  timers: Leg['timers'] = [];
  readonly lost: Leg['lost'] = [];
  open = 0;
  answer: Leg['answer'];
  offer: Leg['offer'];
  readonly authorize: ChallengeAnswer | undefined;
  readonly #deps: LegDeps;
  readonly #routes: Routes;
  readonly #hasFlowAlone: boolean;
  #flow: string | undefined;
  #session: Session;

  constructor(
    deps: LegDeps,
    routes: Routes,
    { dialog, flow, hasFlowAlone, phones }: DialogSnapshot,
    authorize: ChallengeAnswer | undefined,
  ) {
    this.callId = dialog.callId;
    this.localTag = dialog.localTag;
    this.phones = phones;
    this.authorize = authorize;
    this.#deps = deps;
    this.#routes = routes;
    this.#hasFlowAlone = hasFlowAlone;
    this.#flow = flow;
    const later: Dialog = { ...dialog, localCseq: dialog.localCseq + requestsSince };
    this.#session = callerSession(onlySession, later, deps.durations);
  }

  routesOf(): Routes {
    return this.#routes;
  }

  flowOf(): string | undefined {
    return this.#flow;
  }

  onlyFlowOf(): string | undefined {
    return this.#hasFlowAlone && this.phones.length > 0 ? this.#flow : undefined;
  }

  follow(_name: string, flow: string, returned: Returned): void {
    if (this.#flow === undefined || staysOn(this.#flow, this.#deps, returned)) return;
    this.#flow = flow;
    sendLost(this.#deps, this, onlySession);
  }

  session(_session: string, input: SessionInput, source?: SipRequest): void {
    const step = stepSession(this.#session, input, this.#deps.now());
    this.#session = step.state;
    for (const effect of step.effects) performSessionEffect(this.#deps, this, effect, source);
    if (this.isOver()) this.#deps.legs.remove(this);
  }

  inDialog(
    remoteTag: string,
    input: SessionInput & { type: 'request' | 'ack' | 'cancelled' },
    flow: string | undefined,
  ): void {
    if (remoteTag !== this.#session.dialog.remoteTag) {
      if (input.type !== 'request') return;
      const lost = { do: 'respond', transaction: input.transaction, status: 481 } as const;
      performSessionEffect(this.#deps, this, lost, undefined);
      return;
    }
    if (this.#flow !== undefined) this.#flow = flow ?? this.#flow;
    this.session(onlySession, input);
    sendLost(this.#deps, this, onlySession);
  }

  inviteFailed(): void {}

  timerFired(scope: string, key: string): void {
    if (key === LOST) failLost(this, scope);
  }

  emit(): void {}

  end(_reason: EndReason): void {}

  isOver(): boolean {
    return this.#session.phase === 'ended' && this.open === 0 && this.timers.length === 0;
  }
}
