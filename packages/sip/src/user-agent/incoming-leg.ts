import type { HeaderPairs } from '../dialog/answers.ts';
import { offeredCall, stepIncomingCall } from '../dialog/incoming-call.ts';
import {
  CALLEE_SESSION,
  type IncomingCall,
  type IncomingCallEffect,
  type IncomingCallInput,
  type IncomingCallTimer,
} from '../dialog/incoming-call-state.ts';
import { reliabilityOf } from '../dialog/reliable-provisional.ts';
import type { Content, EndReason, SessionEvent, SessionInput } from '../dialog/session-state.ts';
import type { Flow } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import type {
  AnswerFields,
  CallListener,
  DialogName,
  DialogSnapshot,
  IncomingInvite,
} from './call-listener.ts';
import {
  cancelLegTimer,
  type Leg,
  type LegDeps,
  notifyListener,
  type Returned,
  removeIfOver,
  startLegTimer,
  staysOn,
} from './leg.ts';
import { failLost, LOST, performSessionEffect, sendLost, serveInvite, trustCaller } from './leg-effects.ts';
import { remoteTagOf } from './remote-tag.ts';
import { type Routes, routeOfFlow } from './send-target.ts';
import { SessionCommands } from './session-commands.ts';

/** The leg of an INVITE outside any dialog, with the handle for its owner. `transaction` is its server transaction. */
export function receiveInvite(
  deps: LegDeps,
  request: SipRequest,
  transaction: string,
  flow: Flow,
  back: string | undefined,
): { readonly invite: IncomingInvite; readonly leg: Leg } {
  const leg = new IncomingLeg(deps, request, transaction, flow, back);
  leg.start(request);
  return { invite: new IncomingHandle(leg, request, flow, deps.reasonPhrase), leg };
}

/** The leg as its owner sees it. A class: an object with a closure for each command costs 2 KB of each INVITE. */
class IncomingHandle extends SessionCommands implements IncomingInvite {
  readonly callId: string;
  readonly answeredBy = undefined;
  readonly request: SipRequest;
  readonly flow: string;
  readonly sourceAddress: string;
  readonly takesReliable: boolean;
  readonly #leg: IncomingLeg;
  readonly #back: Flow;

  constructor(leg: IncomingLeg, request: SipRequest, flow: Flow, reasonPhrase: LegDeps['reasonPhrase']) {
    super(reasonPhrase);
    this.callId = leg.callId;
    this.request = request;
    this.flow = flow.id;
    this.sourceAddress = request.sourceAddress ?? flow.remoteAddress;
    this.takesReliable = reliabilityOf(request) !== 'none';
    this.#leg = leg;
    this.#back = flow;
  }

  protected send(input: SessionInput): void {
    this.#leg.inSession(input);
  }

  trust(): void {
    this.#leg.trust();
  }

  identify(phone: readonly string[]): void {
    this.#leg.identify(phone);
  }

  confine(reaches: (address: string) => boolean): void {
    this.#leg.confine(reaches, this.#back);
  }

  listen(listener: CallListener): void {
    this.#leg.listen(listener);
  }

  ring(status = 180, fields: AnswerFields = {}): void {
    this.#leg.feed({ type: 'ring', status, ...fields });
  }

  accept(content: Content, headers?: HeaderPairs): void {
    this.#leg.feed({ type: 'accept', content, ...(headers && { headers }) });
  }

  reject(status: number, fields: AnswerFields = {}): void {
    this.#leg.feed({ type: 'reject', status, ...fields });
  }

  hangUp(): void {
    this.#leg.feed({ type: 'hang-up' });
  }

  answerOffer(content: Content): void {
    this.#leg.inSession({ type: 'answer-offer', content });
  }

  refuseOffer(status = 488): void {
    this.#leg.inSession({ type: 'refuse-offer', status });
  }

  isDialog(name: DialogName): boolean {
    return this.#leg.isDialog(name);
  }

  snapshot(): DialogSnapshot | undefined {
    return this.#leg.snapshot();
  }
}

/** Runs the machine of an incoming call: its inputs come from transactions, timers and the owner. */
class IncomingLeg implements Leg {
  readonly side = 'leg';
  readonly callId: string;
  readonly localTag: string;
  timers: Leg['timers'] = [];
  readonly lost: Leg['lost'] = [];
  phones: readonly string[] = [];
  open = 0;
  answer: Leg['answer'];
  offer: Leg['offer'];
  readonly authorize = undefined;
  readonly #deps: LegDeps;
  readonly invite: string;
  readonly #remoteTag: string;
  /**
   * With one Via the sender is the phone itself, and the flow reaches it through any NAT. With more, or where it listens at another port
   * than it sends from, requests follow the dialog's route set and remote target (RFC 3261 §12.2.1.1).
   */
  #peerFlow: string | undefined;
  /** A server opens no WebSocket (RFC 7118 §5). */
  readonly #hasFlowAlone: boolean;
  #state!: IncomingCall;
  /** Of a confined leg. */
  #routes: Routes | undefined;
  #listener: CallListener | undefined;
  #ended: EndReason | undefined;

  constructor(deps: LegDeps, request: SipRequest, transaction: string, flow: Flow, back: string | undefined) {
    this.callId = request.headers.get('Call-ID') ?? '';
    this.localTag = deps.token();
    this.#deps = deps;
    this.invite = transaction;
    this.#remoteTag = remoteTagOf(request);
    this.#peerFlow = request.headers.all('Via').length === 1 ? back : undefined;
    this.#hasFlowAlone = flow.protocol === 'ws' || flow.protocol === 'wss';
  }

  start(request: SipRequest): void {
    const deps = this.#deps;
    const transaction = this.invite;
    const { durations, ringingLimitMs, sessionInterval } = deps;
    const terms = { preferred: sessionInterval, chance: deps.chance() };
    const now = deps.now();
    const start = offeredCall(request, this.localTag, transaction, durations, ringingLimitMs, now, terms);
    this.#state = start.state;
    deps.legs.add(this);
    serveInvite(deps, this, transaction, true);
    this.#perform(start.effects, undefined);
  }

  feed(input: IncomingCallInput, source?: SipRequest): void {
    const step = stepIncomingCall(this.#state, input, this.#deps.now());
    this.#state = step.state;
    this.#perform(step.effects, source);
  }

  inSession(input: SessionInput): void {
    this.feed({ type: 'session', input });
  }

  isDialog({ callId, localTag, remoteTag }: DialogName): boolean {
    return callId === this.callId && localTag === this.localTag && remoteTag === this.#remoteTag;
  }

  snapshot(): DialogSnapshot | undefined {
    const session = this.#state.phase === 'answered' ? this.#state.session : undefined;
    if (session?.phase !== 'live') return undefined;
    const flow = this.#peerFlow;
    return {
      dialog: session.dialog,
      ...(flow !== undefined && { flow }),
      hasFlowAlone: this.#hasFlowAlone,
      phones: this.phones,
      isConfined: this.#routes !== undefined,
    };
  }

  listen(listener: CallListener): void {
    const reason = this.#ended;
    if (reason) this.#deps.safely(() => listener.ended?.(reason));
    else this.#listener = listener;
  }

  trust(): void {
    trustCaller(this.#deps, this.invite);
  }

  identify(phone: readonly string[]): void {
    this.phones = phone;
    this.#deps.legs.name(this);
  }

  /** Confines requests to addresses that `reaches` allows; others go back on the flow of the INVITE. */
  confine(reaches: (address: string) => boolean, back: Flow): void {
    this.#routes = this.#deps.routesWithin(this.#deps.routes, reaches, routeOfFlow(back));
  }

  routesOf(): Routes {
    return this.#routes ?? this.#deps.routes;
  }

  flowOf(): string | undefined {
    return this.#peerFlow;
  }

  onlyFlowOf(): string | undefined {
    return this.#hasFlowAlone && this.phones.length > 0 ? this.#peerFlow : undefined;
  }

  follow(_name: string, flow: string, returned: Returned): void {
    const before = this.#peerFlow;
    if (before === undefined || staysOn(before, this.#deps, returned)) return;
    this.#peerFlow = flow;
    sendLost(this.#deps, this, CALLEE_SESSION);
  }

  session(_session: string, input: SessionInput, source?: SipRequest): void {
    this.feed({ type: 'session', input }, source);
  }

  inDialog(
    remoteTag: string,
    input: SessionInput & { type: 'request' | 'ack' | 'cancelled' },
    flow: string | undefined,
  ): void {
    if (remoteTag !== this.#remoteTag) {
      if (input.type !== 'request') return;
      const lost = { do: 'respond', transaction: input.transaction, status: 481 } as const;
      performSessionEffect(this.#deps, this, lost, undefined);
      return;
    }
    // Requests follow a phone to its new connection.
    if (this.#peerFlow !== undefined) this.#peerFlow = flow ?? this.#peerFlow;
    this.inSession(input);
    sendLost(this.#deps, this, CALLEE_SESSION);
  }

  inviteFailed(failure: 'timeout' | 'transport-failed'): void {
    // The phone may come back, and gets the 2xx over its next connection.
    if (this.#state.phase === 'answered' && this.onlyFlowOf() !== undefined) return;
    this.feed({ type: 'invite-failed', failure });
  }

  timerFired(scope: string, key: string): void {
    if (key === LOST) failLost(this, scope);
    else this.feed({ type: 'timer-fired', key: key as IncomingCallTimer });
  }

  emit(event: SessionEvent): void {
    const listener = this.#listener;
    if (event.type === 'referred' && listener?.referred === undefined)
      this.inSession({ type: 'refuse-referral', status: 603 });
    else this.#deps.safely(() => listener && notifyListener(listener, event));
  }

  end(reason: EndReason): void {
    this.#ended = reason;
    const listener = this.#listener;
    // Transactions keep the leg for 32 s more, and not what its owner has.
    this.#listener = undefined;
    this.#deps.safely(() => listener?.ended?.(reason));
  }

  isOver(): boolean {
    return this.#state.phase === 'ended' && this.open === 0 && this.timers.length === 0;
  }

  #perform(effects: readonly IncomingCallEffect[], source: SipRequest | undefined): void {
    const deps = this.#deps;
    for (const effect of effects) {
      if (effect.do === 'start-call-timer') startLegTimer(deps, this, effect.scope, effect.key, effect.at);
      else if (effect.do === 'cancel-call-timer') cancelLegTimer(deps, this, effect.scope, effect.key);
      else performSessionEffect(deps, this, effect, source);
    }
    removeIfOver(deps, this);
  }
}
