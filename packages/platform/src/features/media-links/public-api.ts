import type { Media } from '@jackfield/ports';
import type { Result } from '../../kernel/result.ts';
import type { Calls } from '../calls/index.ts';

/** Legs in conversations of other nodes (docs/operate/cluster.md). */
export interface MediaLinks {
  /** Calls as an owner of conversations sees them: with the legs of other nodes that this node has borrowed. */
  readonly calls: Calls;
  /** Media that also sends keys to these legs. */
  readonly media: Media;
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

/** The conversations of one feature, for other nodes. */
export interface Conversations {
  /** Carries out the order of another node, whose leg `calls` of {@link MediaLinks} lends; `not-there` where the conversation is not at this node. */
  admit(order: object): Promise<Result<Admitted> | 'not-there'>;
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
