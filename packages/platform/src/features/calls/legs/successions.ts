import type { CallEnd } from '@jackfield/ports';
import type { Side as SideOf } from '../domain/transfer.ts';
import type { Conversations, LegOwner, LiveLeg, OwnedLegNotice } from '../public-api.ts';

export interface SuccessionsDeps {
  readonly partnerOf: (leg: string) => string | undefined;
  /** Whether the leg lives at this node. */
  readonly isHere: (leg: string) => boolean;
  readonly conversationsOf: (owner: LegOwner | null) => Conversations | undefined;
  readonly notify: (owner: LegOwner, notice: OwnedLegNotice) => void;
  readonly adopt: (callerLeg: string, calleeLeg: string) => Promise<LegOwner>;
}

export type Successor = Parameters<Conversations['succeed']>[1];

/** Conversations in which one leg succeeds another, whatever feature owns them. */
export class Successions {
  readonly #deps: SuccessionsDeps;

  constructor(deps: SuccessionsDeps) {
    this.#deps = deps;
  }

  /** A conversation with a party of another node stays: that party would have to move on. */
  departureOf(owner: LegOwner | null, leg: string) {
    const { conversationsOf, partnerOf, isHere } = this.#deps;
    const departure = owner === null ? undefined : conversationsOf(owner)?.departureOf(owner.id, leg);
    if (departure !== 'replaceable') return departure;
    const partner = partnerOf(leg);
    return partner === undefined || isHere(partner) ? departure : 'bound';
  }

  /** The owner of a conversation with a replaceable leg; releases both legs from a document that runs on the leaving one. */
  async conversationOf({ leg, other, departure }: SideOf<LiveLeg>): Promise<LegOwner | undefined> {
    const { owner } = leg;
    if (owner === null || departure !== 'releasable') return owner ?? undefined;
    const isReleased = await this.#deps.conversationsOf(owner)?.release(owner.id);
    return isReleased ? this.#deps.adopt(leg.leg, other.leg) : undefined;
  }

  /** Announces the leg to the conversation. False: nothing has changed. */
  async succeed(owner: LegOwner, successor: Successor): Promise<boolean> {
    return (await this.#deps.conversationsOf(owner)?.succeed(owner.id, successor)) ?? false;
  }

  /** A leg that was announced has failed: its owner and the phone stop waiting. */
  failed(owner: LegOwner, leg: string, end: CallEnd): void {
    this.#deps.notify(owner, { type: 'leg-ended', leg, end, durationSeconds: 0 });
  }
}
