import type { OutgoingCallInput } from '../dialog/outgoing-call-state.ts';
import { type Attempt, successorOf } from '../locate/failover.ts';
import { createHeaders } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';
import { printMessage } from '../message/print-message.ts';
import { parseVia } from '../message/via.ts';
import { clientKey } from '../transaction/key.ts';
import type { DialogSnapshot } from './call-listener.ts';
import type { InviteOptions, InviteTarget } from './invite-options.ts';
import { inviteFor } from './invite-request.ts';
import {
  type Leg,
  type LegDeps,
  type Returned,
  removeIfOver,
  startLegTimer,
  startLegTransaction,
  staysOn,
} from './leg.ts';
import { firstHop, type HostTarget, type Route, type Routes } from './send-target.ts';
import type { ClientTransaction } from './transactions.ts';

/** The call whose INVITEs are sent. */
export interface BranchedCall extends Leg {
  /** Whether a branch still waits for its final response. */
  isOpen(branch: string): boolean;
  /** Whether the target of a branch has not responded at all. */
  isSilent(branch: string): boolean;
  /** The last INVITE of a branch; of an answered one, what later requests need of it. */
  inviteOf(branch: string): SipRequest;
  /** Passes an input to the machine of the call; `source` is the request that it answers. */
  feed(input: OutgoingCallInput, source?: SipRequest): void;
}

/** One target of the call, and the attempts to reach it. */
interface Branch {
  readonly name: string;
  readonly target: InviteTarget;
  /** The routes of the branch; they fall back to the target of its own INVITE. */
  readonly routes: Routes;
  flow: string | undefined;
  /** When the last INVITE was sent. */
  sentAt: number;
  /** The address of the last INVITE, verified as a domain. */
  verified: HostTarget | undefined;
  /** The last INVITE went over a WebSocket, which a server cannot open (RFC 7118 §5). */
  hasFlowAlone: boolean;
  flowsLeft: readonly InviteTarget[];
  /** Routes of the last lookup, from the one in use on: a retry goes to the target that challenged or corrected the INVITE. */
  located: readonly Route[] | undefined;
  transaction: ClientTransaction | undefined;
}

/** Sends the INVITE of each branch of a call: over the routes of its target, then over the other flows of the same phone. */
export class InviteBranches {
  readonly #deps: LegDeps;
  readonly #options: InviteOptions;
  readonly #call: BranchedCall;
  readonly #branches = new Map<string, Branch>();

  constructor(deps: LegDeps, options: InviteOptions, call: BranchedCall) {
    this.#deps = deps;
    this.#options = options;
    this.#call = call;
    for (const [index, target] of options.targets.entries()) {
      const name = branchAt(index);
      this.#branches.set(name, {
        name,
        target,
        routes: this.#newRoutes(),
        flow: target.flow,
        sentAt: 0,
        verified: undefined,
        hasFlowAlone: false,
        flowsLeft: target.otherFlows ?? [],
        located: undefined,
        transaction: undefined,
      });
    }
  }

  #newRoutes(): Routes {
    const { routes, routesWithin } = this.#deps;
    const { reaches } = this.#options;
    return reaches === undefined ? routes : routesWithin(routes, reaches);
  }

  /** The first INVITE of each branch. */
  firstInvites(): ReadonlyMap<string, SipRequest> {
    const invites = new Map<string, SipRequest>();
    for (const { name, target } of this.#branches.values()) invites.set(name, this.#inviteFor(target));
    return invites;
  }

  /** Names of all phones that are called. */
  get phones(): readonly string[] {
    return [...new Set(this.#options.targets.flatMap(({ phone = [] }) => phone))];
  }

  /** The flow for requests of a branch. */
  flowOf(branch: string): string | undefined {
    return this.#branches.get(branch)?.flow;
  }

  /** Requests follow a phone to its new connection. */
  follow(name: string, flow: string | undefined): void {
    const branch = this.#branches.get(name);
    if (branch?.flow !== undefined) branch.flow = flow ?? branch.flow;
  }

  /** The same flow, if the phone may register again and cannot be reached in another way. */
  onlyFlowOf(name: string): string | undefined {
    const branch = this.#branches.get(name);
    return branch?.hasFlowAlone && branch.target.phone ? branch.flow : undefined;
  }

  /** How requests reach the phone of a branch, for another process. */
  reachOf(name: string): Omit<DialogSnapshot, 'dialog'> {
    const { flow, verified, hasFlowAlone = false, target } = this.#branches.get(name) ?? {};
    const isConfined = this.#options.reaches !== undefined;
    return {
      ...(flow !== undefined && { flow }),
      ...(verified && { verified }),
      hasFlowAlone,
      phones: target?.phone ?? [],
      isConfined,
    };
  }

  /** Requests follow a phone to the connection over which it has registered; returns the branches that moved. */
  followPhone(phone: string, flow: string, returned: Returned): ReadonlySet<string> {
    const moved = new Set<string>();
    for (const branch of this.#branches.values()) {
      const before = branch.flow;
      if (before === undefined || !branch.target.phone?.includes(phone)) continue;
      if (staysOn(before, this.#deps, returned)) continue;
      branch.flow = flow;
      moved.add(branch.name);
    }
    return moved;
  }

  /** The routes of a branch. */
  routesOf(branch: string): Routes {
    const { routes, verified } = this.#branches.get(branch)!;
    return this.#deps.routesBesideVerified(routes, verified);
  }

  send(name: string, invite: SipRequest): void {
    const branch = this.#branches.get(name)!;
    if (branch.located) {
      this.#sendOver(branch.located, branch, invite);
      return;
    }
    branch.routes.all(branch.flow, firstHop(invite), (routes) => {
      // After a hang-up during the lookup no INVITE is sent.
      if (this.#call.isOpen(name))
        this.#sendOver(this.#deps.orderedRoutes(routes, invite, this.#deps.now()), branch, invite);
      else this.#call.feed({ type: 'branch-failed', branch: name, failure: 'transport-failed' });
    });
  }

  /** See `DialledCall.nextAddress`. */
  nextAddress(silentMs: number): number | undefined {
    const now = this.#deps.now();
    let until: number | undefined;
    for (const branch of [...this.#branches.values()]) {
      const [silent, ...routes] = branch.located ?? [];
      if (!silent || !this.#call.isOpen(branch.name)) continue;
      if (now - branch.sentAt < silentMs) until = branch.sentAt + silentMs;
      else if (routes.length > 0 && this.#call.isSilent(branch.name)) {
        this.#deps.noteSilent(silent, now);
        this.#callNext(branch, routes);
        until = now + silentMs;
      }
    }
    return until;
  }

  #callNext(branch: Branch, routes: readonly Route[]): void {
    // The index of the target stays in front.
    const next = { ...branch, name: `${branch.name}.`, routes: this.#newRoutes() };
    const request = copyOf(this.#call.inviteOf(branch.name));
    this.#branches.set(next.name, next);
    this.#call.feed({ type: 'next-address', branch: branch.name, next: next.name, request });
    this.#sendOver(routes, next, request);
  }

  /** No route leads to the target: goes on over another flow, or fails the branch. */
  unroutable(name: string): void {
    const failure = 'transport-failed';
    const branch = this.#branches.get(name)!;
    if (this.#goOn([], branch, { type: 'failed', failure }, false)) return;
    this.#call.feed({ type: 'branch-failed', branch: name, failure });
  }

  /** Ends the transaction of a branch without a message. */
  abandon(branch: string): void {
    const transaction = this.#branches.get(branch)?.transaction;
    if (transaction) this.#deps.clients.step(transaction, { type: 'abandon' });
  }

  cancel(branch: string, completedElsewhere: boolean): void {
    const invite = this.#branches.get(branch)?.transaction;
    if (!invite) return;
    const call = this.#call;
    const request = this.#deps.cancelFor(call.inviteOf(branch), completedElsewhere);
    const via = request.headers.get('Via')!;
    const key = clientKey(parseVia(via)?.branch ?? '', 'CANCEL');
    const reliable = invite.machine.kind === 'invite' && isReliable(via);
    const route: Route = { target: invite.target, protocol: reliable ? 'tcp' : 'udp', reliable };
    call.open += 1;
    // §9.1: the answer to CANCEL is ignored; the INVITE's own final response ends the branch.
    this.#deps.clients.start(key, request, printMessage(request), route, {
      response: () => {},
      failed: () => {},
      terminated: () => {
        call.open -= 1;
        removeIfOver(this.#deps, call);
      },
    });
  }

  #sendOver(routes: readonly Route[], branch: Branch, invite: SipRequest): void {
    const call = this.#call;
    const [route, ...rest] = routes;
    if (route && 'host' in route.target) branch.located = routes;
    // The owner has no handle yet, so this failure is reported after `invite` returns, as any other.
    if (!route) {
      startLegTimer(this.#deps, call, branch.name, 'unroutable', this.#deps.now());
      return;
    }
    const { target } = route;
    branch.routes.used?.(route);
    branch.sentAt = this.#deps.now();
    branch.verified = 'host' in target && target.identity ? target : undefined;
    branch.hasFlowAlone = route.protocol === 'ws' || route.protocol === 'wss';
    let isReached = false;
    branch.transaction = startLegTransaction(this.#deps, call, invite, route, {
      response: (response) => {
        const { status } = response;
        if (status < 200) isReached ||= status > 100;
        else if (this.#goOn(rest, branch, { type: 'response', status }, isReached)) return;
        // Not `invite`: this closure would keep it for as long as the transaction, 32 s beyond the answer.
        const source = call.inviteOf(branch.name);
        const isFinal = call.authorize?.(response, source) === undefined;
        call.feed({ type: 'branch-response', branch: branch.name, response, isFinal }, source);
      },
      failed: (failure) => {
        this.#deps.noteSilent(route, this.#deps.now());
        if (this.#goOn(rest, branch, { type: 'failed', failure }, isReached)) return;
        call.feed({ type: 'branch-failed', branch: branch.name, failure });
      },
    });
  }

  /** Tries the next route or flow of an open branch after this attempt; false when there is none. */
  #goOn(routes: readonly Route[], branch: Branch, attempt: Attempt, isReached: boolean): boolean {
    if (!this.#call.isOpen(branch.name)) return false;
    const invite = this.#call.inviteOf(branch.name);
    const [flow, ...flowsLeft] = branch.flowsLeft;
    const left = { isReached, hasRoute: routes.length > 0, hasFlow: flow !== undefined };
    switch (successorOf(attempt, left)) {
      case 'route': {
        const again = copyOf(invite);
        this.#call.feed({ type: 'authenticated', branch: branch.name, request: again });
        this.#sendOver(routes, branch, again);
        return true;
      }
      case 'flow':
        branch.flowsLeft = flowsLeft;
        this.#sendOnFlow(flow!, branch, invite);
        return true;
      case 'none':
        return false;
    }
  }

  /** RFC 5626 §5.3: after a failed flow the next one of the same phone gets the call. */
  #sendOnFlow(target: InviteTarget, branch: Branch, invite: SipRequest): void {
    branch.flow = target.flow;
    branch.located = undefined;
    const again = this.#inviteFor(target);
    again.headers.set('CSeq', invite.headers.get('CSeq') ?? '1 INVITE');
    this.#call.feed({ type: 'authenticated', branch: branch.name, request: again });
    this.send(branch.name, again);
  }

  #inviteFor(target: InviteTarget): SipRequest {
    return inviteFor(this.#options, target, this.#call, this.#deps.sessionInterval);
  }
}

/** The index of the target of a branch. */
export function targetIndexOf(branch: string): number {
  return Number.parseInt(branch.slice(1), 10);
}

/** For another transaction. */
function copyOf(invite: SipRequest): SipRequest {
  return { ...invite, headers: createHeaders(invite.headers.entries()) };
}

/** Names the branch of the target at this index. */
function branchAt(index: number): string {
  return `b${index}`;
}

function isReliable(via: string): boolean {
  return !via.startsWith('SIP/2.0/UDP');
}
