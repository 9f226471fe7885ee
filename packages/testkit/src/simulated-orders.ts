import type { MediaNotice, MixCommand } from '@jackfield/ports';

type PlayCommand = Extract<MixCommand, { readonly do: 'play' }>;
type CaptureCommand = Extract<MixCommand, { readonly do: 'capture' }>;

/** What the platform has ordered of the media engine. */
export interface MediaOrders {
  readonly commands: readonly MixCommand[];
  /** Names of clips, in the order in which they were loaded first. */
  readonly clipsLoaded: readonly string[];
  /** Names of clips, in the order in which they were dropped. */
  readonly clipsDropped: readonly string[];
  /** Plays that go on, in the order of their beginning. */
  readonly plays: readonly PlayCommand[];
  /** Captures that go on, by their names. */
  readonly captures: ReadonlyMap<string, CaptureCommand>;
  /** Each member of an open mix, and the legs that it hears; undefined for a mix that is not open. */
  hearing(mix: string): Readonly<Record<string, readonly string[]>> | undefined;
  /** Names of the open mixes. */
  readonly mixes: readonly string[];
}

/** Keeps the commands and their present results. */
export interface KeptOrders extends MediaOrders {
  commanded(command: MixCommand): void;
  clipLoaded(name: string): void;
  clipDropped(name: string): void;
  noticed(notice: MediaNotice): void;
}

export function createMediaOrders(): KeptOrders {
  const commands: MixCommand[] = [];
  const clipsLoaded: string[] = [];
  const clipsDropped: string[] = [];
  const plays = new Map<string, PlayCommand>();
  const captures = new Map<string, CaptureCommand>();
  const mixes = new Map<string, Readonly<Record<string, readonly string[]>>>();
  const nameOf = ({ mix, key }: { readonly mix: string; readonly key: string }) => `${mix} ${key}`;

  function closeMix(mix: string): void {
    mixes.delete(mix);
    for (const [name, play] of plays) if (play.mix === mix) plays.delete(name);
  }

  return {
    commands,
    clipsLoaded,
    clipsDropped,
    captures,
    get plays() {
      return [...plays.values()];
    },
    hearing: (mix) => mixes.get(mix),
    get mixes() {
      return [...mixes.keys()];
    },
    clipLoaded: (name) => void clipsLoaded.push(name),
    clipDropped: (name) => void clipsDropped.push(name),
    commanded(command) {
      commands.push(command);
      switch (command.do) {
        case 'open-mix':
          return void mixes.set(command.mix, {});
        case 'close-mix':
          return closeMix(command.mix);
        case 'set-hearing': {
          const members = command.members.map(({ leg, hears }) => [leg, hears] as const);
          return void mixes.set(command.mix, Object.fromEntries(members));
        }
        case 'play':
          return void plays.set(nameOf(command), command);
        case 'stop-play':
          return void plays.delete(nameOf(command));
        case 'capture':
          return void captures.set(command.capture, command);
        case 'end-capture':
          return void captures.delete(command.capture);
      }
    },
    noticed(notice) {
      if (notice.type === 'play-ended') plays.delete(nameOf(notice));
    },
  };
}
