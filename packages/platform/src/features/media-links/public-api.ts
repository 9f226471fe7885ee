import type { Result } from '../../kernel/result.ts';
import type { Calls, LegOwner } from '../calls/index.ts';

/** Legs in conversations of other nodes (docs/operate/cluster.md). */
export interface MediaLinks {
  /** Calls as an owner of conversations sees them: with the legs of other nodes that this node has borrowed. */
  readonly calls: Calls;
  /** Absent where one process owns the database. */
  readonly elsewhere?: Elsewhere;
}

/** Conversations at other nodes. */
export interface Elsewhere {
  /** Admits what other nodes ask for; set once, before the node joins the others. */
  admitBy(conversations: Conversations): void;
  /**
   * Asks the home of a conversation to admit a leg of this node, which is lent from then on, and returned as by `Calls`. `not-there`: the
   * conversation is no longer at that node, and nothing has been changed.
   */
  join(request: JoinRequest): Promise<Result<Admitted> | 'not-there'>;
  /**
   * Asks the home of an answered leg to join it to a conversation of this node for good, as by `Calls.take`. This node gets the order back
   * for `admit`, before the promise resolves.
   */
  claim(request: ClaimRequest): Promise<Result<ClaimedLeg>>;
  /** Lets go of a taken leg of another node, whose home runs the document on it; false for a leg of this node. */
  runDocument(leg: string, document: object): boolean;
}

export interface JoinRequest {
  /** Plain data, for `admit`. */
  readonly order: object;
  /** Absent for an order that brings no leg of this node. */
  readonly leg?: string;
  /** The incarnation in which the conversation lives. */
  readonly home: number;
  /** The mix of the conversation. */
  readonly mix: string;
}

export interface ClaimRequest {
  /** Plain data, for `admit`. */
  readonly order: object;
  /** The account that sees the call. */
  readonly viewer: string;
  readonly leg: string;
  /** The incarnation in which the leg lives. */
  readonly home: number;
  /** The mix of the conversation. */
  readonly mix: string;
  /** Without its fields, for `runDocument` of {@link Conversations} when this node is lost. */
  readonly exitDocument: object | null;
}

export interface ClaimedLeg extends Admitted {
  readonly from: string;
  readonly to: string;
}

/** The conversations of one feature, for other nodes. */
export interface Conversations {
  /** Carries out the order of another node, whose leg `calls` of {@link MediaLinks} lends; `not-there` where the conversation is not at this node. */
  admit(order: object): Promise<Result<Admitted> | 'not-there'>;
  /** Runs a document of another node on a leg of this one; the leg is hung up when none can run. */
  runDocument(owner: LegOwner, document: object): void;
  /** The fields with which a document goes on after the home of the conversation has ended; `joined` as of the join. */
  fieldsOfLoss(joined: Readonly<Record<string, string>>, now: number): Readonly<Record<string, string>>;
}

/** What `admit` has admitted. */
export interface Admitted {
  readonly mpcUuid: string;
  readonly memberId: string;
  readonly requestUuid: string;
  /** Of the participant at its join, as of `Calls.giveBack`. */
  readonly fields: Readonly<Record<string, string>>;
}
