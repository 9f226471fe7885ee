import type { Clock, Migration, Promised } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import type { RetainedRecords } from '../../kernel/retention.ts';
import { TakenOverSessions } from '../../kernel/taken-over-sessions.ts';
import { appRoutes } from './app-routes.ts';
import { createAppStore } from './app-store.ts';
import { createCheck, createStart } from './commands.ts';
import { fallBack } from './delivery/fall-back.ts';
import { createReceipts, type ReceiptDeps } from './delivery/receipts.ts';
import type { VerifySession } from './domain/session.ts';
import { createSessionHomes } from './home-queries.ts';
import { createLimiter } from './limits/limiter.ts';
import { verifyTables } from './migrations/0001-verify.ts';
import { lateChecks } from './migrations/0002-late-checks.ts';
import { sessionsByEnd } from './migrations/0003-sessions-by-end.ts';
import { verifyIncarnation } from './migrations/0004-incarnation.ts';
import { createProofs } from './proofs/proof.ts';
import { createQueries } from './queries.ts';
import { createRefusals } from './refusals.ts';
import { sessionRoutes } from './routes.ts';
import { searchVerifySessions } from './search-queries.ts';
import { defineSessions, type SessionDeps } from './sessions.ts';
import { verifyStatisticsRoute } from './statistics-routes.ts';
import {
  claimLeftSessions,
  leftSessions,
  passOnToMain,
  removeClosedSessions,
  removeOfAccount,
} from './store.ts';

export interface VerifyDeps extends Omit<SessionDeps, 'limiter' | 'receipts'> {
  readonly clock: Clock;
  /** Left out where one process owns the database. */
  readonly nodes?: NonNullable<ReceiptDeps['nodes']>;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'wake'>;
  readonly isDraining?: () => boolean;
  /** True for a disabled subaccount. */
  readonly isDisabled: (account: string) => Promised<boolean>;
  /** The issuer of receipts: the URL of the HTTP interface. */
  readonly publicUrl: string;
  /** How long sessions are kept after their end; for ever when left out. */
  readonly keepVerifySessionsMs?: number;
}

export interface VerifyFeature extends Feature {
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  /** Closed sessions, with their attempts. */
  readonly retained: RetainedRecords;
  /** Takes over its open sessions; resolves with their number. */
  endIncarnation(ended: EndedIncarnation): Promise<number>;
  restore(): Promise<void>;
  close(): void;
}

/** How often old windows of counters are removed. */
const sweepEveryMs = 3_600_000;

/** Verification of phone numbers by one-time codes. */
export function createVerify(deps: VerifyDeps): VerifyFeature {
  const { database, clock, log, secrets } = deps;
  const limiter = createLimiter(database);
  const apps = createAppStore(database, secrets);
  const reportRefusal = createRefusals(deps);
  const proofs = createProofs(deps);
  const receipts = createReceipts(deps, (session, input) => sessions.send(session, input));
  const takenOver = new TakenOverSessions<VerifySession>(database);
  const sessions = defineSessions({ ...deps, limiter, receipts }, (session, attempt) => {
    fallBack({ ...deps, limiter, reportRefusal, sessions }, session, attempt).catch((err: unknown) => {
      log.error({ err, session: session.uuid }, 'fallback call could not be placed');
    });
  });
  const queries = createQueries(database);
  const commands = { ...deps, apps, limiter, sessions, reportRefusal };
  let cancelSweep = () => {};

  function sweep(): void {
    limiter.sweep(clock.now()).catch((err: unknown) => {
      log.error({ err }, 'old counters of sends could not be removed');
    });
    cancelSweep = clock.startTimer(clock.now() + sweepEveryMs, sweep);
  }

  return {
    name: 'verify',
    migrations: [verifyTables, lateChecks, sessionsByEnd, verifyIncarnation],
    search: searchVerifySessions(database),
    homes: createSessionHomes(deps.database),
    routes: [
      {
        name: 'Verify',
        description: 'One-time codes that prove who holds a phone number, by message or call.',
        routes: [
          ...sessionRoutes({
            queries,
            start: createStart(commands),
            check: createCheck(commands),
            proofs,
          }),
          ...appRoutes({ database, apps, secrets }),
          verifyStatisticsRoute(database),
        ],
        open: [proofs.keys],
      },
    ],
    resources: {
      async remove(write, account) {
        await removeOfAccount(write, account);
      },
      passOn: passOnToMain,
    },
    retained: {
      name: 'Verify sessions',
      keepMs: deps.keepVerifySessionsMs,
      removeEnded: (endedBefore, limit) => removeClosedSessions(database, endedBefore, limit),
    },
    async endIncarnation({ number }) {
      const left = await takenOver.take({
        read: () => leftSessions(database, number),
        idOf: ({ uuid }) => uuid,
        resume(session) {
          // The clock may have been set back: no code lives longer than its expiry.
          const expiresAt = Math.min(
            session.expiresAt,
            clock.wallNow() + session.expiresAt - session.createdAt,
          );
          sessions.resume(session.uuid, { ...session, expiresAt }, { type: 'process-restarted' });
        },
        claim: (write) => claimLeftSessions(write, number, deps.runner.incarnation),
      });
      return left.length;
    },
    async restore() {
      sweep();
    },
    close() {
      cancelSweep();
      receipts.close();
    },
  };
}
