import {
  type AudioStreams,
  type Clock,
  callEnds,
  type Database,
  type Logger,
  type Media,
  type Metrics,
  type Migration,
  type NumberRoutes,
  type OwnNumbers,
  type Registrations,
  type Telephony,
} from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RequestAccount, RouteGroup } from '../../http/index.ts';
import { createAppendAlone } from '../../kernel/append-alone.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import type { RetainedRecords } from '../../kernel/retention.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import type { Usage } from '../usage/index.ts';
import type { CallLeg } from './domain/call-leg.ts';
import { createCallHomes } from './home-queries.ts';
import { type CallStep, type CallSteps, createCallSteps } from './legs/call-steps.ts';
import { createDialledLegs } from './legs/dialled-legs.ts';
import { createDialling, rateOfDialled } from './legs/dialling.ts';
import { createDirectCalls } from './legs/direct-calls.ts';
import { createEndedLegs } from './legs/ended-legs.ts';
import { createLaterCalls } from './legs/later-calls.ts';
import { createLegOrders } from './legs/leg-orders.ts';
import { createLegOwners } from './legs/leg-owners.ts';
import { createLiveLegs } from './legs/live-legs.ts';
import { rememberMainAccounts } from './legs/main-accounts.ts';
import { listenToLegs } from './legs/notices.ts';
import { createOffers, type OffersDeps } from './legs/offers.ts';
import type { ReportOrphan } from './legs/orphaned-legs.ts';
import { parametersOfCall } from './legs/parameters.ts';
import { createPendingAnswers } from './legs/pending-answers.ts';
import { createRouting } from './legs/routing.ts';
import { createTransfers } from './legs/transfers.ts';
import { createLiveCalls } from './live-queries.ts';
import { callsTable } from './migrations/0001-calls.ts';
import { callRecords } from './migrations/0002-call-records.ts';
import { callFilters } from './migrations/0003-call-filters.ts';
import { trunkCalls } from './migrations/0004-trunk-calls.ts';
import { callQuality } from './migrations/0005-call-quality.ts';
import { hangupReason } from './migrations/0006-hangup-reason.ts';
import { callsByEnd } from './migrations/0007-calls-by-end.ts';
import { callTimeLimit } from './migrations/0008-time-limit.ts';
import { clientQuality } from './migrations/0009-client-quality.ts';
import { callIncarnation } from './migrations/0010-incarnation.ts';
import { callDialog } from './migrations/0011-dialog.ts';
import { callHeaders } from './migrations/0012-headers.ts';
import { createLegsOfNodes } from './nodes/legs-of-nodes.ts';
import type { CallsOverNodes } from './nodes/other-nodes.ts';
import type { Calls } from './public-api.ts';
import { createCallQueries } from './queries.ts';
import { createClientQualities } from './records/client-qualities.ts';
import { callRoutes } from './routes.ts';
import { searchCalls } from './search-queries.ts';
import { defineSessions } from './sessions.ts';
import { type CallStore, createCallStore } from './store.ts';
import { trunkCallRoutes } from './trunk-call-routes.ts';

export interface CallsDeps {
  readonly runner: SessionRunner;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telephony: Telephony;
  readonly media: Media;
  readonly metrics?: Pick<Metrics, 'count' | 'observe'>;
  /** Gets the keys that come in signalling; streams hear the others in the audio. */
  readonly audioStreams?: Pick<AudioStreams, 'press'>;
  readonly registrations: Registrations;
  readonly numbers: NumberRoutes;
  /** Numbers that lead to telephone systems of customers; they precede `numbers`. */
  readonly ownNumbers?: OwnNumbers;
  readonly usage: Usage;
  /** SIP domains that we serve, lower case; the first is the realm. */
  readonly domains: readonly string[];
  readonly newUuid: () => string;
  /** True when resources of `account` belong to `owner`: itself, or a subaccount of it. */
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
  /** The account itself, or the main account of a subaccount; undefined for an account that is gone. */
  readonly mainAccountOf: (account: string) => Promise<string | undefined>;
  /** The account of a call that another one than its caller's answers; every call belongs to its caller when left out. */
  readonly answeringAccount?: OffersDeps['answeringAccount'];
  /** Whether the endpoint with this SIP user may transfer its call to a number; every endpoint may when left out. */
  readonly mayDial?: (user: string, number: string) => Promise<boolean>;
  /** The account of the endpoint with this SIP user, disabled or not; undefined without one. */
  readonly accountOfUser: (user: string) => Promise<string | undefined>;
  /** Gets the events of legs that a crash has ended, in the transaction that records it. */
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
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
  clientQuality,
  callIncarnation,
  callDialog,
  callHeaders,
];

export interface CallsFeature extends Feature, Calls {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  /** What becomes of the records of a subaccount that is deleted; for the accounts feature. */
  readonly resources: AccountResources;
  /** True for a live or ended call that the viewer may see. */
  isKnown(viewer: RequestAccount, call: string): Promise<boolean>;
  readonly retained: RetainedRecords;
  readonly overNodes: CallsOverNodes;
  /** Live calls of a viewer, in the order of their UUIDs, behind `after`. */
  readonly live: ReturnType<typeof createLiveCalls>;
  /** Live calls of a viewer, at most 100,000. */
  countLive(viewer: RequestAccount): Promise<number>;
  /** Calls `listener` with each call that began, was answered or ended, after the commit. */
  whenStepped(listener: (step: CallStep) => void): void;
  /** Ends the records of legs that lived there, as of its death. */
  endIncarnation(ended: EndedIncarnation): Promise<number>;
}

/** Every leg of every call: recorded, dialled, reported to its owner. */
export function createCalls(deps: CallsDeps): CallsFeature {
  const { usage } = deps;
  const owners = createLegOwners();
  const dialled = createDialledLegs();
  const ended = createEndedLegs();
  ended.whenOver(dialled.remove);
  const store = createCallStore(deps.database, usage);
  const queries = createCallQueries(deps.database);
  const later = createLaterCalls();
  const { homes, homeOf } = createCallHomes(deps.database, later);
  const steps = createCallSteps();
  const parts = { ...owners, ...ended, ended: steps.ended, store, routing: createRouting(deps) };
  const legs = steps.reportingBegins(defineSessions(deps, parts));
  steps.reportAnswers(owners, legs);
  const { peek, partnerOf, partnerAmong } = createLiveLegs(legs, owners, dialled);
  const isHere = (leg: string) => legs.peek(leg) !== undefined;
  const orders = createLegOrders(legs, owners);
  const dial = createDialling({ ...deps, appendAlone: createAppendAlone(deps) }, legs, dialled);
  const nodes = createLegsOfNodes({ peek, ...orders });
  const direct = createDirectCalls({ ...deps, ...orders, ...nodes.legs, dial });
  owners.ownedBy(direct.ownerKind, direct.notify, direct.conversations, direct.whenHandled);
  const transfers = createTransfers({
    ...deps,
    ...owners,
    ...nodes.legs,
    ...createPendingAnswers({ ...deps, ...owners, ...ended, legs, partnerOf }),
    isHere,
    reach: nodes.reach,
    partnerOf: (leg) => partnerAmong(nodes.legs, leg),
    dial,
    adopt: direct.adopt,
    mayDial: deps.mayDial ?? (async () => true),
  });
  // The phone gets the success of its transfer before its own leg is hung up for it.
  owners.observe((notice) => transfers.observed(notice));
  ended.whenOver((leg) => transfers.over(leg));
  const offers = createOffers({
    ...deps,
    legs,
    direct,
    transfers,
    over: ended.over,
    answer: orders.answer,
    mainAccountOf: rememberMainAccounts(deps.mainAccountOf),
  });
  listenToLegs(deps, legs, offers, orders.hangUp);
  const clientQualities = createClientQualities(deps);
  ended.whenOver(clientQualities.forget);

  return {
    name: 'calls',
    migrations: callMigrations,
    routes: [
      callRoutes({ hangUp: orders.hangUp, isHere, later }, queries, clientQualities),
      trunkCallRoutes(deps.database, deps.domains[0] ?? ''),
    ],
    homes,
    resources: resourcesOf(deps, store, isHere, orders.hangUp),
    overNodes: transfers.overNodes,
    live: createLiveCalls(deps.database),
    search: searchCalls(deps.database),
    countLive: queries.countLive,
    whenStepped: steps.whenStepped,
    isKnown: async (viewer, call) => (await queries.find(viewer, call)) !== undefined,
    retained: { name: 'calls', keepMs: deps.keepCallsMs, removeEnded: store.removeEnded },
    ...endsOfForgotten(deps, store, endOfOrphan(deps, steps)),
    ownedBy: owners.ownedBy,
    offeredTo: offers.offeredTo,
    dialledLaterBy: later.add,
    dial,
    rateOfDialled: (to) => rateOfDialled(deps, to),
    ...orders,
    peek,
    homeOf,
    partnerOf,
    whenAnswered(listener) {
      owners.observe(({ type, leg }) => type === 'leg-answered' && listener(leg));
    },
    whenOver: ended.whenOver,
    parametersOf(leg) {
      const { rate, parentRequestUuid } = legs.peek(leg.leg) ?? {
        rate: leg.rate ?? usage.rateOf(leg.direction, leg.direction === 'inbound' ? 'sip' : leg.to),
        parentRequestUuid: leg.parentLeg ?? leg.requestUuid,
      };
      return parametersOfCall({ ...leg, rate, parentRequestUuid }, leg);
    },
  };
}

function endsOfForgotten(
  { outbox }: Pick<CallsDeps, 'outbox'>,
  store: Pick<CallStore, 'endForgotten'>,
  ended: (leg: CallLeg) => void,
): Pick<CallsFeature, 'endIncarnation' | 'orphansReportedBy'> {
  let reportOrphan: ReportOrphan | undefined;
  return {
    endIncarnation: (incarnation) =>
      store.endForgotten(incarnation, {
        appendEvents: outbox.appendEvents,
        reportOrphan: async (write, orphan) => reportOrphan?.(write, orphan),
        ended,
      }),
    orphansReportedBy(report) {
      reportOrphan = report;
    },
  };
}

/** The process of a leg has died, and its record has ended: its phone hears silence until it is hung up. */
function endOfOrphan({ telephony }: Pick<CallsDeps, 'telephony'>, { ended }: Pick<CallSteps, 'ended'>) {
  return (leg: CallLeg): void => {
    ended(leg);
    if (leg.dialog !== null) telephony.endDialog?.(leg.dialog);
  };
}

/** What becomes of the calls of a subaccount that is deleted. */
function resourcesOf(
  { runner }: Pick<CallsDeps, 'runner'>,
  store: CallStore,
  isHere: (leg: string) => boolean,
  hangUp: Calls['hangUp'],
): AccountResources {
  return {
    remove: store.removeOf,
    passOn: store.passOn,
    async endLive(account) {
      for (const leg of await store.liveOf(account))
        if (isHere(leg)) hangUp(leg, callEnds(4000, 'API Request'));
    },
    liveSubaccounts: () => store.liveSubaccounts(runner.incarnation),
  };
}
