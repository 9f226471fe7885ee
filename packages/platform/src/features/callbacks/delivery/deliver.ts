import type { CallTracing, Clock, Egress, EgressOutcome, EgressRequest, Logger } from '@jackfield/ports';
import type { CallbackTarget, OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { Outbox } from '../../../kernel/outbox.ts';
import type { DeliveryOutcome, OutboxConsumer } from '../../../kernel/outbox-consumer.ts';
import type { StoredEvent } from '../../../kernel/outbox-store.ts';
import { withoutSecrets } from '../../../kernel/shown-url.ts';
import { type DeliveryVerdict, isSilent, judgeAttempt } from '../domain/delivery-outcome.ts';
import { type DeliverySettings, parseDeliverySettings } from '../domain/delivery-settings.ts';
import type { SharedSlots } from '../domain/shared-slots.ts';
import { deliveryEvent } from '../events.ts';
import { type CallbackAttempt, type CallbackStore, waitingRow } from '../store.ts';
import { fieldsOf } from './fields.ts';
import type { SignRequest } from './signed-request.ts';

export interface DeliverDeps {
  readonly store: CallbackStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly egress: Egress;
  readonly sign: SignRequest;
  readonly outbox: Pick<Outbox, 'appendEvents' | 'resume' | 'wake'>;
  /** Of a receiver's answer, which is not used. */
  readonly maxBodyBytes: number;
  /** A pool for each host, with a lane for each account. */
  readonly ofHosts: SharedSlots;
  /** One pool, with a lane for each account. */
  readonly ofAccounts: SharedSlots;
  /** Receives each attempt at a callback about a call. */
  readonly tracing?: Pick<CallTracing, 'happened'>;
  /** Cuts deliveries in flight; they are sent again after the next start. */
  readonly stop: AbortSignal;
  /** The outbox is closed: no more events are resumed. */
  readonly hasEnded: () => boolean;
}

/** One attempt at one event: signed, sent, judged. Its record is written in the transaction of the outbox's outcome. */
export function createConsumer(deps: DeliverDeps): OutboxConsumer {
  const { ofHosts, ofAccounts, outbox, log } = deps;

  function free(slots: SharedSlots, { pool, name }: Lane, wasSilent?: boolean): void {
    for (const { lane, slots: freed } of slots.free(pool, name, wasSilent)) {
      if (deps.hasEnded()) continue;
      outbox.resume(lane, freed).then(
        (resumed) => {
          if (resumed === freed) slots.moreWait(pool, lane);
        },
        (err: unknown) => log.error({ err, lane }, 'callbacks that wait for a slot not resumed'),
      );
    }
  }

  return {
    admit({ callback, account }) {
      if (callback === undefined) return undefined;
      const [ofAccount, ofHost] = [accountLane(account), hostLane(account, callback)];
      const accountHasSlot = ofAccounts.take(ofAccount.pool, ofAccount.name);
      const hostHasSlot = ofHosts.take(ofHost.pool, ofHost.name);
      if (accountHasSlot && hostHasSlot) return undefined;
      // The slot goes to the next event that waits there: this one may wait for long at the other lane.
      if (accountHasSlot) free(ofAccounts, ofAccount);
      if (hostHasSlot) free(ofHosts, ofHost);
      return accountHasSlot ? ofHost.name : ofAccount.name;
    },
    async deliver(event) {
      const { callback, account } = event;
      if (callback === undefined) return 'delivered';
      const request: SentRequest = { wasSilent: false };
      try {
        return await attempt(deps, event, callback, request);
      } finally {
        const freed = () => {
          // Retries of unordered events have fixed times: a receiver that hangs must not defer those of other resources.
          free(ofHosts, hostLane(account, callback), request.wasSilent && callback.isUnordered !== true);
          free(ofAccounts, accountLane(account));
        };
        // The body of an answer that is judged already holds the slots as well.
        if (request.rest === undefined) freed();
        else void request.rest.then(freed);
      }
    },
  };
}

/** What is known of a request besides its outcome. */
interface SentRequest {
  wasSilent: boolean;
  /** The body that is still being read when the status has decided; never rejects. */
  rest?: Promise<unknown>;
}

async function attempt(
  deps: DeliverDeps,
  event: StoredEvent,
  callback: CallbackTarget,
  sent: SentRequest,
): Promise<DeliveryOutcome> {
  const { store, clock, outbox } = deps;
  const settings = parseDeliverySettings(callback.url);
  const { method } = callback;
  const { account, mainAccount } = event;
  const waiting = waitingRow(event, callback);
  const fields = fieldsOf(event.payload);
  const eventId = waiting.event_id;
  const request = await deps.sign({ url: callback.url, method, fields, eventId, account, mainAccount });
  if (request === undefined) {
    deps.log.warn({ event: event.eventId, account }, 'callback abandoned: its account is gone');
    return 'abandoned';
  }

  const sentAt = clock.now();
  const sentOn = clock.wallNow();
  const { url, headers, body } = request;
  const timeouts = timeoutsOf(settings);
  const outcome = await statusOf(deps, { url, method, headers, body, timeouts }, sent);
  const now = clock.now();
  if ('problem' in outcome && outcome.problem.kind === 'aborted') return { retryAt: now, isAttempt: false };
  sent.wasSilent = isSilent(outcome);

  // Only attempts with a recorded outcome count: a process that dies during an attempt uses none up.
  const before = event.attempts === 1 ? [] : await store.attemptsOf(waiting.callback_id);
  const attempts = before.length + 1;
  const verdict = judgeAttempt(outcome, settings, attempts, { sentAt, now }, callback.schedule);
  const { problem, responseStatus } = verdict;
  const durationMs = now - sentAt;
  const result = responseStatus === null ? { problem } : { status: responseStatus };
  const call = callOf(event);
  const of = call === undefined ? { account } : { leg: call, account };
  const about = { event: event.type, method, url: withoutSecrets(url) };
  deps.log.debug({ ...of, ...about, ...result, durationMs }, 'callback sent');
  traceAttempt(deps.tracing, event, about, { durationMs, ...verdict });
  const made = {
    at: sentOn,
    status: verdict.responseStatus,
    duration: now - sentAt,
    problem: verdict.problem,
    problem_code: verdict.problemCode,
  };
  const row = {
    ...waiting,
    headers: JSON.stringify(headers),
    signed_v2: request.signedV2,
    signed_v3: request.signedV3,
    status: verdict.status,
    attempts,
    attempt_log: JSON.stringify([...before, made] satisfies CallbackAttempt[]),
    response_status: verdict.responseStatus,
    problem: verdict.problem,
    problem_code: verdict.problemCode,
    duration_ms: now - sentAt,
    last_attempt_at: sentOn,
    next_attempt_at: verdict.nextAttemptAt === null ? null : verdict.nextAttemptAt - now + clock.wallNow(),
  };
  const events: OutboxEvent[] = [deliveryEvent(event, row)];
  return outcomeOf(verdict, async (write) => {
    await store.save(write, row);
    await outbox.appendEvents(write, events);
  });
}

/** Settles at the head of the answer: nothing is read in its body, and one without an end would delay the next event of the resource. */
async function statusOf(
  { egress, maxBodyBytes, stop }: DeliverDeps,
  request: Pick<EgressRequest, 'url' | 'method' | 'headers' | 'body' | 'timeouts'>,
  sent: SentRequest,
): Promise<EgressOutcome> {
  return new Promise((settle) => {
    const onStatus = (status: number) => settle({ status, headers: {}, body: noBody });
    sent.rest = egress.send({ ...request, maxBodyBytes, signal: stop, onStatus }).then(settle);
  });
}

const noBody = new Uint8Array(0);

/** The call that an event is about. */
function callOf({ resource }: Pick<StoredEvent, 'resource'>): string | undefined {
  return /^call\/([^/]+)$/.exec(resource)?.[1];
}

function traceAttempt(
  tracing: DeliverDeps['tracing'],
  event: StoredEvent,
  { method, url }: { readonly method: string; readonly url: string },
  {
    durationMs,
    responseStatus,
    problem,
  }: Pick<DeliveryVerdict, 'responseStatus' | 'problem'> & { readonly durationMs: number },
): void {
  const call = callOf(event);
  if (tracing === undefined || call === undefined) return;
  const answered = responseStatus === null ? {} : { 'http.response.status_code': responseStatus };
  tracing.happened(call, 'callback', {
    durationMs,
    attributes: {
      'jackfield.event': event.type,
      'http.request.method': method,
      'url.full': url,
      ...answered,
    },
    ...(problem === null ? {} : { problem }),
  });
}

function outcomeOf(
  { status, nextAttemptAt }: DeliveryVerdict,
  save: NonNullable<Extract<DeliveryOutcome, { finished: unknown }>['save']>,
): DeliveryOutcome {
  if (nextAttemptAt !== null) return { retryAt: nextAttemptAt, isAttempt: true, save };
  return { finished: status === 'delivered' ? 'delivered' : 'abandoned', save };
}

function timeoutsOf({ connectMs, readMs, totalMs }: DeliverySettings) {
  return { connectMs, readMs, totalMs };
}

/** A lane of `SharedSlots`; its name, under which events wait in the outbox, is that of no lane of another pool. */
interface Lane {
  readonly pool: string;
  readonly name: string;
}

/** The account at the host: accounts may share a host. Unordered events have slots of their own, so that neither kind waits for the other. */
function hostLane(account: string, { url, isUnordered }: CallbackTarget): Lane {
  const host = URL.canParse(url) ? new URL(url).host : '';
  const pool = isUnordered === true ? `${host} unordered` : host;
  return { pool, name: `${account} at ${pool}` };
}

/** The account or subaccount, whatever its hosts: names of hosts cost an attacker nothing. */
function accountLane(account: string): Lane {
  return { pool: 'accounts', name: `account ${account}` };
}
