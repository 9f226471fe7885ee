import type { TransferRequest } from '@jackfield/ports';
import type { PhoneSide } from '../domain/transfer.ts';
import type { Calls, LegOwner, LiveLeg, OwnedLegNotice } from '../public-api.ts';

/** Conversations of two legs that live at two nodes (docs/operate/cluster.md). */
export interface CallsOverNodes {
  /** Set once, before the first call; without it every leg and every conversation is of this node. */
  reach(others: OtherNodes): void;
  /** Notifies the owner of a leg of another node. */
  notify(owner: LegOwner, notice: OwnedLegNotice): void;
  /** Resolves when the owners that a leg of another node has left have handled `leg-taken`. */
  whenLeft(leg: string): Promise<void>;
  /** The conversation of a call of this node, when its phone may transfer it. */
  sideOf(call: NamedCall): Promise<PhoneSide<LiveLeg> | undefined>;
  /** As a transfer that a phone of this node requests, for a leg of another node; the outcome goes to `report` of {@link OtherNodes}. */
  requested(transfer: PassedTransfer): boolean | Promise<boolean>;
  /** The outcome of a transfer of this leg, which another node has carried out. */
  reported(leg: string, status: number): void;
  /** Announces a leg of another node, which `legs` of {@link OtherNodes} has, to the conversation that it comes into, and gives it to its owner. */
  receive(move: TransferMove): Promise<boolean>;
  /** Hangs up the phone that has transferred this conversation. */
  leave(leg: string): void;
}

/** The other nodes, for the conversations of this one. No promise rejects. */
export interface OtherNodes {
  /** The name of this node. */
  readonly own: string;
  /** As of `Calls`, with the legs of other nodes in conversations of this one. */
  readonly legs: LegsOfConversations;
  /** As `sideOf` of that node; undefined also when it cannot be reached. */
  sideAt(node: string, call: NamedCall): Promise<PhoneSide<LiveLeg> | undefined>;
  /** The node of the conversation into which a leg of this node has been moved; undefined for every other leg. */
  homeOfConversation(leg: string): string | undefined;
  /** As `requested` of that node; false also when it gave no answer. */
  request(node: string, transfer: PassedTransfer): Promise<boolean>;
  /** Has the home of this leg of another node report to its phone. */
  report(leg: string, status: number): void;
  /** Takes the leg, which lives at this node, into a conversation of that one. False: nothing has changed. */
  moveTo(node: string, move: TransferMove): Promise<boolean>;
  /** Has that node do so with its leg, and `leave`. False also when it gave no answer. */
  fetchFrom(node: string, move: TransferMove): Promise<boolean>;
}

/** By its dialog, as a phone names it, or by its UUID. */
export type NamedCall = { readonly dialog: string } | { readonly leg: string };

/** A transfer of a leg whose conversation is not at its home. Plain data. */
export interface PassedTransfer extends Pick<TransferRequest, 'leg' | 'to' | 'referredBy'> {
  /** The endpoint of its phone. */
  readonly user: string;
  readonly replacesAt?: NamedCall & { readonly node: string };
}

export type LegsOfConversations = Pick<Calls, 'peek' | 'hangUp' | 'take'>;

/** A transfer between two nodes. Plain data. */
export interface TransferMove {
  /** The leg that moves, and its partner, whose phone transfers. */
  readonly leg: string;
  readonly leaves: string;
  /** The other leg of that phone, which is replaced, and the party that stays. */
  readonly replaces: string;
  readonly stays: string;
  /** The parties, as of `Successor`. */
  readonly from: string;
  readonly to: string;
}
