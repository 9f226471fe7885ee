import { createKeyedQueue } from '../../kernel/keyed-queue.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import type { Calls } from '../calls/index.ts';
import type { Recordings } from '../recordings/index.ts';
import type { PlayItem, Sounds } from '../sounds/index.ts';
import {
  type LegActions,
  type LegActionsEffect,
  type LegActionsInput,
  type LegActionsReply,
  legActionsMachine,
  newLegActions,
} from './domain/leg-actions.ts';

export interface SessionDeps {
  readonly runner: SessionRunner;
  readonly calls: Pick<Calls, 'peek' | 'partnerOf' | 'whenOver' | 'parametersOf'>;
  readonly sounds: Sounds;
  readonly recordings: Recordings;
}

/** A play for one leg. */
export interface PlaySpec {
  readonly account: string;
  readonly mainAccount: string;
  readonly items: readonly PlayItem[];
  readonly loop: number;
  readonly alone: boolean;
  readonly lengthMs?: number;
}

/** The kind of owner of the Call API's plays and recordings; the owner's id is the leg. */
export const ownerKind = 'call-action';

export interface LegSessions {
  /** Begins a session if there is none; `over` when the leg has ended. */
  ask(leg: string, input: LegActionsInput<PlaySpec>): Promise<LegActionsReply>;
  send(leg: string, input: LegActionsInput<PlaySpec>): void;
  peek(leg: string): LegActions | undefined;
}

/** One session for each leg with an action, until the leg ends; it keeps no record. */
export function defineSessions({ runner, calls, sounds, recordings }: SessionDeps): LegSessions {
  const sessions = runner.define<LegActions, LegActionsInput<PlaySpec>, LegActionsEffect<PlaySpec>>({
    name: ownerKind,
    machine: legActionsMachine(),
    isEnded: ({ phase }) => phase === 'over',
    perform(leg, effect) {
      switch (effect.do) {
        case 'play': {
          const { account, mainAccount } = calls.peek(leg) ?? {};
          return sounds.play({
            ...effect.order,
            ...(account === undefined || mainAccount === undefined ? {} : { account, mainAccount }),
            play: effect.play,
            owner: { kind: ownerKind, id: leg },
            to: [leg],
          });
        }
        case 'stop-play':
          return sounds.stop(effect.play);
        case 'stop-recording':
          return recordings.stop(effect.recording);
      }
    },
  });
  // Of two requests at once only one begins the session.
  const beginning = createKeyedQueue();

  const send = (leg: string, input: LegActionsInput<PlaySpec>) => {
    if (sessions.peek(leg) !== undefined) sessions.send(leg, input);
  };

  sounds.ownedBy(ownerKind, (leg, notice) => {
    if (notice.type === 'play-over') send(leg, { type: 'play-over', play: notice.play });
  });
  recordings.ownedBy(ownerKind, (leg, notice) => {
    if (notice.type === 'recording-over') send(leg, notice);
  });
  calls.whenOver((leg) => send(leg, { type: 'leg-over' }));

  return {
    send,
    peek: sessions.peek,
    ask: (leg, input) =>
      beginning.run(leg, async () => {
        const reply =
          sessions.peek(leg) === undefined
            ? await sessions.open<LegActionsReply>(leg, newLegActions(leg), input)
            : await sessions.ask<LegActionsReply>(leg, input);
        // The end of a leg before its session began was not noticed here.
        if (calls.peek(leg) === undefined) send(leg, { type: 'leg-over' });
        return reply ?? 'over';
      }),
  };
}
