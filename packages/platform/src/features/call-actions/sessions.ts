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

/** What one leg is to hear. */
export interface PlayWish {
  readonly account: string;
  readonly mainAccount: string;
  readonly items: readonly PlayItem[];
  readonly loop: number;
  readonly alone: boolean;
  readonly lengthMs?: number;
}

/** Plays and recordings of the Call API are owned under this name; the owner's id is the leg. */
export const ownerKind = 'call-action';

export interface LegSessions {
  /** Begins a session where none is; `over` when the leg has ended. */
  ask(leg: string, input: LegActionsInput<PlayWish>): Promise<LegActionsReply>;
  send(leg: string, input: LegActionsInput<PlayWish>): void;
  peek(leg: string): LegActions | undefined;
}

/** One session for each leg on which something was begun, until the leg ends; it keeps no record. */
export function defineSessions({ runner, calls, sounds, recordings }: SessionDeps): LegSessions {
  const sessions = runner.define<LegActions, LegActionsInput<PlayWish>, LegActionsEffect<PlayWish>>({
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
  // Two requests at once must not both begin the session.
  const beginning = createKeyedQueue();

  const send = (leg: string, input: LegActionsInput<PlayWish>) => {
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
        // A leg that ended before its session began has told nobody here.
        if (calls.peek(leg) === undefined) send(leg, { type: 'leg-over' });
        return reply ?? 'over';
      }),
  };
}
