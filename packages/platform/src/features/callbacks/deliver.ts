import type { CallbackTarget } from '../../kernel/machine.ts';
import type { Deliver, DeliveryOutcome } from '../../kernel/outbox-pump.ts';
import type { StoredEvent } from '../../kernel/outbox-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Database } from '../../ports/database.ts';
import type { Egress } from '../../ports/egress.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { isSilent, judgeAttempt } from './domain/delivery-outcome.ts';
import { type DeliverySettings, parseDeliverySettings } from './domain/delivery-settings.ts';
import type { HostSlots } from './domain/host-slots.ts';
import { type SignedRequest, signRequest } from './signed-request.ts';
import { attemptsOf, saveAttempt } from './store.ts';

export interface DeliverDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Pick<Secrets, 'sign' | 'randomBytes'>;
  readonly egress: Egress;
  readonly authTokenOf: (authId: string) => Promise<string | undefined>;
  /** Of the signature headers, e.g. `X-Service-`. */
  readonly prefixes: readonly string[];
  /** Of a receiver's answer, which nobody reads. */
  readonly maxBodyBytes: number;
  readonly slots: HostSlots;
  /** Gives up what is on its way; it is sent again after the next start. */
  readonly stop: AbortSignal;
}

/** One attempt at one event: signed, sent, written into the log; then the outbox hears what follows. */
export function createDeliver(deps: DeliverDeps): Deliver {
  return async (event) => {
    const { callback } = event;
    if (callback === undefined) return 'delivered';
    const settings = parseDeliverySettings(callback.url);
    const host = hostOf(settings.url);
    const slot = deps.slots.take(host, deps.clock.now());
    if (!slot.taken) return { retryAt: slot.at, isAttempt: false };
    let wasSilent = false;
    try {
      return await attempt(deps, event, callback, settings, (silent) => {
        wasSilent = silent;
      });
    } finally {
      deps.slots.free(host, wasSilent);
    }
  };
}

async function attempt(
  deps: DeliverDeps,
  event: StoredEvent,
  callback: CallbackTarget,
  settings: DeliverySettings,
  heard: (wasSilent: boolean) => void,
): Promise<DeliveryOutcome> {
  const { database, clock, log, egress, maxBodyBytes, stop } = deps;
  const { connectMs, readMs, totalMs } = settings;
  const { method } = callback;
  const mainToken = await deps.authTokenOf(callback.mainAccount);
  if (mainToken === undefined) {
    log.warn({ event: event.eventId, account: event.account }, 'An event of an account that is gone.');
    return 'abandoned';
  }
  // Whose subaccount is gone has its last events signed by the main account alone.
  const token = (await deps.authTokenOf(event.account)) ?? mainToken;
  const fields = fieldsOf(event.payload);
  const eventId = callback.replay?.eventId ?? event.eventId;
  const request = signRequest(deps.secrets, deps.prefixes, {
    url: settings.url,
    method,
    fields,
    eventId,
    token,
    mainToken,
  });

  const sentAt = clock.now();
  const { url, headers, body } = request;
  const timeouts = { connectMs, readMs, totalMs };
  const outcome = await egress.send({ url, method, headers, body, timeouts, maxBodyBytes, signal: stop });
  const now = clock.now();
  if ('problem' in outcome && outcome.problem.kind === 'aborted') return { retryAt: now, isAttempt: false };
  heard(isSilent(outcome));

  const callbackId = callback.replay?.callbackId ?? event.eventId;
  // Only an attempt whose outcome was recorded counts: a process that dies in the middle of one takes none away.
  const attempts = (event.attempts === 1 ? 0 : await attemptsOf(database, callbackId)) + 1;
  const verdict = judgeAttempt(outcome, settings, attempts, now);
  await saveAttempt(database, {
    callback_id: callbackId,
    event_id: eventId,
    account: event.account,
    main_account: callback.mainAccount,
    resource: callback.replay?.resource ?? event.resource,
    event_type: event.type,
    url: callback.url,
    method,
    fields: JSON.stringify(fields),
    ...logged(request),
    status: verdict.status,
    attempts,
    response_status: verdict.responseStatus,
    problem: verdict.problem,
    duration_ms: now - sentAt,
    created_at: event.createdAt,
    last_attempt_at: sentAt,
    next_attempt_at: verdict.nextAttemptAt,
  });
  if (verdict.nextAttemptAt !== null) return { retryAt: verdict.nextAttemptAt, isAttempt: true };
  return verdict.status === 'delivered' ? 'delivered' : 'abandoned';
}

function logged({ headers, signedV2, signedV3 }: SignedRequest) {
  return { headers: JSON.stringify(headers), signed_v2: signedV2, signed_v3: signedV3 };
}

/** A form knows texts only. */
function fieldsOf(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(payload)) {
    if (value === undefined || value === null) continue;
    fields[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return fields;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
