import type {
  AudioStreams,
  Clock,
  Database,
  Logger,
  Media,
  Metrics,
  Migration,
  NumberRoutes,
  OwnNumbers,
  Registrations,
  Telephony,
} from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import type { DiedAt } from '../../kernel/last-alive.ts';
import type { RetainedRecords } from '../../kernel/retention.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { Usage } from '../usage/index.ts';
import { type CallLeg, type CallLegInput, isLegOver } from './domain/call-leg.ts';
import { callLegMachine } from './domain/call-leg-machine.ts';
import { readDestination } from './domain/destination.ts';
import { type CallEnd, callEnds } from './domain/hangup-cause.ts';
import { type LegSessionEffect, withOutboxEvents } from './events.ts';
import { createDialledLegs } from './legs/dialled-legs.ts';
import { createDirectCalls } from './legs/direct-calls.ts';
import { rememberMainAccounts } from './legs/main-accounts.ts';
import { measureLeg } from './legs/measure-leg.ts';
import { createOffers, endedInput } from './legs/offers.ts';
import { parametersOfCall } from './legs/parameters.ts';
import { createRouting } from './legs/routing.ts';
import { createTransfers } from './legs/transfers.ts';
import { callsTable } from './migrations/0001-calls.ts';
import { callRecords } from './migrations/0002-call-records.ts';
import { callFilters } from './migrations/0003-call-filters.ts';
import { trunkCalls } from './migrations/0004-trunk-calls.ts';
import { callQuality } from './migrations/0005-call-quality.ts';
import { hangupReason } from './migrations/0006-hangup-reason.ts';
import { callsByEnd } from './migrations/0007-calls-by-end.ts';
import { callTimeLimit } from './migrations/0008-time-limit.ts';
import type { Calls, Conversations, LegOwner, LiveLeg, OutboundLeg, OwnedLegNotice } from './public-api.ts';
import { createCallQueries } from './queries.ts';
import { callRoutes } from './routes.ts';
import { type AppendEvents, createCallStore, isRecorded } from './store.ts';
import { trunkCallRoutes } from './trunk-call-routes.ts';

export interface CallsDeps {
  readonly runner: SessionRunner;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telephony: Telephony;
  readonly media: Media;
  readonly metrics?: Pick<Metrics, 'count' | 'observe'>;
  /** Streams hear keys that come in signalling from us, others from the audio. */
  readonly audioStreams?: Pick<AudioStreams, 'press'>;
  readonly registrations: Registrations;
  readonly numbers: NumberRoutes;
  /** Numbers that lead to telephone systems of customers; they go before `numbers`. */
  readonly ownNumbers?: OwnNumbers;
  readonly usage: Usage;
  /** SIP domains that we serve, lower case; the first is the realm. */
  readonly domains: readonly string[];
  readonly newUuid: () => string;
  /** True when resources of `account` belong to `owner`: itself, or a subaccount of it. */
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
  /** The account itself, or the one whose subaccount it is; undefined for one that is gone. */
  readonly mainAccountOf: (account: string) => Promise<string | undefined>;
  /** Whether the endpoint with this SIP user may have a number called by transferring its call; every one may when left out. */
  readonly mayDial?: (user: string, number: string) => Promise<boolean>;
  /** Tells of legs that a crash has ended, in the transaction that records it. */
  readonly appendEvents: AppendEvents;
  /** How long records are kept after the end of their calls; for ever when left out. */
  readonly keepCallsMs?: number;
}

export const callMigrations: readonly Migration[] = [
  callsTable,
  callRecords,
  callFilters,
  trunkCalls,
  callQuality,
  hangupReason,
  callsByEnd,
  callTimeLimit,
];

export interface CallsFeature extends Feature, Calls {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  /** What becomes of the records of a subaccount that is deleted; for the accounts feature. */
  readonly resources: AccountResources;
  /** True for a call that lives or has ended, where the viewer may see it. */
  isKnown(viewer: RequestAccount, call: string): Promise<boolean>;
  readonly retained: RetainedRecords;
  /** Ends the records of legs that the last process left behind, as of its death; called once, before the first call. */
  restore(diedAt: DiedAt): Promise<number>;
}

/** docs/interface/calls.md#making-a-call `time_limit`. */
const defaultTimeLimitSeconds = 14_400;

/** Every leg of every call: recorded, dialled, reported to its owner. */
export function createCalls(deps: CallsDeps): CallsFeature {
  const { telephony, media, usage } = deps;
  const owners = new Map<string, (owner: string, notice: OwnedLegNotice) => void>();
  const conversations = new Map<string, Conversations>();
  const dialled = createDialledLegs();
  const whenOver: ((leg: string) => void)[] = [];
  const routing = createRouting(deps);
  const store = createCallStore(deps.database, usage);
  const queries = createCallQueries(deps.database);

  const legs: Sessions<CallLeg, CallLegInput> = deps.runner.define<CallLeg, CallLegInput, LegSessionEffect>({
    name: 'call-leg',
    machine: withOutboxEvents(callLegMachine, usage),
    save: (write, _leg, before, after) => store.save(write, before, after),
    isRecorded,
    isBilled: true,
    isEnded: isLegOver,
    perform(leg, effect) {
      switch (effect.do) {
        case 'route':
          return route(leg, effect);
        case 'dial':
          return telephony.dial({
            leg,
            from: { user: effect.from, displayName: effect.callerName },
            to: { user: effect.user },
            targets: effect.targets,
            headers: prefixed(effect.sipHeaders),
            timeLimitSeconds: legs.peek(leg)?.timeLimitSeconds ?? defaultTimeLimitSeconds,
            ...forwarding(leg),
          });
        case 'ring':
          return telephony.ring(leg);
        case 'open-early':
          return telephony.openEarly(leg);
        case 'answer':
          return telephony.answer(leg);
        case 'send-digits':
          return media.send({ do: 'send-digits', leg, digits: effect.digits });
        case 'hang-up':
          return telephony.hangUp(leg, effect.status);
        case 'tell-owner':
          return tell(effect.owner, { ...effect.notice, leg });
        case 'leave':
          measureLeg(deps.metrics, legs.peek(leg));
          dialled.remove(leg);
          transfers.over(leg);
          for (const tell of whenOver) tell(leg);
      }
    },
  });

  function forwarding(leg: string) {
    const forwards = legs.peek(leg)?.parentLeg;
    return forwards ? { forwards } : {};
  }

  function tell(owner: LegOwner, notice: OwnedLegNotice): void {
    // A phone hears that its transfer succeeded before its own leg is hung up for that.
    transfers.observed(notice);
    owners.get(owner.kind)?.(owner.id, notice);
  }

  async function dial(request: OutboundLeg): Promise<void> {
    const { leg, ringTimeoutSeconds, sipHeaders, parentLeg } = request;
    const destination = readDestination(request.to, deps.domains);
    const requestUuid = request.requestUuid ?? leg;
    const placed: CallLeg = {
      leg,
      account: request.account,
      mainAccount: request.mainAccount,
      direction: 'outbound',
      owner: request.owner,
      borrower: null,
      unheard: null,
      from: request.from,
      to: request.to,
      callerName: request.callerName,
      requestUuid,
      parentLeg: parentLeg ?? null,
      parentRequestUuid:
        parentLeg === undefined ? requestUuid : (legs.peek(parentLeg)?.requestUuid ?? parentLeg),
      headers: {},
      sourceAddress: null,
      trunk: null,
      callbacks: request.callbacks ?? null,
      timeLimitSeconds: request.timeLimitSeconds ?? defaultTimeLimitSeconds,
      sendDigits: request.sendDigits ?? '',
      sendOnPreanswer: request.sendOnPreanswer ?? false,
      rate: usage.rateOf('outbound', destination.kind === 'number' ? destination.number : 'sip'),
      phase: 'routing',
      initiatedAt: deps.clock.wallNow(),
      answeredAt: null,
      endedAt: null,
      end: null,
      wantedEnd: null,
      quality: null,
      pressedKeys: [],
    };
    dialled.add(leg, parentLeg);
    try {
      await legs.open(leg, placed, { type: 'place', ringTimeoutSeconds, sipHeaders });
    } catch (error) {
      dialled.remove(leg);
      throw error;
    }
  }

  const privateKinds = new Set<string>();
  const isPrivate = (owner: LegOwner | null | undefined) => owner != null && privateKinds.has(owner.kind);

  function ownedBy(...[kind, tell, own]: Parameters<Calls['ownedBy']>): void {
    owners.set(kind, tell);
    if (own === 'private') privateKinds.add(kind);
    else if (own !== undefined) conversations.set(kind, own);
  }

  function partnerOf(leg: string): string | undefined {
    const { parentLeg, owner } = legs.peek(leg) ?? {};
    const partner = owner ? conversations.get(owner.kind)?.partnerOf(owner.id, leg) : undefined;
    if (partner !== undefined && peek(partner) !== undefined) return partner;
    if (parentLeg && peek(parentLeg) !== undefined) return parentLeg;
    const live = dialled.of(leg).filter((each) => peek(each) !== undefined);
    return live.findLast((each) => peek(each)?.phase === 'answered') ?? live.at(-1);
  }

  function peek(leg: string): LiveLeg | undefined {
    const live = legs.peek(leg);
    return liveLegOf(live, isPrivate(live?.owner));
  }

  function route(leg: string, effect: Extract<LegSessionEffect, { do: 'route' }>): void {
    routing.routeTo(effect.account, effect.to).then(
      (route) => {
        if (route.ok) {
          const { user, targets } = route;
          legs.send(leg, { type: 'routed', user, targets, sipHeaders: effect.sipHeaders });
          return;
        }
        const { end } = route;
        deps.log.info(
          { leg, account: effect.account, to: effect.to, end },
          'A destination could not be reached.',
        );
        legs.send(leg, { type: 'unreachable', end });
      },
      (error: unknown) => {
        deps.log.error({ leg, err: error }, 'The destination of a leg could not be looked up.');
        legs.send(leg, { type: 'unreachable', end: callEnds(5010, 'Error') });
      },
    );
  }

  const hangUp = (leg: string, end: CallEnd) => legs.send(leg, { type: 'hang-up', end });
  const ring = (leg: string) => legs.send(leg, { type: 'ring' });
  const openEarly = (leg: string) => legs.send(leg, { type: 'open-early' });
  const answer = (leg: string) => legs.send(leg, { type: 'answer' });
  const take = async (leg: string, owner: LegOwner) =>
    !isPrivate(legs.peek(leg)?.owner) && ((await legs.ask<boolean>(leg, { type: 'take', owner })) ?? false);
  const direct = createDirectCalls({ ...deps, dial, ring, openEarly, answer, hangUp, take });
  ownedBy(direct.ownerKind, direct.tell, direct.conversations);
  const transfers = createTransfers({
    ...deps,
    peek,
    partnerOf,
    conversationsOf: (owner) => (owner === null ? undefined : conversations.get(owner.kind)),
    tell,
    dial,
    hangUp,
    take,
    adopt: (callerLeg, calleeLeg, { account, mainAccount, from, to, callerName }) =>
      direct.adopt(callerLeg, calleeLeg, { account, mainAccount, from, to, callerName }),
    mayDial: deps.mayDial ?? (async () => true),
  });
  const offers = createOffers({
    log: deps.log,
    clock: deps.clock,
    telephony,
    legs,
    direct,
    transfers,
    answer,
    mainAccountOf: rememberMainAccounts(deps.mainAccountOf),
    rate: () => usage.rateOf('inbound', 'sip'),
    timeLimitSeconds: defaultTimeLimitSeconds,
  });

  media.subscribe((notice) => {
    switch (notice.type) {
      case 'media-silent':
        // docs/interface/calls.md#limits: a phone that has sent nothing for so long (the engine's figure, 60 s) is gone without a word.
        // One that has not answered may be as silent as it likes.
        if (legs.peek(notice.leg)?.phase === 'answered') hangUp(notice.leg, callEnds(6020, 'Service'));
        return;
      case 'digit':
        // The engine has legs that are not ours, those of sandbox phones.
        if (legs.peek(notice.leg) !== undefined) {
          const { leg, digit, durationMs } = notice;
          legs.send(leg, { type: 'leg-digit', digit, heard: { as: 'event', durationMs } });
        }
        return;
      case 'voice':
        if (legs.peek(notice.leg) !== undefined) {
          legs.send(notice.leg, { type: 'leg-voice', speaking: notice.speaking });
        }
    }
  });

  telephony.listenToKeys?.((key) => {
    const { leg, digit, durationMs } = key;
    if (legs.peek(leg) === undefined) return;
    legs.send(leg, { type: 'leg-digit', digit, heard: { as: 'info', durationMs } });
    deps.audioStreams?.press(key);
  });
  telephony.listen((notice) => {
    if (notice.type === 'leg-offered') return offers.arrived(notice);
    if (offers.isKept(notice)) return;
    if (notice.type === 'leg-ended') legs.send(notice.leg, endedInput(notice));
    else legs.send(notice.leg, { type: notice.type });
  });

  return {
    name: 'calls',
    migrations: callMigrations,
    routes: [
      callRoutes({ hangUp }, queries),
      {
        name: 'Trunks',
        description: 'Calls through trunks have records like all calls.',
        routes: trunkCallRoutes(deps.database, deps.domains[0] ?? ''),
      },
    ],
    resources: {
      async remove(write, account) {
        for (const leg of await store.liveOf(write, account)) hangUp(leg, callEnds(4000, 'API Request'));
        await store.removeOf(write, account);
      },
      passOn: store.passOn,
    },
    isKnown: async (viewer, call) => (await queries.find(viewer, call)) !== undefined,
    retained: { name: 'calls', keepMs: deps.keepCallsMs, removeEnded: store.removeEnded },
    restore: (diedAt) => store.endForgotten(diedAt, deps.appendEvents),
    ownedBy,
    offeredTo: offers.offeredTo,
    dial,
    ring,
    openEarly,
    answer,
    hangUp,
    take,
    lend: async (leg, borrower) =>
      !isPrivate(legs.peek(leg)?.owner) &&
      ((await legs.ask<boolean>(leg, { type: 'lend', borrower })) ?? false),
    giveBack: (leg, borrower, remarks) => legs.send(leg, { type: 'give-back', borrower, remarks }),
    peek,
    partnerOf,
    whenOver: (tell) => void whenOver.push(tell),
    parametersOf(leg) {
      const { rate, parentRequestUuid } = legs.peek(leg.leg) ?? {
        rate: usage.rateOf(leg.direction, leg.direction === 'inbound' ? 'sip' : leg.to),
        parentRequestUuid: leg.parentLeg ?? leg.requestUuid,
      };
      return parametersOfCall({ ...leg, rate, parentRequestUuid });
    },
  };
}

function liveLegOf(leg: CallLeg | undefined, isPrivate: boolean): LiveLeg | undefined {
  if (leg === undefined || leg.phase === 'ended') return undefined;
  return {
    leg: leg.leg,
    account: leg.account,
    mainAccount: leg.mainAccount,
    direction: leg.direction,
    owner: leg.owner,
    from: leg.from,
    to: leg.to,
    callerName: leg.callerName,
    phase: leg.phase,
    initiatedAt: leg.initiatedAt,
    answeredAt: leg.answeredAt,
    requestUuid: leg.requestUuid,
    parentLeg: leg.parentLeg,
    headers: leg.headers,
    isPrivate,
  };
}

function prefixed(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [`X-PH-${name}`, value]));
}
