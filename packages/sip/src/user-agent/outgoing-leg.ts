import { startOutgoingCall, stepOutgoingCall } from '../dialog/outgoing-call.ts';
import type {
  CallTimer,
  OutgoingCall,
  OutgoingCallEffect,
  OutgoingCallInput,
} from '../dialog/outgoing-call-state.ts';
import type { Content, EndReason, SessionEvent, SessionInput } from '../dialog/session-state.ts';
import type { SipRequest } from '../message/message.ts';
import type { CallListener, DialledCall, DialogName, DialogSnapshot } from './call-listener.ts';
import type { ChallengeAnswer } from './challenge-answer.ts';
import { type BranchedCall, InviteBranches, targetIndexOf } from './invite-branches.ts';
import type { InviteOptions } from './invite-options.ts';
import { authorizedInvite, correctedInvite } from './invite-request.ts';
import {
  cancelLegTimer,
  type Leg,
  type LegDeps,
  notifyListener,
  type Returned,
  removeIfOver,
  startLegTimer,
} from './leg.ts';
import { failLost, LOST, performSessionEffect, sendLost } from './leg-effects.ts';
import type { Routes } from './send-target.ts';
import { SessionCommands } from './session-commands.ts';

/** Sends the INVITEs and returns the leg for its owner. */
export function dial(
  deps: LegDeps,
  options: InviteOptions,
  authorize: ChallengeAnswer | undefined,
  listener: CallListener,
): DialledCall {
  if (options.targets.length === 0) throw new TypeError('An INVITE needs at least one target');
  const leg = new OutgoingLeg(deps, options, authorize, listener);
  leg.start();
  return new OutgoingHandle(leg, deps.reasonPhrase);
}

/** The leg as its owner sees it. */
class OutgoingHandle extends SessionCommands implements DialledCall {
  readonly callId: string;
  readonly #leg: OutgoingLeg;

  constructor(leg: OutgoingLeg, reasonPhrase: LegDeps['reasonPhrase']) {
    super(reasonPhrase);
    this.callId = leg.callId;
    this.#leg = leg;
  }

  protected send(input: SessionInput): void {
    this.#leg.inWinner(input);
  }

  get answeredBy(): number | undefined {
    return this.#leg.answeredBy;
  }

  nextAddress(silentMs: number): number | undefined {
    return this.#leg.nextAddress(silentMs);
  }

  hangUp(completedElsewhere?: boolean): void {
    this.#leg.feed({ type: 'hang-up', completedElsewhere });
  }

  answerOffer(content: Content): void {
    if (this.#leg.isCalling) this.#leg.feed({ type: 'settle-offer', outcome: content });
    else this.#leg.inWinner({ type: 'answer-offer', content });
  }

  refuseOffer(status = 488): void {
    if (this.#leg.isCalling) this.#leg.feed({ type: 'settle-offer', outcome: status });
    else this.#leg.inWinner({ type: 'refuse-offer', status });
  }

  isDialog(name: DialogName): boolean {
    return this.#leg.isDialog(name);
  }

  snapshot(): DialogSnapshot | undefined {
    return this.#leg.snapshot();
  }
}

/** Runs the machine of an outgoing call: its inputs come from transactions, timers and the owner. */
class OutgoingLeg implements BranchedCall {
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
  #listener: CallListener;
  readonly #branches: InviteBranches;
  #state!: OutgoingCall;

  constructor(
    deps: LegDeps,
    options: InviteOptions,
    authorize: ChallengeAnswer | undefined,
    listener: CallListener,
  ) {
    this.callId = deps.token();
    this.localTag = deps.token();
    this.authorize = authorize;
    this.#deps = deps;
    this.#listener = listener;
    this.#branches = new InviteBranches(deps, options, this);
    this.phones = this.#branches.phones;
  }

  start(): void {
    const { durations, ringingLimitMs, sessionInterval, legs } = this.#deps;
    const invites = this.#branches.firstInvites();
    const start = startOutgoingCall(invites, durations, ringingLimitMs, this.#deps.now(), sessionInterval);
    this.#state = start.state;
    legs.add(this);
    this.#perform(start.effects, undefined);
    for (const [branch, invite] of invites) this.#branches.send(branch, invite);
  }

  get isCalling(): boolean {
    return this.#state.phase === 'calling';
  }

  get answeredBy(): number | undefined {
    const { winner } = this.#state;
    return winner === undefined ? undefined : targetIndexOf(branchOf(winner));
  }

  isDialog(name: DialogName): boolean {
    const { sessions, winner } = this.#state;
    return (
      name.callId === this.callId &&
      name.localTag === this.localTag &&
      sessions.get(winner ?? '')?.dialog.remoteTag === name.remoteTag
    );
  }

  snapshot(): DialogSnapshot | undefined {
    const { sessions, winner = '' } = this.#state;
    const session = sessions.get(winner);
    if (session?.phase !== 'live') return undefined;
    return { dialog: session.dialog, ...this.#branches.reachOf(branchOf(winner)) };
  }

  feed(input: OutgoingCallInput, source?: SipRequest): void {
    const step = stepOutgoingCall(this.#state, input, this.#deps.now());
    this.#state = step.state;
    this.#perform(step.effects, source);
  }

  /** Passes an input to the session of the phone that answered. */
  inWinner(input: SessionInput): void {
    const { winner } = this.#state;
    if (winner !== undefined) this.feed({ type: 'session', session: winner, input });
  }

  nextAddress(silentMs: number): number | undefined {
    return this.#branches.nextAddress(silentMs);
  }

  isSilent(branch: string): boolean {
    return this.#state.branches.get(branch)?.phase === 'calling';
  }

  isOpen(branch: string): boolean {
    const phase = this.#state.branches.get(branch)?.phase;
    return this.isCalling && (phase === 'calling' || phase === 'proceeding');
  }

  inviteOf(branch: string): SipRequest {
    return this.#state.branches.get(branch)!.request;
  }

  routesOf(session: string): Routes {
    return this.#branches.routesOf(branchOf(session));
  }

  flowOf(session: string): string | undefined {
    return this.#branches.flowOf(branchOf(session));
  }

  onlyFlowOf(session: string): string | undefined {
    return this.#branches.onlyFlowOf(branchOf(session));
  }

  follow(name: string, flow: string, returned: Returned): void {
    const moved = this.#branches.followPhone(name, flow, returned);
    for (const { id } of [...this.#state.sessions.values()])
      if (moved.has(branchOf(id))) sendLost(this.#deps, this, id);
  }

  session(session: string, input: SessionInput, source?: SipRequest): void {
    this.feed({ type: 'session', session, input }, source);
  }

  inDialog(
    remoteTag: string,
    input: SessionInput & { type: 'request' | 'ack' | 'cancelled' },
    flow: string | undefined,
  ): void {
    const { id } =
      [...this.#state.sessions.values()].find(({ dialog }) => dialog.remoteTag === remoteTag) ?? {};
    if (id !== undefined) this.#branches.follow(branchOf(id), flow);
    this.feed({ type: 'in-dialog', remoteTag, input });
    if (id !== undefined) sendLost(this.#deps, this, id);
  }

  inviteFailed(): void {}

  timerFired(scope: string, key: string): void {
    if (key === LOST) failLost(this, scope);
    else if (key === 'unroutable') this.#branches.unroutable(scope);
    else this.feed({ type: 'timer-fired', scope, key: key as CallTimer });
  }

  emit(event: SessionEvent): void {
    const listener = this.#listener;
    if (event.type === 'referred' && listener.referred === undefined)
      this.inWinner({ type: 'refuse-referral', status: 603 });
    else this.#deps.safely(() => notifyListener(listener, event));
  }

  end(reason: EndReason): void {
    const listener = this.#listener;
    // Transactions keep the leg for 32 s more, and not what its owner has.
    this.#listener = {};
    this.#deps.safely(() => listener.ended?.(reason));
  }

  isOver(): boolean {
    return this.#state.phase === 'ended' && this.open === 0 && this.timers.length === 0;
  }

  #perform(effects: readonly OutgoingCallEffect[], source: SipRequest | undefined): void {
    for (const effect of effects) this.#performOne(effect, source);
    removeIfOver(this.#deps, this);
  }

  #performOne(effect: OutgoingCallEffect, source: SipRequest | undefined): void {
    switch (effect.do) {
      case 'cancel':
        this.#branches.cancel(effect.branch, effect.completedElsewhere);
        return;
      case 'authenticate': {
        const { branch, response } = effect;
        const invite = this.inviteOf(branch);
        this.#retry(branch, authorizedInvite(invite, this.authorize?.(response, invite) ?? []));
        return;
      }
      case 'correct':
        this.#retry(effect.branch, correctedInvite(this.inviteOf(effect.branch), effect.headers));
        return;
      case 'abandon':
        this.#branches.abandon(effect.branch);
        return;
      case 'start-call-timer':
        startLegTimer(this.#deps, this, effect.scope, effect.key, effect.at);
        return;
      case 'cancel-call-timer':
        cancelLegTimer(this.#deps, this, effect.scope, effect.key);
        return;
      case 'emit-call': {
        const { event, response } = effect;
        const listener = this.#listener;
        this.#deps.safely(() =>
          event === 'ringing' ? listener.ringing?.(response) : listener.answered?.(response),
        );
        return;
      }
      default:
        performSessionEffect(this.#deps, this, effect, source);
        return;
    }
  }

  #retry(branch: string, invite: SipRequest): void {
    this.feed({ type: 'authenticated', branch, request: invite });
    this.#branches.send(branch, invite);
  }
}

function branchOf(session: string): string {
  const semicolon = session.indexOf(';');
  return semicolon < 0 ? session : session.slice(0, semicolon);
}
