import {
  BusError,
  type Clock,
  jsonBody,
  type Logger,
  readJsonBody,
  type SmsOrder,
  type SmsOutcome,
} from '@jackfield/ports';
import type { ClusterNodes } from '../../../kernel/cluster-nodes.ts';
import { tokenOf } from '../../../kernel/incarnation.ts';
import type { SingletonRoles } from '../../../kernel/singleton-roles.ts';
import type { MessageGateway } from '../domain/gateway.ts';
import { passedOn, type SendThrough } from './capped-sends.ts';
import type { LinkedGateway } from './linked-gateway.ts';

export interface SessionHoldersDeps {
  readonly gateways: readonly LinkedGateway[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly roles: Pick<SingletonRoles, 'take' | 'holds' | 'holderOf'>;
  readonly incarnation: { readonly number: number };
  /** Left out where one process owns the database. */
  readonly nodes?: Pick<ClusterNodes, 'request' | 'serve'>;
}

/** Sessions with gateways. Each is bound by one of the nodes that share a database, and all send through it. */
export interface SessionHolders {
  readonly sendThrough: SendThrough;
  /** False while the session of the gateway is that of another node. */
  holds(gateway: string): boolean;
  /** Begins to bind what no other node has bound. */
  open(): void;
  /** Orders that look for a node are refused. */
  close(): void;
}

/** How long an order looks for a node that has the session: longer than a dead node stays without a successor. */
const lookMs = 20_000;
const lookAgainMs = 500;
const deadlineMs = 10_000;
/** The rest of the deadline is for the way back. */
const settleMs = 9_000;
const subject = 'gateway-order';
const noAnswer = 'no-answer';

interface HandedOrder {
  readonly gateway: string;
  readonly price?: number;
  readonly order: Omit<SmsOrder, 'validUntil' | 'settleBy'>;
  /** The clocks of two nodes differ. */
  readonly validMs: number;
}

/** `held` is false where the other node has no session with the gateway: nothing has been sent. */
type HandedOutcome = { readonly held: false } | { readonly held: true; readonly outcome: SmsOutcome };

export function createSessionHolders(deps: SessionHoldersDeps, sendHere: SendThrough): SessionHolders {
  const { gateways, clock, log, roles, incarnation, nodes } = deps;
  const byName = new Map(gateways.map((each) => [each.gateway.name, each]));
  const holds = (gateway: string) => roles.holds(roleOf(gateway));
  let isClosed = false;

  nodes?.serve(subject, async (body) => {
    const { gateway, price, order, validMs } = readJsonBody<HandedOrder>(body);
    const known = byName.get(gateway);
    if (known?.session === undefined || !holds(gateway)) return jsonBody<HandedOutcome>({ held: false });
    const now = clock.now();
    const limited = { ...order, validUntil: now + validMs, settleBy: now + settleMs };
    const outcome = await sendHere(known.gateway, price, limited);
    return jsonBody<HandedOutcome>(hasBeenLeft(gateway, outcome) ? { held: false } : { held: true, outcome });
  });

  /** The session went to another node before the message was submitted. */
  function hasBeenLeft(gateway: string, outcome: SmsOutcome): boolean {
    return !holds(gateway) && !outcome.accepted && outcome.gatewayFailed === true && !outcome.mayHaveGone;
  }

  /** Undefined: no node has sent anything. */
  async function sendOnce(
    gateway: MessageGateway,
    price: number | undefined,
    order: SmsOrder,
  ): Promise<SmsOutcome | undefined> {
    const { name } = gateway;
    if (holds(name)) {
      const outcome = await sendHere(gateway, price, order);
      return hasBeenLeft(name, outcome) ? undefined : outcome;
    }
    const holder = await otherHolder(name);
    return holder === undefined ? undefined : handOver(holder, gateway, price, order);
  }

  async function otherHolder(gateway: string): Promise<string | undefined> {
    try {
      const holder = await roles.holderOf(roleOf(gateway));
      return holder === undefined || holder === incarnation.number ? undefined : tokenOf(holder);
    } catch (err) {
      log.warn({ err, gateway }, 'node of a gateway could not be read; retried in a moment');
      return undefined;
    }
  }

  async function handOver(
    holder: string,
    { name }: MessageGateway,
    price: number | undefined,
    { validUntil, settleBy: _, ...order }: SmsOrder,
  ): Promise<SmsOutcome | undefined> {
    const priced = price === undefined ? {} : { price };
    const body = jsonBody<HandedOrder>({
      gateway: name,
      ...priced,
      order,
      validMs: validUntil - clock.now(),
    });
    try {
      const answer = await nodes?.request(holder, subject, body, deadlineMs);
      const read = answer && readJsonBody<HandedOutcome>(answer);
      return read?.held ? read.outcome : undefined;
    } catch (err) {
      if (err instanceof BusError && err.code !== 'bus-no-answer') return undefined;
      log.warn({ err, gateway: name, order: order.id }, 'node of a gateway has not answered for a message');
      return { accepted: false, errorCode: noAnswer, gatewayFailed: true, mayHaveGone: true };
    }
  }

  return {
    holds,
    async sendThrough(gateway, price, order) {
      if (byName.get(gateway.name)?.session === undefined) return sendHere(gateway, price, order);
      const until = Math.min(clock.now() + lookMs, order.validUntil);
      let last: SmsOutcome = passedOn('unreachable');
      for (;;) {
        const outcome = await sendOnce(gateway, price, order);
        // A copy of a message whose outcome is not known does no harm: it has the same code.
        if (outcome !== undefined && !(isWithoutAnswer(outcome) && clock.now() < until)) return outcome;
        last = outcome ?? last;
        if (isClosed || clock.now() + lookAgainMs > until) return last;
        await new Promise<void>((resolve) => void clock.startTimer(clock.now() + lookAgainMs, resolve));
      }
    },
    open() {
      for (const { gateway, session } of gateways)
        if (session !== undefined)
          roles.take(roleOf(gateway.name), { begin: () => session.bind(), end: () => session.unbind() });
    },
    close() {
      isClosed = true;
    },
  };
}

function isWithoutAnswer(outcome: SmsOutcome): boolean {
  return !outcome.accepted && outcome.errorCode === noAnswer;
}

function roleOf(gateway: string): string {
  return `session with gateway ${gateway}`;
}
