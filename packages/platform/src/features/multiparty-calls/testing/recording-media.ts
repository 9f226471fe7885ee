import type { Media, MixCommand } from '@jackfield/ports';

/** A media engine that keeps its commands. */
export interface RecordingMedia extends Media {
  readonly commands: readonly MixCommand[];
  /** Leg → the legs that it hears; empty after the mix was closed, undefined before it was opened. */
  edges(mix: string): Readonly<Record<string, readonly string[]>> | undefined;
  readonly openMixes: number;
}

export function createRecordingMedia(): RecordingMedia {
  const commands: MixCommand[] = [];
  const mixes = new Map<string, Record<string, readonly string[]>>();
  return {
    commands,
    send(command) {
      commands.push(command);
      if (command.do === 'open-mix') mixes.set(command.mix, {});
      if (command.do === 'close-mix') mixes.delete(command.mix);
      if (command.do === 'set-hearing') {
        mixes.set(command.mix, Object.fromEntries(command.members.map(({ leg, hears }) => [leg, hears])));
      }
    },
    subscribe: () => () => {},
    edges: (mix) => mixes.get(mix),
    get openMixes() {
      return mixes.size;
    },
  };
}
