import type { Media, MixCommand } from '@jackfield/ports';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import { listenerWatch } from './domain/built-in-sound.ts';
import type { Play, PlayEffect, PlayInput } from './domain/play.ts';
import { playMachine } from './domain/play-machine.ts';
import type { PlayNotice } from './domain/play-order.ts';
import { type LivePlay, watchKey } from './plays/live-play.ts';
import type { PlayLoads } from './plays/play-loads.ts';

export interface SessionDeps {
  readonly runner: SessionRunner;
  readonly media: Media;
}

export interface SessionParts {
  playOf(session: string): LivePlay | undefined;
  loads(): PlayLoads;
  /** The play is over: nothing of it is left. */
  remove(live: LivePlay): void;
  notify(live: LivePlay, notice: PlayNotice): void;
}

/** One session for each play: its machine, and the functions that carry out its effects. */
export function defineSessions(deps: SessionDeps, parts: SessionParts): Sessions<Play, PlayInput> {
  return deps.runner.define<Play, PlayInput, PlayEffect>({
    name: 'play',
    machine: playMachine,
    isEnded: (play) => play.phase === 'over',
    perform(session, effect) {
      const live = parts.playOf(session);
      if (live !== undefined) perform(deps.media, parts, live, effect);
    },
  });
}

function perform(media: Media, parts: SessionParts, live: LivePlay, effect: PlayEffect) {
  const { mix, order } = live;
  switch (effect.do) {
    case 'open-mix':
    case 'close-mix':
      return media.send({ do: effect.do, mix });
    case 'watch-listeners':
      return media.send({ do: 'play', mix, key: watchKey, to: order.to, sound: listenerWatch, loop: true });
    case 'load':
      return parts.loads().begin(live, effect);
    case 'unload':
      return parts.loads().end(live, effect.load);
    case 'sound':
      return media.send(soundCommand(live, effect));
    case 'stop-sound':
      return media.send({ do: 'stop-play', mix, key: `${effect.number}` });
    case 'notify':
      if (effect.notice.type === 'play-over') parts.remove(live);
      parts.notify(live, effect.notice);
  }
}

function soundCommand({ mix, order }: LivePlay, effect: PlayEffect & { do: 'sound' }): MixCommand {
  const { number, sound, loop, behind } = effect;
  return {
    ...{ do: 'play', mix, key: `${number}`, to: order.to, sound, loop },
    ...(order.alone === undefined ? {} : { alone: order.alone }),
    ...(behind === undefined ? {} : { behind: `${behind}` }),
  };
}
