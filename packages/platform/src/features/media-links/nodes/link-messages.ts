import { BusError, jsonBody, type Logger, readJsonBody } from '@jackfield/ports';
import type { ClusterNodes } from '../../../kernel/cluster-nodes.ts';
import type { Problem } from '../../../kernel/problem.ts';
import type { Result } from '../../../kernel/result.ts';
import type { LiveLeg } from '../../calls/index.ts';
import type { LinkAudio, LinkTerms } from '../audio/link-audio.ts';
import type { OrderOfLeg, OrderOfRoom, OrderOutcome } from '../domain/link-orders.ts';
import type { Admitted, ClaimedLeg } from '../public-api.ts';

/** To the home of a conversation; without `arrival` the order brings no leg. */
export interface JoinMessage {
  readonly order: object;
  readonly arrival?: Arrival;
}

export interface Arrival {
  readonly link: string;
  readonly leg: LiveLeg;
  readonly mix: string;
  readonly audio: LinkAudio;
  readonly terms: LinkTerms;
}

export type JoinAnswer<What> =
  | { readonly outcome: 'admitted'; readonly admitted: What; readonly audio?: LinkAudio }
  | { readonly outcome: 'refused'; readonly problem: Problem }
  | { readonly outcome: 'not-there' };

/** To the home of a leg, which joins it to a conversation of the sender. */
export interface ClaimMessage {
  readonly order: object;
  readonly viewer: string;
  readonly leg: string;
  readonly mix: string;
  readonly exitDocument: object | null;
}

export type ClaimAnswer = Result<ClaimedLeg>;

interface OrderMessage {
  readonly link: string;
  readonly side: 'leg' | 'room';
  readonly number: number;
  readonly order: OrderOfLeg | OrderOfRoom;
}

/** Undefined: the link is unknown. */
interface OrderAnswer {
  readonly done?: boolean;
}

/** How one side of a link carries out an order of the other; undefined for a link that is not there. */
export interface OrderReceivers {
  fromLeg(link: string, number: number, order: OrderOfLeg, from: string): Promise<boolean | undefined>;
  fromRoom(link: string, number: number, order: OrderOfRoom, from: string): Promise<boolean | undefined>;
}

const joins = 'media-link-join';
const claims = 'media-link-claim';
const orders = 'media-link-order';
/** A document waits for it. */
const joinDeadlineMs = 5_000;
/** With the join that it causes. */
const claimDeadlineMs = 8_000;
/** An order without an acknowledgement is repeated. */
const orderDeadlineMs = 2_000;

/** The messages of links between the nodes. */
export function createLinkMessages({ request, serve }: Pick<ClusterNodes, 'request' | 'serve'>, log: Logger) {
  return {
    /** Rejects with a `BusError`. */
    async join(node: string, message: JoinMessage): Promise<JoinAnswer<Admitted>> {
      return readJsonBody(await request(node, joins, jsonBody(message), joinDeadlineMs));
    },
    serveJoins(admit: (message: JoinMessage, from: string) => Promise<JoinAnswer<Admitted>>): void {
      serve(joins, async (body, from) => jsonBody(await admit(readJsonBody(body), from)));
    },
    /** Rejects with a `BusError`. */
    async claim(node: string, message: ClaimMessage): Promise<ClaimAnswer> {
      return readJsonBody(await request(node, claims, jsonBody(message), claimDeadlineMs));
    },
    serveClaims(give: (message: ClaimMessage, from: string) => Promise<ClaimAnswer>): void {
      serve(claims, async (body, from) => jsonBody(await give(readJsonBody(body), from)));
    },
    /** What became of the order; never rejects, because a node that cannot be reached is no end of a link. */
    async send(node: string, message: OrderMessage): Promise<OrderOutcome> {
      try {
        const body = await request(node, orders, jsonBody(message), orderDeadlineMs);
        const { done } = readJsonBody<OrderAnswer>(body);
        if (done === undefined) return { type: 'unknown-there' };
        return done ? { type: 'acknowledged', number: message.number } : { type: 'not-acknowledged' };
      } catch (err) {
        const { link, side } = message;
        if (!(err instanceof BusError)) log.error({ link, side, err }, 'order of a media link not sent');
        return { type: 'not-acknowledged' };
      }
    },
    serveOrders({ fromLeg, fromRoom }: OrderReceivers): void {
      serve(orders, async (body, from) => {
        const { link, side, number, order } = readJsonBody<OrderMessage>(body);
        const done =
          side === 'leg'
            ? await fromLeg(link, number, order as OrderOfLeg, from)
            : await fromRoom(link, number, order as OrderOfRoom, from);
        return jsonBody<OrderAnswer>(done === undefined ? {} : { done });
      });
    },
  };
}

export type LinkMessages = ReturnType<typeof createLinkMessages>;
