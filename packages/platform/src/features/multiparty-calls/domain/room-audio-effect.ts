import type { MixCommand } from '@jackfield/ports';

type OfThisMix<Command> = Command extends { readonly mix: string } ? Omit<Command, 'mix'> : never;

/** An order to the mix of the call; the call's effects add its name. */
export type RoomAudioEffect = OfThisMix<MixCommand>;
